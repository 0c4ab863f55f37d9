"""Tools that are methods of an object, and tools among the values of a module."""

import unittest
from typing import Any

from toolhost_worker import Context, Tool, tool
from toolhost_worker.tools import as_tool, tools_of


class Store:
    def __init__(self, stock: int) -> None:
        self.stock = stock

    @tool(name="store_take", title="Take", timeout_ms=500, read_only=False, tags=["store"])
    def take(self, count: int) -> int:
        """Take items out of the store."""
        self.stock -= count
        return self.stock

    @tool
    async def count(self) -> int:
        """Count the items."""
        return self.stock


class Proxy:
    """As the request of a web framework: it raises outside of a request."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError("outside of a request")


class Methods(unittest.TestCase):
    def test_have_the_options_of_their_decorator(self) -> None:
        declared = as_tool(Store(10).take).registration()
        self.assertEqual(list(declared["parameters"]["properties"]), ["count"])
        self.assertEqual(declared["name"], "store_take")
        self.assertEqual(declared["title"], "Take")
        self.assertEqual(declared["timeoutMs"], 500)
        self.assertEqual(declared["annotations"], {"readOnly": False})
        self.assertEqual(declared["tags"], ["store"])

    def test_run_with_their_own_object(self) -> None:
        first, second = as_tool(Store(10).take), as_tool(Store(20).take)
        args, kwargs = second.bind({"count": 3}, Context("call", "store_take"))
        self.assertEqual(second.function(*args, **kwargs), 17)
        self.assertEqual(first.function(*args, **kwargs), 7)
        self.assertTrue(as_tool(Store(1).count).is_async)

    def test_are_among_the_values_of_a_module_if_they_are_bound(self) -> None:
        self.assertEqual([each.name for each in tools_of([Store(3).take])], ["store_take"])
        self.assertEqual(list(tools_of([Store(3).take])[0].registration()["parameters"]["properties"]), ["count"])


class Modules(unittest.TestCase):
    def test_may_have_values_that_cannot_be_looked_at(self) -> None:
        @tool
        def add(a: int, b: int) -> int:
            """Add two numbers."""
            return a + b

        made = Tool(add, name="plus")
        self.assertEqual([each.name for each in tools_of([Proxy(), add, made, add, 7])], ["add", "plus"])
