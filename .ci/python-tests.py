"""Runs the tests of the Python worker: python-tests.py REPORT. The report has the form of vitest's, for count-tests.mjs."""

import json
import os
import sys
import unittest

report = os.path.abspath(sys.argv[1])
os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../workers/python"))
sys.path.insert(0, os.getcwd())
result = unittest.TextTestRunner(stream=sys.stdout).run(unittest.defaultTestLoader.discover("."))
failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
with open(report, "w", encoding="utf-8") as file:
    passed = result.testsRun - failed - len(result.skipped)
    tests = [
        {"status": "failed", "fullName": str(test), "failureMessages": [trace]}
        for test, trace in [*result.failures, *result.errors, *((test, "it passed, but it was expected to fail") for test in result.unexpectedSuccesses)]
    ]
    files = [{"status": "failed", "name": "the Python worker", "assertionResults": tests}] if tests else []
    json.dump({"numPassedTests": max(0, passed), "numFailedTests": failed, "testResults": files}, file)
sys.exit(0 if result.wasSuccessful() else 1)
