"""`python3 -m toolhost_worker module[:name]`: offers the tools of a module."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
import sys
from types import ModuleType
from typing import Any, Iterable, List, NoReturn, Optional

from .errors import SettingsError
from .program import serve
from .tools import as_tool, tools_of
from .worker import DEFAULT_CONCURRENCY, Worker


def main(arguments: Optional[List[str]] = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python3 -m toolhost_worker",
        description="Takes the functions of a module that are marked with @tool, and offers them as tools of a Toolhost service.",
        epilog="TOOLHOST_URL: the service (default: http://127.0.0.1:8080). TOOLHOST_WORKER_TOKEN: a token of its workers. "
        "The token has no option, because other users of a machine can read command lines.",
    )
    parser.add_argument("module", help="a module or a file; add :name to choose one function, list of functions or Worker in it")
    parser.add_argument("--name", help="the name of the worker, which is the source of its tools (default: the module's)")
    parser.add_argument("--url", help="the URL of the service, instead of TOOLHOST_URL")
    parser.add_argument("--concurrency", type=int, help=f"how many calls run at once (default: {DEFAULT_CONCURRENCY})")
    parser.add_argument("--list", action="store_true", help="print the declarations of the tools, and exit")
    options = parser.parse_args(arguments)
    try:
        module = _load(options.module)
    except SettingsError as error:
        # Any other error is of the module: its author needs the traceback.
        _refuse(error)
    try:
        chosen = _choose(module, options.module)
        if options.list:
            tools = chosen.tools.values() if isinstance(chosen, Worker) else map(as_tool, chosen)
            print(json.dumps([each.registration() for each in tools], indent=2, ensure_ascii=False))
            return
        if isinstance(chosen, Worker):
            _refuse_settings(options)
        else:
            name = options.name or module.__name__.rpartition(".")[2]
            concurrency = DEFAULT_CONCURRENCY if options.concurrency is None else options.concurrency
            chosen = Worker(chosen, name=name, url=options.url, concurrency=concurrency)
    except (SettingsError, TypeError, ValueError) as error:
        _refuse(error)
    serve(chosen)


def _refuse(error: Exception) -> NoReturn:
    print(error, file=sys.stderr)
    sys.exit(2)


def _refuse_settings(options: argparse.Namespace) -> None:
    for name in ("name", "url", "concurrency"):
        if getattr(options, name) is not None:
            raise SettingsError(f"--{name} cannot change a Worker of the module, because the Worker has its own settings")


def _load(target: str) -> ModuleType:
    path = target.partition(":")[0] if not os.path.exists(target) else target
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)) if path.endswith(".py") else os.getcwd())
    if path.endswith(".py"):
        path = os.path.splitext(os.path.basename(path))[0]
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError as error:
        if error.name is not None and (path == error.name or path.startswith(error.name + ".")):
            raise SettingsError(f"there is no module {path}") from None
        raise


def _choose(module: ModuleType, target: str) -> Any:
    """:returns: a Worker, or what `Worker` takes as tools"""
    name = target.partition(":")[2]
    if not name:
        return tools_of(vars(module).values())
    if not hasattr(module, name):
        raise SettingsError(f"the module {module.__name__} has no {name}")
    value = getattr(module, name)
    return value if isinstance(value, (Worker, Iterable)) else [value]


if __name__ == "__main__":
    main()
