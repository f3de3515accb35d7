"""Each module of faulty engines has a dict D (what is wrong) and a dict S (a scenario that shows it)."""


def registry():
    d, s = {}, {}

    def entry(component, rules, text, kind, setup, steps, also=None):
        """`also`: a second scenario, where one setup cannot show both defects."""
        def register(cls):
            name = cls.name = cls.__name__[1:]
            d[name] = (component, tuple(rules), text, kind)
            s[name] = [(setup, steps)] + ([also] if also else [])
            return cls
        return register

    return d, s, entry
