"""Three tools of a worker: `TOOLHOST_WORKER_TOKEN=… python3 -m toolhost_worker example --name weather`."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated, Literal

from toolhost_worker import Context, ToolError, run, tool

Unit = Literal["celsius", "fahrenheit"]

# Stands in for a weather service.
CELSIUS = {"berlin": 14.0, "boston": 8.5, "lima": 19.0, "paris": 17.0, "san francisco": 16.0, "tokyo": 21.0}


@dataclass
class Weather:
    """The weather of a place."""

    location: str
    temperature: float
    unit: Unit


@tool(read_only=True)
def get_current_weather(location: str, unit: Unit = "celsius") -> Weather:
    """Get the current weather in a given location.

    Args:
        location: The city and state, e.g. San Francisco, CA
        unit: The unit of the temperature.
    """
    celsius = CELSIUS.get(location.partition(",")[0].strip().lower())
    if celsius is None:
        raise ToolError(f"There is no weather for this place. Known are: {', '.join(sorted(CELSIUS))}.")
    return Weather(location, celsius if unit == "celsius" else celsius * 1.8 + 32, unit)


@tool
def count_days(start: date, end: date, working_days_only: bool = False) -> int:
    """Count the days from one date to another, without the last one.

    Args:
        start: The first day.
        end: The day after the last one.
        working_days_only: Leave out Saturdays and Sundays.
    """
    days = [start + timedelta(days=number) for number in range((end - start).days)]
    return sum(1 for day in days if not working_days_only or day.weekday() < 5)


@tool(timeout_ms=60_000)
async def wait(seconds: Annotated[float, {"minimum": 0, "maximum": 50}], context: Context) -> str:
    """Wait, and report the progress each second."""
    passed = 0.0
    while passed < seconds:
        context.progress(passed, seconds)
        await asyncio.sleep(min(1.0, seconds - passed))
        passed = min(seconds, passed + 1.0)
    return f"{seconds:g} seconds have passed"


if __name__ == "__main__":
    run(name="weather")
