"""Classes that others have as members several times."""

import json
import unittest
from dataclasses import dataclass, make_dataclass
from typing import Any, Dict, List

from toolhost_worker import tool
from toolhost_worker.tools import as_tool


@dataclass
class Point:
    x: float
    y: float


def parameters_of(hint: Any) -> Dict[str, Any]:
    def draw(shape: Any) -> None: ...

    draw.__annotations__ = {"shape": hint, "return": None}
    parameters: Dict[str, Any] = as_tool(tool(draw)).registration()["parameters"]
    return parameters


class SharedClasses(unittest.TestCase):
    def test_small_ones_are_written_where_they_are_used(self) -> None:
        line = make_dataclass("Line", [("start", Point), ("end", Point)])
        parameters = parameters_of(line)
        self.assertNotIn("$defs", parameters)
        self.assertEqual(set(parameters["properties"]["shape"]["properties"]["end"]["properties"]), {"x", "y"})

    def test_a_large_one_that_is_used_once_is_too(self) -> None:
        wide = make_dataclass("Wide", [(f"field{index}", int) for index in range(500)])
        self.assertNotIn("$defs", parameters_of(wide))

    def test_the_schema_grows_with_the_classes_and_not_with_the_ways_through_them(self) -> None:
        sizes: List[int] = []
        for depth in (20, 40):
            shape: Any = Point
            for level in range(depth):
                shape = make_dataclass(f"Level{level}", [("left", shape), ("right", shape), ("other", List[shape])])
            sizes.append(len(json.dumps(parameters_of(shape))))
        self.assertLess(sizes[1], 100_000)
        self.assertLess(sizes[1], sizes[0] * 3)

    def test_its_values_are_read_alike(self) -> None:
        shape: Any = Point
        for level in range(6):
            shape = make_dataclass(f"Level{level}", [("left", shape), ("right", shape)])
        seen: List[Any] = []

        def draw(shape: Any) -> None:
            seen.append(shape)

        draw.__annotations__ = {"shape": shape, "return": None}
        value: Any = {"x": 1, "y": 2}
        for _ in range(6):
            value = {"left": value, "right": value}
        made = as_tool(draw)
        self.assertIn("$defs", made.registration()["parameters"])
        args, kwargs = made.bind({"shape": value}, None)  # type: ignore[arg-type]
        made.function(*args, **kwargs)
        for _ in range(6):
            seen[0] = seen[0].right
        self.assertEqual(seen[0], Point(1, 2))
