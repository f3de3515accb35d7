"""Registers faulty engines: a decorator that fills a module's D (what is wrong), S (a scenario that shows it) and
E<name> (the adapter)."""

from core import Good, OperatorInputs, SplitOutputs


def faulty(module, component):
    """A decorator factory for the module's globals. A class for `splits` that is no engine yet is a mixin for both setups."""
    table, scenarios = module.setdefault("D", {}), module.setdefault("S", {})

    def describe(name, rules, kind, text, setup, steps):
        def register(engine):
            table[name] = (component, rules, text, kind)
            scenarios[name] = (setup, steps)
            members = {"name": f"w1 {name}", "version": "1", "__module__": module["__name__"], "__doc__": text}
            if component == "splits":
                members["SPLITS"] = type(f"{name}Splits", (engine, SplitOutputs), {})
                members["INPUTS"] = type(f"{name}Inputs", (engine, OperatorInputs), {})
            else:
                members[component.upper()] = engine
            module[f"E{name}"] = type(f"E{name}", (Good,), members)
            return engine

        return register

    return describe
