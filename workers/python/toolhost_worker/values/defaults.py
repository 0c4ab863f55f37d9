"""Defaults in a schema: what a model reads about an argument that it leaves out."""

from __future__ import annotations

import json
from typing import Any, Callable

from .codec import Schema
from .writing import NotJson, write_json


def describe_default(schema: Schema, make_default: Callable[[], Any]) -> None:
    """Adds `default`, if the value has a form in JSON: a sentinel has none."""
    try:
        schema["default"] = json.loads(write_json(make_default()))
    except NotJson:
        pass
