"""Types that have one form in JSON."""

from __future__ import annotations

import base64
import binascii
import datetime
import decimal
import pathlib
import uuid
from typing import Any, Callable, Dict, Literal, Tuple

from .codec import Codec, Reader
from .durations import read_duration
from .invalid import invalid

Mode = Literal["arguments", "result"]


def _read_int(value: Any) -> int:
    # JSON Schema's integers include 5.0.
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise invalid("must be an integer")


def _read_float(value: Any) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    raise invalid("must be a number")


def _read_decimal(value: Any) -> decimal.Decimal:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return decimal.Decimal(repr(value))
    raise invalid("must be a number")


def exactly(kind: type, message: str) -> Reader:
    def read(value: Any) -> Any:
        if isinstance(value, kind):
            return value
        raise invalid(message)

    return read


def read_null(value: Any) -> None:
    if value is not None:
        raise invalid("must be null")


def _from_text(message: str, convert: Callable[[str], Any]) -> Reader:
    def read(value: Any) -> Any:
        if not isinstance(value, str):
            raise invalid(message)
        try:
            return convert(value)
        except (ValueError, binascii.Error):
            raise invalid(message) from None

    return read


def _iso(text: str) -> str:
    # Python 3.9 and 3.10 take neither Z nor a lower-case t.
    text = text.replace("t", "T", 1)
    return text[:-1] + "+00:00" if text[-1:] in ("Z", "z") else text


def _read_datetime(text: str) -> datetime.datetime:
    if len(text) < 16:
        raise ValueError
    head, point, fraction = _iso(text).partition(".")
    # Python 3.9 and 3.10 take fractions of 3 or 6 digits only.
    digits = len(fraction) - len(fraction.lstrip("0123456789"))
    rest = f"{fraction[:digits][:6]:0<6}{fraction[digits:]}" if point else ""
    return datetime.datetime.fromisoformat(head + point + rest)


_TIME_PATTERN = r"^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?$"


def _read_time(text: str) -> datetime.time:
    head, point, fraction = text.partition(".")
    return datetime.time.fromisoformat(head + (f".{fraction:0<6}" if point else ""))


def _read_date(text: str) -> datetime.date:
    if len(text) != 10:
        raise ValueError
    return datetime.date.fromisoformat(text)


def _string(format: str, message: str, convert: Callable[[str], Any]) -> Codec:
    return Codec({"type": "string", "format": format}, _from_text(message, convert))


def _path(kind: type) -> Codec:
    return Codec({"type": "string"}, _from_text("must be a string", kind))


_SCALARS: Dict[type, Codec] = {
    str: Codec({"type": "string"}, exactly(str, "must be a string")),
    bool: Codec({"type": "boolean"}, exactly(bool, "must be true or false")),
    int: Codec({"type": "integer"}, _read_int),
    float: Codec({"type": "number"}, _read_float),
    type(None): Codec({"type": "null"}, read_null),
    decimal.Decimal: Codec({"type": "number"}, _read_decimal),
    datetime.datetime: _string("date-time", "must be a date and time, such as 2026-01-31T09:30:00Z", _read_datetime),
    datetime.date: _string("date", "must be a date, such as 2026-01-31", _read_date),
    datetime.time: Codec(
        {"type": "string", "pattern": _TIME_PATTERN}, _from_text("must be a time of day, such as 09:30", _read_time)
    ),
    datetime.timedelta: _string("duration", "must be a duration of days and shorter units, such as PT2H30M", read_duration),
    uuid.UUID: _string("uuid", "must be a UUID", uuid.UUID),
    bytes: Codec(
        {"type": "string", "contentEncoding": "base64"},
        _from_text("must be base64", lambda text: base64.b64decode(text, validate=True)),
    ),
    **{kind: _path(kind) for kind in (pathlib.Path, pathlib.PurePath, pathlib.PurePosixPath)},
}

# A datetime without a zone is written as it is, and RFC 3339 demands a zone.
_RESULTS: Dict[type, Codec] = {each: Codec({"type": "string"}) for each in (datetime.datetime, datetime.time)}


def find_scalar(kind: Any, mode: Mode) -> Tuple[Codec, ...]:
    """:returns: its codec, or nothing"""
    if not isinstance(kind, type):
        return ()
    found = (_RESULTS.get(kind) if mode == "result" else None) or _SCALARS.get(kind)
    return () if found is None else (found,)
