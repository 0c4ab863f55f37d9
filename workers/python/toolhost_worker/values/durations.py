"""ISO 8601 durations, of days and shorter units."""

from __future__ import annotations

import datetime
import re

_FORM = re.compile(
    r"^(?P<sign>[+-]?)P(?=.)(?:(?P<weeks>\d{1,7})W)?(?:(?P<days>\d{1,9})D)?"
    r"(?:T(?=.)(?:(?P<hours>\d{1,9})H)?(?:(?P<minutes>\d{1,9})M)?(?:(?P<seconds>\d{1,12}(?:\.\d{1,6})?)S)?)?$"
)


def read_duration(text: str) -> datetime.timedelta:
    """:raises ValueError: it is not a duration, or has years or months, whose length is not known"""
    match = _FORM.match(text)
    if match is None:
        raise ValueError("must be a duration of weeks, days, hours, minutes and seconds, such as P1DT2H30M")
    parts = {unit: float(match[unit] or 0) for unit in ("weeks", "days", "hours", "minutes", "seconds")}
    try:
        length = datetime.timedelta(**parts)
    except OverflowError:
        raise ValueError("is too long a duration") from None
    return -length if match["sign"] == "-" else length


def write_duration(length: datetime.timedelta) -> str:
    if length < datetime.timedelta():
        return "-" + write_duration(-length)
    minutes, seconds = divmod(length.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    fraction = f"{length.microseconds:06d}".rstrip("0")
    days = f"{length.days}D" if length.days else ""
    time = (f"{hours}H" if hours else "") + (f"{minutes}M" if minutes else "")
    if seconds or fraction:
        time += f"{seconds}.{fraction}S" if fraction else f"{seconds}S"
    if not days and not time:
        return "PT0S"
    return f"P{days}T{time}" if time else f"P{days}"
