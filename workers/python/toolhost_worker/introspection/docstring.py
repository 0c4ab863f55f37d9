"""Docstrings in Google's style."""

from __future__ import annotations

import inspect
import re
from typing import Any, Dict, List, NamedTuple, Optional

_ARGUMENTS = re.compile(r"(?:Args|Arguments|Parameters|Params|Keyword Args|Keyword Arguments|Attributes):\s*")
# `unit (str, optional): words`, `*args: words`
_ENTRY = re.compile(r"\*{0,2}(?P<name>[A-Za-z_]\w*)\s*(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?\s*:(?:\s+(?P<words>.*))?$")
_RAISES = re.compile(r"(?:Raises|Warns|Yields):\s*")


class Docstring(NamedTuple):
    """A docstring without its sections `Args:` and `Raises:`, and what the first one says."""

    description: str
    arguments: Dict[str, str]


def read_docstring(documented: Any) -> Docstring:
    """Any other style is the description whole."""
    text: Optional[str] = getattr(documented, "__doc__", None)
    lines = inspect.cleandoc(text).splitlines() if isinstance(text, str) else []
    kept: List[str] = []
    arguments: Dict[str, str] = {}
    position = 0
    while position < len(lines):
        line = lines[position]
        position += 1
        is_arguments = _ARGUMENTS.fullmatch(line) is not None
        if not is_arguments and _RAISES.fullmatch(line) is None:
            kept.append(line)
            continue
        section: List[str] = []
        while position < len(lines) and (not lines[position].strip() or lines[position][0].isspace()):
            section.append(lines[position])
            position += 1
        entries = _read_entries(section) if is_arguments else {}
        if is_arguments and not entries:
            # It only looks like Google's style: the words are not lost.
            kept += [line, *section]
            continue
        arguments.update(entries)
        if kept and kept[-1].strip():
            kept.append("")
    return Docstring(_join(kept), arguments)


def _read_entries(section: List[str]) -> Dict[str, str]:
    """The entries have the smallest indentation; what is further in belongs to the entry above."""
    lines = inspect.cleandoc("\n" + "\n".join(section)).splitlines()
    entries: Dict[str, List[str]] = {}
    current: Optional[List[str]] = None
    for line in lines:
        if line and not line[0].isspace():
            match = _ENTRY.match(line)
            if match is None:
                if current is not None:
                    current.append(line.strip())
                continue
            current = [match["words"] or ""]
            entries[match["name"]] = current
        elif current is not None:
            current.append(line.strip())
    return {name: " ".join(" ".join(words).split()) for name, words in entries.items()}


def _join(lines: List[str]) -> str:
    text = "\n".join(line.rstrip() for line in lines).strip()
    return re.sub(r"\n{3,}", "\n\n", text)
