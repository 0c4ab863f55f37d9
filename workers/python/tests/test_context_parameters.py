"""Parameters that get the context, however they are written. The module's annotations are strings."""

from __future__ import annotations

import sys
import unittest
from typing import Annotated, Optional, Union

from toolhost_worker import Context, Tool
from toolhost_worker.values.invalid import InvalidArguments


def plain(count: int, context: Context) -> None: ...


def with_default(count: int, context: Context = None) -> None: ...  # type: ignore[assignment]


def optional(count: int, context: Optional[Context] = None) -> None: ...


def union(count: int, context: Union[None, Context] = None) -> None: ...


def annotated(count: int, context: Annotated[Context, "of the call"]) -> None: ...


def annotated_optional(count: int, context: Annotated[Optional[Context], "of the call"] = None) -> None: ...


def optional_annotated(count: int, context: Optional[Annotated[Context, "of the call"]] = None) -> None: ...


def bar(count: int, context: Context | None = None) -> None: ...


def with_others(context: Optional[Context] = None, **others: int) -> None: ...


class ContextParameters(unittest.TestCase):
    def test_are_not_replaced_by_an_argument(self) -> None:
        with self.assertRaises(InvalidArguments) as caught:
            Tool(with_others).bind({"context": None, "count": 1}, Context("call", "tool"))
        self.assertEqual(caught.exception.issues, [("/context", "is not an argument of the tool")])

    def test_are_in_no_declaration_and_get_the_context(self) -> None:
        given = Context("call", "tool")
        for function in (plain, with_default, optional, union, annotated, annotated_optional, optional_annotated, bar):
            with self.subTest(function=function.__name__):
                tool = Tool(function)
                self.assertEqual(list(tool.registration()["parameters"]["properties"]), ["count"])
                self.assertEqual(tool.bind({"count": 1}, given), ([], {"count": 1, "context": given}))

    def test_may_be_a_union_that_is_no_string(self) -> None:
        def function(count: int, context: None) -> None: ...

        # Types have no | before Python 3.10.
        function.__annotations__["context"] = Context | None if sys.version_info >= (3, 10) else Optional[Context]
        self.assertEqual(list(Tool(function).registration()["parameters"]["properties"]), ["count"])
