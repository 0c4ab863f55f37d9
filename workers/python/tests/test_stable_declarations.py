"""A declaration is the same in every process: another one would take over the calls of the others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unittest
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import FrozenSet, List, Set
from uuid import UUID, uuid4

from toolhost_worker import Tool


def now() -> datetime:
    return datetime.now(timezone.utc)


@dataclass
class Event:
    id: UUID = field(default_factory=uuid4)
    at: datetime = field(default_factory=now)
    tags: List[str] = field(default_factory=list)


def add(event: Event, words: Set[str] = {"one", "two", "three", "four"}, more: FrozenSet[int] = frozenset()) -> None: ...


PRINT = "import json; from tests.test_stable_declarations import *; print(json.dumps(Tool(add).registration()))"


class Declarations(unittest.TestCase):
    def test_are_the_same_in_every_process(self) -> None:
        printed = set()
        for seed in ("1", "2", "3"):
            environment = {**os.environ, "PYTHONHASHSEED": seed}
            run = subprocess.run([sys.executable, "-c", PRINT], env=environment, check=True, stdout=subprocess.PIPE)
            printed.add(run.stdout)
        self.assertEqual(len(printed), 1)
        self.assertEqual(json.loads(printed.pop()), json.loads(json.dumps(Tool(add).registration())))

    def test_have_the_defaults_that_are_always_the_same(self) -> None:
        properties = Tool(add).registration()["parameters"]["properties"]
        event = properties["event"]["properties"]
        self.assertEqual(event["tags"]["default"], [])
        self.assertNotIn("default", event["id"])
        self.assertNotIn("default", event["at"])
        self.assertEqual(properties["words"]["default"], ["four", "one", "three", "two"])
