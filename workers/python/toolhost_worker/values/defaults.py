"""Defaults in a schema: what a model reads about an argument that it leaves out."""

from __future__ import annotations

import json
from typing import Any, Callable

from .codec import Schema
from .writing import NotJson, write_json


# What another factory makes may differ from process to process, and with it the declaration: a new id, the time.
_STABLE = (None, list, dict, set, frozenset, tuple)


def is_stable(factory: Any) -> bool:
    """Whether a factory of defaults always makes the same value; None is no factory."""
    return factory in _STABLE


def describe_default(schema: Schema, make_default: Callable[[], Any]) -> None:
    """Adds `default`, if the value has a form in JSON: a sentinel has none."""
    try:
        schema["default"] = json.loads(write_json(make_default()))
    except NotJson:
        pass
