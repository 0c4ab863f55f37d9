"""Results as JSON."""

from __future__ import annotations

import base64
import dataclasses
import datetime
import decimal
import enum
import json
import pathlib
import uuid
from collections import deque
from collections.abc import Mapping, Sequence, Set, ValuesView
from typing import Any, List

from .durations import write_duration


class NotJson(ValueError):
    """A value that has no form in JSON. The message names its type, never the value."""


def write_json(value: Any) -> str:
    """:raises NotJson: the value, or one inside it, is not JSON: NaN, a cycle, an object of an unknown class"""
    try:
        return json.dumps(value, default=_convert, allow_nan=False, separators=(",", ":"))
    except NotJson:
        raise
    except RecursionError:
        raise NotJson("it is nested too deeply") from None
    except TypeError:
        # Keys that json does not take.
        return _write_converted(value)
    except ValueError as error:
        reason = "it contains itself" if "Circular" in str(error) else "it contains NaN or Infinity"
        raise NotJson(reason) from None


def _write_converted(value: Any) -> str:
    try:
        return json.dumps(_with_keys(value), default=_convert_with_keys, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise error if isinstance(error, NotJson) else NotJson("it is not JSON") from None


def _convert(value: Any) -> Any:
    """One level of a value that json does not know."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return write_duration(value)
    if isinstance(value, enum.Enum):
        return value.value if isinstance(value.value, (str, int, float, bool, type(None))) else value.name
    if isinstance(value, (uuid.UUID, pathlib.PurePath)):
        return str(value)
    if isinstance(value, decimal.Decimal):
        return int(value) if value == value.to_integral_value() and abs(value) < 2**53 else float(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return _in_order(value)
    if isinstance(value, (Sequence, Set, ValuesView, deque)):
        return list(value)
    if callable(getattr(type(value), "tolist", None)):
        # The numbers and arrays of NumPy.
        return value.tolist()
    # pydantic 2, and 1.
    if hasattr(value, "model_dump_json"):
        return json.loads(value.model_dump_json(by_alias=True))
    if hasattr(value, "__fields__") and callable(getattr(value, "json", None)):
        return json.loads(value.json(by_alias=True))
    raise NotJson(f"it contains a {type(value).__name__}")


def _in_order(values: "set[Any] | frozenset[Any]") -> List[Any]:
    """The order of a set of strings differs from process to process."""
    try:
        return sorted(values)
    except TypeError:
        return list(values)


def _with_keys(value: Any) -> Any:
    """Mappings inside the value, with keys that json takes."""
    if isinstance(value, Mapping):
        return {_key(key): _with_keys(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        items: List[Any] = [_with_keys(item) for item in value]
        return items
    return value


def _convert_with_keys(value: Any) -> Any:
    return _with_keys(_convert(value))


def _key(key: Any) -> Any:
    if key is None or isinstance(key, (str, int, float)):
        return key
    converted = _convert(key)
    if isinstance(converted, (str, int, float)):
        return converted
    raise NotJson(f"it has a key that is a {type(key).__name__}")
