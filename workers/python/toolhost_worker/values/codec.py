"""What a type of Python is in JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Optional

Schema = Dict[str, Any]
"""A JSON Schema of 2020-12."""

Reader = Callable[[Any], Any]
"""From a JSON value to a value of the type. Raises Invalid."""


@dataclass(frozen=True)
class Codec:
    schema: Schema
    read: Optional[Reader] = None
    """None: the JSON value is the value already, if it fits the schema."""


class Unsupported(Exception):
    """A type whose values JSON cannot hold. The message follows the name of a parameter."""


def read_with(codec: Codec, value: Any) -> Any:
    return value if codec.read is None else codec.read(value)
