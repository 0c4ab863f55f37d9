"""Results that are collections of other libraries, and of Python's own that are no lists."""

import array
import collections
import json
import types
import unittest
from typing import Any, List

from toolhost_worker.values.writing import NotJson, write_json


class Scalar:
    """As the numbers of NumPy, which are no int and no float of Python."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def tolist(self) -> Any:
        return self.value


class Results(unittest.TestCase):
    def test_have_the_form_of_lists_and_objects(self) -> None:
        cases: List[Any] = [
            (Scalar(3), 3),
            ({"mean": Scalar(1.5), "values": Scalar([1, 2])}, {"mean": 1.5, "values": [1, 2]}),
            (array.array("i", [1, 2]), [1, 2]),
            (range(3), [0, 1, 2]),
            ({"a": 1, "b": 2}.values(), [1, 2]),
            ({"a": 1, "b": 2}.keys(), ["a", "b"]),
            (collections.UserList([1]), [1]),
            (collections.UserDict({"a": 1}), {"a": 1}),
            (types.MappingProxyType({"a": 1}), {"a": 1}),
            (collections.Counter("aab"), {"a": 2, "b": 1}),
            (collections.deque([1, 2]), [1, 2]),
        ]
        for value, expected in cases:
            with self.subTest(type=type(value).__name__):
                self.assertEqual(json.loads(write_json(value)), expected)

    def test_that_can_be_read_once_only_are_not_json(self) -> None:
        for value in (iter([1]), (each for each in [1]), object(), Scalar, len):
            with self.subTest(type=type(value).__name__), self.assertRaises(NotJson):
                write_json(value)


if __name__ == "__main__":
    unittest.main()
