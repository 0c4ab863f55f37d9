"""`python3 -m toolhost_worker`, as a process."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest
from typing import Any, Dict

from .fake_service import TOKEN, FakeService

LIBRARY = pathlib.Path(__file__).parent.parent

MODULE = """
from toolhost_worker import Worker, run, tool

@tool
def one() -> int:
    "One."
    return 1

def two() -> int:
    "Two."
    return 2

both = [one, two]

if __name__ == "__main__":
    run(name="program")
"""


SIGNALLED = """
import logging, signal, threading
from toolhost_worker import run

class Registered(logging.Handler):
    def emit(self, record):
        if record.getMessage().startswith("registered"):
            threading.Timer(0.5, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGTERM)).start()

logging.basicConfig(level=logging.INFO)
logging.getLogger("toolhost_worker").addHandler(Registered())
run(name="signalled")
"""

FORKING = """
import multiprocessing, time
from toolhost_worker import tool

def sleep(has_started):
    has_started.set()
    time.sleep(60)

@tool
def end_child() -> int:
    context = multiprocessing.get_context("fork")
    has_started = context.Event()
    child = context.Process(target=sleep, args=(has_started,))
    child.start()
    has_started.wait()
    child.terminate()
    child.join(8)
    return child.exitcode
"""

WORKER = """
from my_tools import two
from toolhost_worker import Worker

ready = Worker([two], name="ready")
"""


class Command(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "my_tools.py").write_text(MODULE)
        (self.folder / "my_worker.py").write_text(WORKER)
        self.service = FakeService()
        self.addCleanup(self.service.close)

    def start(self, *arguments: str, **environment: str) -> "subprocess.Popen[str]":
        settings: Dict[str, str] = {
            "PATH": os.environ.get("PATH", ""),
            "PYTHONPATH": str(LIBRARY),
            "PYTHONDONTWRITEBYTECODE": "1",
            "TOOLHOST_URL": self.service.url,
            "TOOLHOST_WORKER_TOKEN": TOKEN,
            **environment,
        }
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=self.folder,
            env=settings,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.kill)
        return process

    def offer(self, *arguments: str) -> Any:
        """Starts a worker, and ends it. Returns its registration."""
        process = self.start(*arguments)
        self.service.wait_registered()
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, log)
        self.assertNotIn(TOKEN, log)
        self.assertEqual(self.service.left, ["w1"])
        return self.service.registrations[0]

    def names(self, registration: Any) -> Any:
        return registration["name"], [each["name"] for each in registration["tools"]]

    def test_offers_the_tools_of_a_module(self) -> None:
        registration = self.offer("-m", "toolhost_worker", "my_tools", "--concurrency", "3")
        self.assertEqual(self.names(registration), ("my_tools", ["one"]))
        self.assertEqual(registration["concurrency"], 3)

    def test_offers_those_of_a_name_in_a_file(self) -> None:
        registration = self.offer("-m", "toolhost_worker", "./my_tools.py:both", "--name", "own")
        self.assertEqual(self.names(registration), ("own", ["one", "two"]))

    def test_offers_one_function(self) -> None:
        registration = self.offer("-m", "toolhost_worker", "my_tools:two")
        self.assertEqual(self.names(registration), ("my_tools", ["two"]))

    def test_a_program_offers_its_own_tools(self) -> None:
        self.assertEqual(self.names(self.offer("my_tools.py")), ("program", ["one"]))

    def test_ends_by_a_signal_that_another_thread_gets(self) -> None:
        """The system chooses the thread, and the main thread may be about to wait."""
        (self.folder / "signalled.py").write_text(SIGNALLED)
        process = self.start("signalled.py")
        _, log = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, log)
        self.assertIn("takes no more calls", log)
        self.assertEqual(self.service.left, ["w1"])

    def test_goes_on_when_a_tool_ends_a_process_that_it_has_forked(self) -> None:
        (self.folder / "forking.py").write_text(FORKING)
        process = self.start("-W", "ignore", "-m", "toolhost_worker", "forking")
        self.service.wait_registered()
        for _ in range(2):
            self.service.call("end_child", {})
            self.assertEqual(self.service.next_entry(60)["result"], -signal.SIGTERM)
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, log)

    def test_prints_the_declarations(self) -> None:
        process = self.start("-m", "toolhost_worker", "my_tools", "--list", TOOLHOST_WORKER_TOKEN="")
        output, _ = process.communicate(timeout=60)
        self.assertEqual([each["name"] for each in json.loads(output)], ["one"])

    def test_offers_a_worker(self) -> None:
        registration = self.offer("-m", "toolhost_worker", "my_worker:ready")
        self.assertEqual(self.names(registration), ("ready", ["two"]))

    def test_shows_where_a_module_fails(self) -> None:
        (self.folder / "broken.py").write_text('limit = int("ten")\n')
        process = self.start("-m", "toolhost_worker", "broken")
        _, log = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, log)
        self.assertIn('limit = int("ten")', log)

    def test_explains_a_wrong_setting(self) -> None:
        for arguments, environment, words in (
            (["other_tools"], {}, "there is no module other_tools"),
            (["my_tools:three"], {}, "has no three"),
            (["my_worker:ready", "--url", "http://127.0.0.1:1"], {}, "--url cannot change a Worker"),
            (["my_tools", "--name", "a b"], {}, "1 to 64 characters"),
            (["my_tools", "--concurrency", "0"], {}, "concurrency must be at least 1"),
            (["my_tools"], {"TOOLHOST_WORKER_TOKEN": ""}, "TOOLHOST_WORKER_TOKEN must be set"),
            (["my_tools"], {"TOOLHOST_URL": "http://me:secret@a"}, "TOOLHOST_URL"),
            (["my_tools"], {"TOOLHOST_WORKER_TOKEN": "a-secret"}, "(401)"),
        ):
            with self.subTest(arguments=arguments, environment=environment):
                process = self.start("-m", "toolhost_worker", *arguments, **environment)
                _, log = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 2, log)
                self.assertIn(words, log)
                self.assertNotIn("secret", log)
                self.assertNotIn("Traceback", log)


if __name__ == "__main__":
    unittest.main()
