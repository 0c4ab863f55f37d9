"""Special forms of typing, whether they come from typing or typing_extensions."""

from __future__ import annotations

import types
from typing import Any, Tuple, Union, get_args, get_origin

UNIONS: Tuple[Any, ...] = (Union, getattr(types, "UnionType", Union))
"""The origins of `Union[int, str]` and `int | str`."""


def form_of(annotation: Any) -> str:
    """:returns: such as "Literal" or "NotRequired"; empty for an annotation that is not such a form"""
    origin = get_origin(annotation)
    if origin is None or isinstance(origin, type):
        return ""
    return str(getattr(origin, "_name", None) or getattr(origin, "__name__", ""))


def inner_of(annotation: Any) -> Any:
    return get_args(annotation)[0]
