"""A worker as a program: signals and the log."""

from __future__ import annotations

import logging
import os
import sys
import threading
from typing import Any, Callable, Optional, Union

from .end_signals import EndSignals
from .errors import Refused, SettingsError
from .tools import Tool, tools_of
from .worker import DEFAULT_CONCURRENCY, Worker

_log = logging.getLogger("toolhost_worker")


def run(
    *tools: Union[Tool, Callable[..., Any]],
    name: Optional[str] = None,
    url: Optional[str] = None,
    concurrency: int = DEFAULT_CONCURRENCY,
) -> None:
    """Runs a worker until SIGTERM or SIGINT. Exits with 2 if a setting is wrong or the service refuses the worker.

    :param tools: functions; default: all functions of the program that have `@tool`
    :param name: of the worker; default: the name of the program's file
    """
    main = sys.modules.get("__main__")
    chosen = tools or (() if main is None else tools_of(vars(main).values()))
    stem = os.path.splitext(os.path.basename(getattr(main, "__file__", None) or "python"))[0]
    try:
        worker = Worker(chosen, name=name or stem, url=url, concurrency=concurrency)
    except (SettingsError, TypeError, ValueError) as error:
        sys.exit(_explain(str(error)))
    serve(worker)


def serve(worker: Worker) -> None:
    """Runs a worker until a signal. The first one lets running calls end, the second one ends at once."""
    if not logging.getLogger().handlers:
        logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr)
    if not worker.tools:
        _log.warning("the worker has no tools to offer")
    with EndSignals() as signals:
        worker.start()
        threading.Thread(target=_watch, args=(worker, signals), daemon=True).start()
        received = signals.wait()
        if received is not None:
            _log.info("%s: the worker takes no more calls, and exits when its running calls have ended", received.name)
            threading.Thread(target=_stop, args=(worker, signals), daemon=True).start()
            received = signals.wait()
            if received is not None:
                os._exit(128 + received)
    try:
        worker.wait(0)
    except Refused as error:
        sys.exit(_explain(f"the service refused the worker ({error.status}): {error.message}{_advice(error.status)}"))


def _watch(worker: Worker, signals: EndSignals) -> None:
    try:
        worker.wait()
    except Refused:
        signals.wake()


def _stop(worker: Worker, signals: EndSignals) -> None:
    try:
        worker.stop()
    finally:
        signals.wake()


def _advice(status: int) -> str:
    if status == 401:
        return "\nTOOLHOST_WORKER_TOKEN must be a token of an entry \"workers\" in the service's toolhost.yaml."
    if status == 404:
        return "\nThe service must have an entry \"workers\" in \"tools\" of its toolhost.yaml."
    return ""


def _explain(message: str) -> int:
    print(message, file=sys.stderr)
    return 2
