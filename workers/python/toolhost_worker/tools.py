"""`@tool`: functions as tools."""

from __future__ import annotations

import copy
import inspect
import re
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterable,
    List,
    Optional,
    Protocol,
    Sequence,
    Tuple,
    TypeVar,
    Union,
    overload,
)

from .context import Context
from .declare.declaration import Declaration, declare

Function = TypeVar("Function", bound=Callable[..., Any])

_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")
_MARK = "__toolhost_tool__"


class Tool:
    """A function with its declaration. `@tool` makes it, and leaves the function as it is.

    :param name: default: the function's
    :param description: for the model; default: the docstring, without its section `Args:`
    :param title: for people
    :param tags: for callers that choose a part of the tools
    :param timeout_ms: the time limit of a call, 1 to 900000; default: the service's, 10000
    :param concurrency: how many of its calls run at once in this process
    :param result_bytes: the largest result, as JSON
    :param read_only: the function changes nothing; like the others an annotation that the service lists, and trusts if
        its operator says so
    :param destructive: it may delete or overwrite
    :param idempotent: a second call with the same arguments changes nothing more
    :param open_world: it reaches systems that others change
    :param strict: providers are asked to enforce the schema
    :param content_blocks: the result is `{"content": [...]}` with content blocks of MCP
    :param parameters: a JSON Schema in place of that of the signature
    :param response: a JSON Schema of the result in place of that of the signature
    :raises ValueError: the name is not legal, or a number is out of range
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: Optional[str] = None,
        description: Optional[str] = None,
        title: Optional[str] = None,
        tags: Sequence[str] = (),
        timeout_ms: Optional[int] = None,
        concurrency: Optional[int] = None,
        result_bytes: Optional[int] = None,
        read_only: Optional[bool] = None,
        destructive: Optional[bool] = None,
        idempotent: Optional[bool] = None,
        open_world: Optional[bool] = None,
        strict: Optional[bool] = None,
        content_blocks: Optional[bool] = None,
        parameters: Optional[Dict[str, Any]] = None,
        response: Optional[Dict[str, Any]] = None,
    ) -> None:
        self.function = function
        self.name = name if name is not None else str(getattr(function, "__name__", type(function).__name__))
        if _NAME.fullmatch(self.name) is None:
            raise ValueError(
                f"{self.name!r} cannot be the name of a tool: 1 to 64 letters, digits, _ and -, and no digit or - first"
            )
        self.is_async = _is_async(function)
        _check_range("timeout_ms", timeout_ms, 900_000)
        _check_range("concurrency", concurrency, None)
        _check_range("result_bytes", result_bytes, None)
        annotations = {
            "readOnly": read_only,
            "destructive": destructive,
            "idempotent": idempotent,
            "openWorld": open_world,
        }
        self._options: Dict[str, Any] = {
            "title": title,
            "tags": list(tags) or None,
            "timeoutMs": timeout_ms,
            "concurrency": concurrency,
            "resultBytes": result_bytes,
            "strict": strict,
            "contentBlocks": content_blocks,
            "annotations": {key: value for key, value in annotations.items() if value is not None} or None,
        }
        self._description = description
        self._parameters = parameters
        self._response = response
        self._declaration: Optional[Declaration] = None

    def of(self, function: Callable[..., Any]) -> Tool:
        """:returns: a tool with the same options and another function, such as a method with its object"""
        made = copy.copy(self)
        made.function = function
        made.is_async = _is_async(function)
        made._declaration = None
        return made

    @property
    def declaration(self) -> Declaration:
        """Read when it is first needed: annotations may name classes that are defined below the function.

        :raises TypeError: the function has a parameter that JSON cannot give a value to
        """
        if self._declaration is None:
            self._declaration = declare(self.function, self.name, Context)
        return self._declaration

    def registration(self) -> Dict[str, Any]:
        """:returns: the tool as the service takes it"""
        declaration = self.declaration
        response = self._response if self._response is not None else declaration.response
        return {
            "name": self.name,
            "description": self._description if self._description is not None else declaration.description,
            "parameters": self._parameters if self._parameters is not None else declaration.parameters,
            **({} if response is None else {"response": response}),
            **{key: value for key, value in self._options.items() if value is not None},
        }

    def bind(self, arguments: Any, context: Context) -> Tuple[List[Any], Dict[str, Any]]:
        """:returns: the arguments as the function takes them
        :raises InvalidArguments: they are not values of the declared types
        """
        return self.declaration.bind(arguments, context)


if TYPE_CHECKING:
    # A stub that every type checker has.
    from typing_extensions import Concatenate, ParamSpec

    Options = ParamSpec("Options")

    class _Decorator(Protocol[Options]):
        @overload
        def __call__(self, function: Function, /) -> Function: ...

        @overload
        def __call__(self, *no_function: Options.args, **options: Options.kwargs) -> Callable[[Function], Function]: ...


def _takes_options_of(
    made: Callable[Concatenate[Callable[..., Any], Options], Tool],
) -> Callable[[Callable[..., Any]], _Decorator[Options]]:
    """For type checkers: a decorator that is called with a function, or with the options of what it makes."""
    return lambda decorator: decorator


@_takes_options_of(Tool)
def tool(function: Any = None, **options: Any) -> Any:
    """Makes a function a tool. It stays callable as before. The options are those of `Tool`."""

    def mark(marked: Any) -> Any:
        setattr(marked, _MARK, Tool(marked, **options))
        return marked

    return mark if function is None else mark(function)


def as_tool(value: Union[Tool, Callable[..., Any]]) -> Tool:
    """:raises TypeError: it is not a function"""
    if isinstance(value, Tool):
        return value
    marked = getattr(value, _MARK, None)
    if isinstance(marked, Tool):
        # A bound method, or what another decorator made, has the mark of its function, but is another function.
        return marked if marked.function is value else marked.of(value)
    if not callable(value):
        raise TypeError(f"a tool must be a function, not a {type(value).__name__}")
    return Tool(value)


def tools_of(values: Iterable[Any]) -> List[Tool]:
    """:returns: the tools among the values of a module, each once"""
    found: List[Tool] = []
    for value in values:
        if not _is_tool(value):
            continue
        made = as_tool(value)
        if all(each.name != made.name or each.function != made.function for each in found):
            found.append(made)
    return found


def _is_tool(value: Any) -> bool:
    try:
        return isinstance(value, Tool) or isinstance(getattr(value, _MARK, None), Tool)
    except Exception:
        # Such as the request of a web framework, which cannot be looked at outside of a request.
        return False


def _is_async(function: Callable[..., Any]) -> bool:
    # A decorator that is not async may wrap a function that is.
    candidates = (function, inspect.unwrap(function), getattr(function, "__call__", None))
    return any(map(inspect.iscoroutinefunction, candidates))


def _check_range(option: str, value: Optional[int], most: Optional[int]) -> None:
    if value is not None and (value < 1 or (most is not None and value > most)):
        raise ValueError(f"{option} must be at least 1" + ("" if most is None else f" and at most {most}"))
