"""Commands that take a `Request`: on the command line it has one option for each of its fields."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, TypeVar

import typer

from ..run.options import REQUEST_OPTIONS, RequestOption, request_of

Returned = TypeVar("Returned")

_PARAMETER = "request"


def takes_request(
    *names: str,
) -> Callable[[Callable[..., Returned]], Callable[..., Returned]]:
    """Decorates a command with a parameter `request`, which the options of these names take the place of;
    without names, all options of a run. The other parameters of the command stay as they are."""
    options = [option for option in REQUEST_OPTIONS if not names or option.name in names]

    def decorated(command: Callable[..., Returned]) -> Callable[..., Returned]:
        @wraps(command)
        def taking_options(**given: Any) -> Returned:
            chosen = {option.name: given.pop(_parameter_name(option)) for option in options}
            return command(**{_PARAMETER: request_of(chosen)}, **given)

        signature = inspect.signature(command, eval_str=True)
        own = [parameter for parameter in signature.parameters.values() if parameter.name != _PARAMETER]
        parameters = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own]
        taken = [*map(_parameter, options), *parameters]
        vars(taking_options)["__signature__"] = signature.replace(parameters=taken)
        return taking_options

    return decorated


def _parameter(option: RequestOption) -> inspect.Parameter:
    """An option as a parameter that typer reads."""
    kind: Any = list[str] if option.repeatable else option.kind
    if not option.required and option.default is None:
        kind = kind | None
    told = typer.Option(f"--{option.name}", metavar=option.value, help=option.help)
    return inspect.Parameter(
        _parameter_name(option),
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if option.required else option.default,
        annotation=Annotated[kind, told],
    )


def _parameter_name(option: RequestOption) -> str:
    return option.name.replace("-", "_")
