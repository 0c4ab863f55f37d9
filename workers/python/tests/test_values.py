"""Values: from JSON to the declared types, and back."""

import dataclasses
import datetime
import decimal
import enum
import json
import pathlib
import unittest
import uuid
from collections import OrderedDict, deque
from typing import Annotated, Any, Dict, FrozenSet, List, Literal, NamedTuple, NewType, Optional, Set, Tuple, TypedDict, Union

from toolhost_worker.values.codec import Unsupported, read_with
from toolhost_worker.values.invalid import Invalid
from toolhost_worker.values.types import Types
from toolhost_worker.values.writing import NotJson, write_json

UTC = datetime.timezone.utc


class Color(enum.Enum):
    RED = "red"
    OWN = (1, 2)


class Access(enum.IntFlag):
    READ = 1
    WRITE = 2


@dataclasses.dataclass
class Size:
    width: int
    unit: str = "mm"
    tags: List[str] = dataclasses.field(default_factory=list)
    area: int = dataclasses.field(init=False, default=0)

    def __post_init__(self) -> None:
        if self.width < 0:
            raise ValueError(f"{self.width} is secret")


class Pair(NamedTuple):
    left: int
    right: int = 2


class Named(TypedDict):
    id: int


UserId = NewType("UserId", int)
uid = uuid.UUID("12345678-1234-5678-1234-567812345678")

GOOD: List[Tuple[Any, Any, Any]] = [
    (int, 5, 5),
    (int, 5.0, 5),
    (float, 5, 5.0),
    (bool, True, True),
    (Any, {"a": [1]}, {"a": [1]}),
    (Optional[int], None, None),
    (decimal.Decimal, 19.99, decimal.Decimal("19.99")),
    (datetime.date, "2026-02-28", datetime.date(2026, 2, 28)),
    (datetime.datetime, "2026-02-28T09:30:00Z", datetime.datetime(2026, 2, 28, 9, 30, tzinfo=UTC)),
    (datetime.datetime, "2026-02-28T09:30:00.5+00:00", datetime.datetime(2026, 2, 28, 9, 30, 0, 500_000, tzinfo=UTC)),
    (datetime.datetime, "2026-02-28t09:30:00.1234567z", datetime.datetime(2026, 2, 28, 9, 30, 0, 123_456, tzinfo=UTC)),
    (datetime.time, "09:30", datetime.time(9, 30)),
    (datetime.time, "09:30:01.5", datetime.time(9, 30, 1, 500_000)),
    (datetime.timedelta, "P1DT2H30M", datetime.timedelta(days=1, hours=2, minutes=30)),
    (datetime.timedelta, "PT0.25S", datetime.timedelta(milliseconds=250)),
    (uuid.UUID, str(uid), uid),
    (bytes, "AAE=", b"\x00\x01"),
    (pathlib.Path, "a/b", pathlib.Path("a/b")),
    (Color, "red", Color.RED),
    (Access, 3, Access.READ | Access.WRITE),
    (Literal["a", 1, None], 1, 1),
    (Literal[Color.RED], "red", Color.RED),
    (List[datetime.date], ["2026-01-01"], [datetime.date(2026, 1, 1)]),
    (Set[int], [1, 2], {1, 2}),
    (FrozenSet[str], ["a"], frozenset({"a"})),
    (Tuple[int, str], [1, "a"], (1, "a")),
    (Tuple[int, ...], [1, 2, 3], (1, 2, 3)),
    (Dict[int, datetime.date], {"7": "2026-01-01"}, {7: datetime.date(2026, 1, 1)}),
    (Dict[uuid.UUID, bool], {str(uid): True}, {uid: True}),
    (Union[int, List[int]], [1], [1]),
    (Union[datetime.date, str], "soon", "soon"),
    (Size, {"width": 1}, Size(1)),
    (List[Size], [{"width": 1, "tags": ["a"]}], [Size(1, tags=["a"])]),
    (Pair, {"left": 1}, Pair(1, 2)),
    (Named, {"id": 1, "more": 2}, {"id": 1, "more": 2}),
    (UserId, 3, 3),
    (Annotated[int, "A number"], 3, 3),
    (list, [1, "a"], [1, "a"]),
    (dict, {"a": 1}, {"a": 1}),
    (tuple, [1], (1,)),
    (deque, [1], deque([1])),
]

BAD: List[Tuple[Any, Any, List[str]]] = [
    (int, True, [""]),
    (int, "5", [""]),
    (int, 5.5, [""]),
    (float, True, [""]),
    (bool, 1, [""]),
    (str, 1, [""]),
    (datetime.date, "2026-02-30", [""]),
    (datetime.date, "20260228", [""]),
    (datetime.datetime, "2026-02-28", [""]),
    (datetime.time, "25:00", [""]),
    (datetime.timedelta, "P1M", [""]),
    (datetime.timedelta, "P", [""]),
    (uuid.UUID, "1", [""]),
    (bytes, "no base64!", [""]),
    (Color, "blue", [""]),
    (Access, 8.5, [""]),
    (Literal[1], True, [""]),
    (List[int], {"a": 1}, [""]),
    (List[int], [1, "a", None], ["/1", "/2"]),
    (Tuple[int, str], [1], [""]),
    (Dict[str, int], {"a/b": "x"}, ["/a~1b"]),
    (Dict[int, int], {"a": 1}, ["/a"]),
    (Set[Any], [{}], [""]),
    (Size, {"unit": 1, "area": 1}, ["/width", "/unit", "/area"]),
    (Size, {"width": -1}, [""]),
    (Named, {"id": "a"}, ["/id"]),
    (Optional[Size], {"width": "a"}, ["/width"]),
    (Union[int, bool], "a", [""]),
]


class Reading(unittest.TestCase):
    def test_makes_values_of_the_types(self) -> None:
        for hint, given, expected in GOOD:
            with self.subTest(hint=hint, given=given):
                value = read_with(Types("arguments").codec(hint), json.loads(json.dumps(given)))
                self.assertEqual(value, expected)
                self.assertIs(type(value), type(expected))

    def test_refuses_other_values_without_quoting_them(self) -> None:
        for hint, given, paths in BAD:
            with self.subTest(hint=hint, given=given), self.assertRaises(Invalid) as caught:
                read_with(Types("arguments").codec(hint), given)
            self.assertEqual([path for path, _ in caught.exception.issues], paths)
            self.assertNotIn("secret", str(caught.exception))

    def test_takes_an_alias_that_contains_itself(self) -> None:
        json_value = Union[None, bool, float, str, List["Json"], Dict[str, "Json"]]  # type: ignore[name-defined]  # noqa: F821
        codec = Types("arguments").codec(json_value)
        for value in (None, "a", [1, ["b"]], {"a": {"b": None}}):
            self.assertEqual(read_with(codec, value), value)

    def test_names_types_that_json_cannot_hold(self) -> None:
        for hint in (complex, unittest.TestCase, Dict[Tuple[int, int], int], List[complex], Literal[b"a"]):
            with self.subTest(hint=hint), self.assertRaises(Unsupported):
                Types("arguments").codec(hint)


class Writing(unittest.TestCase):
    def test_writes_what_python_has(self) -> None:
        cases: List[Tuple[Any, Any]] = [
            (Size(1), {"width": 1, "unit": "mm", "tags": [], "area": 0}),
            ([Color.RED, Color.OWN, Access.READ], ["red", "OWN", 1]),
            (datetime.datetime(2026, 1, 1, tzinfo=UTC), "2026-01-01T00:00:00+00:00"),
            (datetime.date(2026, 1, 1), "2026-01-01"),
            (datetime.timedelta(days=1, minutes=5), "P1DT5M"),
            (-datetime.timedelta(seconds=1.5), "-PT1.5S"),
            (datetime.timedelta(0), "PT0S"),
            (uid, str(uid)),
            (decimal.Decimal("19.99"), 19.99),
            (decimal.Decimal("3"), 3),
            ({2: "a", None: "b", True: "c"}, {"2": "a", "null": "b", "true": "c"}),
            ({uid: [{Color.RED: 1}]}, {str(uid): [{"red": 1}]}),
            ({"inside": Size(1), 5: {uid: 1}}, {"inside": dataclasses.asdict(Size(1)), "5": {str(uid): 1}}),
            ({1, 1}, [1]),
            ((1, "a"), [1, "a"]),
            (b"\x00\x01", "AAE="),
            (pathlib.PurePosixPath("a/b"), "a/b"),
            (OrderedDict(a=1), {"a": 1}),
            ("\ud800", "\ud800"),
        ]
        for value, expected in cases:
            with self.subTest(value=value):
                self.assertEqual(json.loads(write_json(value)), expected)

    def test_refuses_what_is_not_json(self) -> None:
        circle: List[Any] = []
        circle.append(circle)
        deep: List[Any] = []
        for _ in range(100_000):
            deep = [deep]
        for value in (float("nan"), [float("inf")], circle, deep, object(), print, {(1, 2): 1}, decimal.Decimal("NaN")):
            with self.subTest(type=type(value)), self.assertRaises(NotJson):
                write_json(value)


class Durations(unittest.TestCase):
    def test_come_back_as_they_were(self) -> None:
        for seconds in (0, 1, 59.5, 60, 3600, 86_400, 90_061.25, -7200, 1e9):
            length = datetime.timedelta(seconds=seconds)
            text = json.loads(write_json(length))
            self.assertEqual(read_with(Types("arguments").codec(datetime.timedelta), text), length)


if __name__ == "__main__":
    unittest.main()
