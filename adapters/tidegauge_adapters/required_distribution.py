"""The distribution that an adapter drives: is it installed?"""

from importlib.metadata import PackageNotFoundError, version


def require_distribution(distribution: str, engine: str, extra: str) -> str:
    """Return the installed version of a distribution.

    Args:
        distribution: the name on the package index, `apache-beam`.
        engine: the name in messages, `Apache Beam`.
        extra: the extra of `tidegauge` that installs the distribution.

    Raises:
        ImportError: in one line with the command that installs the distribution.
    """
    try:
        return version(distribution)
    except PackageNotFoundError:
        raise ImportError(f"{engine} is not installed: pip install 'tidegauge[{extra}]'") from None
