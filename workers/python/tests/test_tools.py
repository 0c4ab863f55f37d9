"""`@tool`: what it leaves as it is, its options, and the functions that it refuses."""

import dataclasses
import functools
import threading
import unittest
from typing import Any, Callable, List, Optional

from toolhost_worker import Context, Tool, tool
from toolhost_worker.introspection.docstring import read_docstring
from toolhost_worker.tools import as_tool

from .test_worker import WorkerTest


def context() -> Context:
    return Context("c1", "t")


class Decorator(unittest.TestCase):
    def test_leaves_the_function_as_it_is(self) -> None:
        def add(a: int, b: int = 1) -> int:
            "Adds."
            return a + b

        self.assertIs(tool(add), add)
        self.assertIs(tool(name="plus")(add), add)
        self.assertEqual(add(1), 2)

    def test_has_options(self) -> None:
        @tool(
            name="get-it",
            description="Gets it.",
            title="Get",
            tags=["a"],
            timeout_ms=5000,
            concurrency=2,
            result_bytes=100,
            read_only=True,
            open_world=False,
            strict=True,
            content_blocks=True,
            parameters={"type": "object"},
            response={"type": "object"},
        )
        def get(**more: Any) -> None: ...

        self.assertEqual(
            as_tool(get).registration(),
            {
                "name": "get-it",
                "description": "Gets it.",
                "parameters": {"type": "object"},
                "response": {"type": "object"},
                "title": "Get",
                "tags": ["a"],
                "timeoutMs": 5000,
                "concurrency": 2,
                "resultBytes": 100,
                "strict": True,
                "contentBlocks": True,
                "annotations": {"readOnly": True, "openWorld": False},
            },
        )

    def test_refuses_options_that_the_service_would_refuse(self) -> None:
        wrong: List[Any] = [{"name": "a b"}, {"name": "1a"}, {"name": ""}, {"name": "a" * 65}]
        wrong += [{"timeout_ms": 0}, {"timeout_ms": 900_001}, {"concurrency": 0}, {"result_bytes": 0}]
        for options in wrong:
            with self.subTest(options=options), self.assertRaises(ValueError):
                Tool(print, **options)

    def test_names_parameters_that_a_model_cannot_give(self) -> None:
        class Shop:
            def sell(self, what: str) -> None: ...

        def many(*items: int) -> None: ...

        def number(value: complex) -> None: ...

        def stream(count: int) -> Any:
            yield count

        for function, words in ((Shop.sell, "method"), (many, "items"), (number, "value"), (stream, "generator")):
            with self.subTest(function=function), self.assertRaisesRegex(TypeError, words):
                as_tool(function).registration()

    def test_takes_whatever_can_be_called(self) -> None:
        class Shop:
            def sell(self, what: str, count: int = 1) -> str:
                """Sells."""
                return what * count

        class Adder:
            """Adds to a number."""

            def __call__(self, number: int) -> int:
                "Adds one."
                return number + 1

        def scale(number: int, factor: int) -> int:
            "Scales."
            return number * factor

        cases = [
            (Tool(Shop().sell), {"what": "a", "count": 2}, "aa", "Sells."),
            (Tool(Adder()), {"number": 1}, 2, "Adds one."),
            (Tool(functools.partial(scale, factor=3), name="scale"), {"number": 2}, 6, "Scales."),
        ]
        for made, arguments, expected, description in cases:
            with self.subTest(tool=made.name):
                args, kwargs = made.bind(arguments, context())
                self.assertEqual(made.function(*args, **kwargs), expected)
                self.assertEqual(made.registration()["description"], description)

    def test_binds_positional_only_parameters_and_leaves_defaults_to_the_function(self) -> None:
        def look(a: int, b: Optional[str] = None, /, c: int = 3, *, ctx: Context, **more: int) -> Any: ...

        made = Tool(look)
        own = context()
        self.assertEqual(made.bind({"a": 1, "x": 9}, own), ([1, None], {"ctx": own, "x": 9}))
        self.assertEqual(made.bind({"a": 1, "b": "b", "c": 4}, own), ([1, "b"], {"c": 4, "ctx": own}))


class Docstrings(unittest.TestCase):
    def read(self, text: Optional[str]) -> Any:
        def documented() -> None: ...

        documented.__doc__ = text
        return tuple(read_docstring(documented))

    def test_in_google_style_describe_the_arguments(self) -> None:
        text = """Finds a place.

        Longer words.

        Args:
            place (str, optional): Its name,
                in any language.
            **more: Other
              filters: all of them.
            plain (dict[str, tuple(int)]): Of a type.

        Returns:
            The place.

        Raises:
            KeyError: There is none.
        """
        description, arguments = self.read(text)
        self.assertEqual(description, "Finds a place.\n\nLonger words.\n\nReturns:\n    The place.")
        self.assertEqual(
            arguments,
            {"place": "Its name, in any language.", "more": "Other filters: all of them.", "plain": "Of a type."},
        )

    def test_in_another_style_are_the_description(self) -> None:
        for text in (
            "Finds.\n\n:param place: its name\n:returns: it",
            "Finds.\n\nParameters\n----------\nplace : str\n    Its name.",
            "Finds.\n\nArgs: none",
            "Finds.\n\nArgs:\n    nothing that looks like an argument",
        ):
            with self.subTest(text=text):
                self.assertEqual(self.read(text), (text, {}))

    def test_with_many_brackets_are_read_in_linear_time(self) -> None:
        line = "words (" + "((a)" * 100
        self.assertEqual(self.read(f"Parses.\n\nArgs:\n    text (str): Lisp\n    {line}")[1], {"text": f"Lisp {line}"})

    def test_may_be_missing(self) -> None:
        self.assertEqual(self.read(None), ("", {}))
        self.assertEqual(self.read(""), ("", {}))


class Running(WorkerTest):
    def test_a_decorator_that_is_not_async_may_wrap_a_coroutine(self) -> None:
        def traced(function: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(function)
            def wrapper(*args: Any, **kwargs: Any) -> Any:
                return function(*args, **kwargs)

            return wrapper

        @tool
        @traced
        async def answer(number: int) -> int:
            return number + 1

        self.start(answer)
        self.service.call("answer", {"number": 1})
        self.assertEqual(self.service.next_entry()["result"], 2)

    def test_a_slow_conversion_does_not_stop_the_polls(self) -> None:
        may_end = threading.Event()

        @dataclasses.dataclass
        class Place:
            name: str

            def __post_init__(self) -> None:
                may_end.wait(20)

        def slow(place: Place) -> str:
            return place.name

        def quick(number: int) -> int:
            return number

        self.start(Tool(slow), Tool(quick))
        self.service.call("slow", {"place": {"name": "late"}})
        call_id = self.service.call("quick", {"number": 2})
        self.assertEqual(self.service.next_entry(), {"callId": call_id, "result": 2})
        may_end.set()
        self.assertEqual(self.service.next_entry()["result"], "late")


if __name__ == "__main__":
    unittest.main()
