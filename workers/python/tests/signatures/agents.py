"""As research, coding and data agents have them."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Optional, TypedDict, Union

from toolhost_worker import Context, tool


@tool
async def web_search(query: str, max_results: int = 10, region: Literal["us-en", "uk-en", "wt-wt"] = "wt-wt") -> str:
    """Search the web and return formatted results.

    Args:
        query: The search query string
        max_results: Maximum number of results to return (default: 10)
        region: Where the results are from
        ctx: MCP context for logging
    """
    return ""


@tool
def ask_database(question: str, profile_name: str = "NORTHWIND") -> str:
    """
    Ask a question about the database in natural language.

    Examples:
    - "What are the top 5 most expensive products?"
    - "Show me total sales for 1997"

    Args:
        question: Natural language question about the data
        profile_name: AI profile to use (default: NORTHWIND)
    """
    return ""


@tool
def sequential_thinking(
    thought: str,
    next_thought_needed: bool,
    thought_number: int,
    total_thoughts: int,
    is_revision: Optional[bool] = None,
    revises_thought: Optional[int] = None,
) -> dict[str, int | bool]:
    """A detailed tool for dynamic and reflective problem-solving through thoughts.

    Args:
        thought: Your current thinking step
        next_thought_needed: Whether another thought step is needed
        thought_number: Current thought number
            (e.g. 1, 2, 3)
    """
    return {}


@tool
def http_request(
    url: str,
    method: Literal["GET", "POST", "PUT", "DELETE"] = "GET",
    headers: Mapping[str, str] | None = None,
    body: Any = None,
    timeout: float = 30,
) -> dict[str, Any]:
    """Send an HTTP request."""
    return {}


@tool
def query_points(collection: str, vector: Sequence[float], filter: dict[str, Any] | None = None) -> list[tuple[str, float]]:
    """Find the nearest points of a collection."""
    return []


class Language(str, enum.Enum):
    english = "en"
    german = "de"


@tool
def translate(texts: dict[Language, list[str]], target: Language | None = None) -> dict[str, list[str]]:
    """Translate texts."""
    return {}


@dataclass
class Node:
    """A part of an outline."""

    title: str
    children: list[Node] = field(default_factory=list)


@tool
def render_outline(root: Node, depth: int = 3) -> str:
    """Render an outline as Markdown."""
    return ""


@tool
def analyze_directory(path: Path, recursive: bool = False, extensions: tuple[str, ...] = (".py",)) -> dict[str, int]:
    """
    Analyse the files of a directory.
    """
    return {}


class Filter(TypedDict, total=False):
    """What is wanted."""

    min_age: int
    city: str | None


@tool
def get_user_data(filters: list[Filter], columns: frozenset[Literal["name", "age"]] = frozenset()) -> list[Filter]:
    "Retrieve user data based on filters"
    return []


@tool
def run_code(
    context: Context, code: str, language: Literal["python", "bash"] = "python", files: dict[str, bytes] | None = None
) -> object:
    """Run code in a sandbox.

    Args:
        context: Of the call.
        code: The whole program.

    Note:
        It has no network.
    """
    return None


@tool
def vote(choice: Literal[1, "two", None, True], weight: Union[int, float] = 1) -> None: ...
