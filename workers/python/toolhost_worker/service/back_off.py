"""The pauses between attempts that fail."""

from __future__ import annotations

import random
import threading

FIRST_PAUSE = 0.1
LONGEST_PAUSE = 5.0
# A service that asks for a longer pause than this is asked again anyway.
LONGEST_ASKED = 30.0


class BackOff:
    """Each pause is up to twice as long as the one before, until an attempt succeeds."""

    def __init__(self) -> None:
        self._failures = 0

    def pause(self, asked: float, ended: threading.Event) -> None:
        """Waits for the next attempt, at least the seconds that the service asked for; ends early if the event is set."""
        longest = min(FIRST_PAUSE * 2 ** min(self._failures, 16), LONGEST_PAUSE)
        self._failures += 1
        # Random, so that the workers of a service that restarts do not come back in step.
        own = longest * (0.5 + random.random() / 2)
        ended.wait(max(own, min(asked, LONGEST_ASKED)))

    def reset(self) -> None:
        """An attempt succeeded: the next pause is the shortest again."""
        self._failures = 0
