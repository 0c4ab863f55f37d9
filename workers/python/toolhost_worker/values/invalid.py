"""Why a JSON value is not a value of a Python type."""

from __future__ import annotations

from typing import List, Tuple


class Invalid(ValueError):
    """The issues have a JSON Pointer and a message, which never quotes the value."""

    def __init__(self, issues: List[Tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{path} {message}" for path, message in issues))
        self.issues = issues

    def below(self, *names: object) -> Invalid:
        """:returns: the same issues of a value that contains this one"""
        prefix = "".join("/" + str(name).replace("~", "~0").replace("/", "~1") for name in names)
        return Invalid([(prefix + path, message) for path, message in self.issues])


class InvalidArguments(Invalid):
    """The arguments of a call do not fit the declaration: the function has not run."""


def invalid(message: str) -> Invalid:
    """:param message: such as "must be a date" """
    return Invalid([("", message)])
