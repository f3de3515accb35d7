"""Check that the distribution that an adapter drives is installed."""

from importlib.metadata import PackageNotFoundError, version


def require_distribution(distribution: str, engine: str, extra: str) -> str:
    """Return the installed version of a distribution, or raise an error if there is none.

    Args:
        distribution: the name on the package index, such as `apache-beam`.
        engine: the name in messages, such as `Apache Beam`.
        extra: the extra of `tidegauge` that installs the distribution.

    Raises:
        ImportError: if the distribution is missing; the message is one line with the command to install it.
    """
    try:
        return version(distribution)
    except PackageNotFoundError:
        raise ImportError(f"{engine} is not installed: pip install 'tidegauge[{extra}]'") from None
