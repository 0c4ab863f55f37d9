"""Thirty-three signatures, and the declarations that were written before the code that makes them ran."""

import importlib
import json
import pathlib
import unittest

from toolhost_worker.tools import tools_of

FOLDER = pathlib.Path(__file__).parent / "signatures"


class Signatures(unittest.TestCase):
    maxDiff = None

    def test_have_the_declarations_that_they_promise(self) -> None:
        for name in ("servers", "business", "agents"):
            expected = json.loads((FOLDER / f"{name}.json").read_text())
            tools = tools_of(vars(importlib.import_module(f"tests.signatures.{name}")).values())
            self.assertEqual([each.name for each in tools], list(expected))
            for each in tools:
                with self.subTest(tool=each.name):
                    declared = json.loads(json.dumps(each.registration()))
                    made = {key: declared[key] for key in ("description", "parameters", "response") if key in declared}
                    self.assertEqual(made, expected[each.name])
                    # The order of arguments is that of the signature.
                    properties = expected[each.name]["parameters"]["properties"]
                    self.assertEqual(list(made["parameters"]["properties"]), list(properties))


if __name__ == "__main__":
    unittest.main()
