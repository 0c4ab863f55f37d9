"""The tool of the benchmark's Python worker: what is measured is the worker around it."""

from toolhost_worker import tool


@tool
def bench_empty() -> None:
    """Does nothing (for the benchmark)."""
