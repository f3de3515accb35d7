"""Commands that take a `Request`: on the command line it has one option for each of its fields."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, TypeVar

import typer

from ..run.options import REQUEST_OPTIONS, RequestOption, request_of
from ..wire.scenario import BadInput

Returned = TypeVar("Returned")

_PARAMETER = "request"
_COMMAND = inspect.Parameter(
    "command",
    inspect.Parameter.KEYWORD_ONLY,
    default=None,
    annotation=Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="The engine under test as a process that speaks the protocol: 'node my_engine.js'. In place "
            "of --adapter.",
        ),
    ],
)
"""`--adapter process --option command=COMMAND`, as it is typed."""


def takes_request(
    *names: str,
) -> Callable[[Callable[..., Returned]], Callable[..., Returned]]:
    """Decorates a command with a parameter `request`, which the options of these names take the place of;
    without names, all options of a run. The other parameters of the command stay as they are. Beside
    `--adapter` stands `--command`."""
    options = [option for option in REQUEST_OPTIONS if not names or option.name in names]
    of_engines = any(option.name == "adapter" for option in options)

    def decorated(command: Callable[..., Returned]) -> Callable[..., Returned]:
        @wraps(command)
        def taking_options(**given: Any) -> Returned:
            chosen = {option.name: given.pop(_parameter_name(option)) for option in options}
            if of_engines:
                _name_the_engine(chosen, given.pop(_COMMAND.name))
            return command(**{_PARAMETER: request_of(chosen)}, **given)

        signature = inspect.signature(command, eval_str=True)
        own = [parameter for parameter in signature.parameters.values() if parameter.name != _PARAMETER]
        parameters = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own]
        taken = [*map(_parameter, options), *([_COMMAND] if of_engines else []), *parameters]
        vars(taking_options)["__signature__"] = signature.replace(parameters=taken)
        return taking_options

    return decorated


def _name_the_engine(chosen: dict[str, Any], command: str | None) -> None:
    """`command` is the adapter `process` with that option. Raises `BadInput` unless one engine is named."""
    if (chosen["adapter"] is None) == (command is None):
        both = "not both" if command is not None else "for example --command 'node my_engine.js'"
        raise BadInput(f"name the engine: --adapter NAME or --command COMMAND, {both}")
    if command is not None:
        chosen |= {"adapter": "process", "option": [*(chosen.get("option") or ()), f"command={command}"]}


def _parameter(option: RequestOption) -> inspect.Parameter:
    """An option as a parameter that typer reads."""
    kind: Any = list[str] if option.repeatable else option.kind
    if option.default is None:
        kind = kind | None
    told = typer.Option(f"--{option.name}", metavar=option.value, help=option.help)
    return inspect.Parameter(
        _parameter_name(option),
        inspect.Parameter.KEYWORD_ONLY,
        default=option.default,
        annotation=Annotated[kind, told],
    )


def _parameter_name(option: RequestOption) -> str:
    return option.name.replace("-", "_")
