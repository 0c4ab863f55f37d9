"""As servers of time, git, files, fetch, memory and databases have them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Optional

from toolhost_worker import Context, tool


@tool
def get_current_time(timezone: str) -> dict[str, str]:
    """Get the current time in a time zone.

    Args:
        timezone: IANA name, e.g. 'America/New_York'. Use 'UTC' if the user named none.
    """
    return {}


@tool
async def fetch(
    url: Annotated[str, "URL to fetch", {"format": "uri"}],
    max_length: Annotated[int, {"minimum": 1, "maximum": 1_000_000}] = 5000,
    start_index: Annotated[int, "Continue a truncated page from this character", {"minimum": 0}] = 0,
    raw: bool = False,
) -> str:
    """Fetches a URL and returns its text.

    Args:
        max_length: Maximum number of characters to return.
        raw: Return the HTML without simplification.
    """
    return ""


@tool
def git_log(repo_path: str, max_count: int = 10, start_timestamp: str | None = None) -> list[str]:
    """Shows the commit logs"""
    return []


@tool
def git_add(repo_path: str, files: list[str]) -> None:
    """Adds file contents to the staging area

    Args:
        repo_path (str): Path to the repository.
        files (list[str]): Files to add,
            relative to the repository.
    """


@tool
def read_query(query: str, parameters: list[str | int | float | bool | None] | None = None) -> list[dict[str, Any]]:
    """Execute a SELECT query on the SQLite database"""
    return []


@dataclass
class Edit:
    """A replacement of text."""

    old_text: str = field(metadata={"description": "Text to search for, must match exactly"})
    new_text: str = field(metadata={"description": "Text to replace it with"})


@tool
def edit_file(path: str, edits: list[Edit], dry_run: bool = False) -> str:
    """Make line-based edits to a text file.

    Args:
        path: Of the file.
        dry_run: Preview changes as a diff.

    Returns:
        A diff in git's style.

    Raises:
        FileNotFoundError: There is no such file.
    """
    return ""


@dataclass
class Entity:
    name: str
    entity_type: str
    observations: list[str] = field(default_factory=list)


@tool
def create_entities(entities: list[Entity]) -> list[Entity]:
    """Create new entities in the knowledge graph"""
    return entities


@tool
def search_memory(query: str, limit: int = 5, session_id: str = "") -> dict[str, Any]:
    """Search the memories.

    Args:
        query: Words or a question.
        limit: Most results (1-20, default 5).
        session_id: Optional, of one conversation only.
    """
    return {}


@tool
def get_note_paths(
    include: list[str] = [],
    include_operand: Literal["AND", "OR"] = "AND",
    exclude: list[str] = [],
) -> str:
    """Get the paths of notes that match the filters.

    Args:
        include (list[str]): Strings in content or name
        include_operand (Literal['AND', 'OR']): How several filters are joined
    """
    return ""


@tool
def create_cron_job(
    name: str, cron_expression: str, command: str, job_type: str = "shell", timezone: Optional[str] = None
) -> dict:
    """Create a new CRON job.

    Args:
        name: Human-readable job name
        cron_expression: Standard cron expression (e.g. '0 9 * * *' for daily 9am)
        command: Shell command or prompt to run
        job_type: 'shell' for shell commands or 'agent' for prompts
        timezone: IANA time zone. Defaults to that of the system.
    """
    return {}


@tool(read_only=True)
async def long_task(context: Context, steps: int = 3) -> str:
    """Work in steps, with progress."""
    return ""
