"""Offers Python functions as tools of a Toolhost service.

    from toolhost_worker import run, tool

    @tool
    def get_current_weather(location: str, unit: str = "celsius") -> str:
        "Get the current weather of a place."
        return f"22 degrees {unit} in {location}"

    if __name__ == "__main__":
        run(name="weather")
"""

from .context import Context
from .errors import ToolError
from .program import run
from .tools import Tool, tool
from .worker import Worker

__all__ = ["Context", "Tool", "ToolError", "Worker", "run", "tool"]
