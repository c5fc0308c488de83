"""Requests that wait, by experiment; writers take them in batches."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable

from .requests import Request

MOST = 256  # requests in a batch


class Queue:
    """Requests of many experiments, first come first served, no experiment starved.

    Parameters
    ----------
    together
        Whether a writer takes requests of all experiments at once, or of one.
    """

    def __init__(self, together: bool) -> None:
        self._together = together
        self._waiting: dict[int, deque[Request]] = {}
        self._taken: set[int] = set()  # experiments that a writer is busy with
        self._changed = threading.Condition()
        self._closed = False
        self._away = False

    def put(self, requests: Iterable[tuple[int, Request]]) -> list[Request]:
        """Let requests wait; gives back those that are turned away. An error if it is closed."""
        turned_away = []
        changed = set()
        with self._changed:
            if self._closed:
                raise RuntimeError("closed")
            for experiment, request in requests:
                if self._away and not request.patient:
                    turned_away.append(request)
                else:
                    if experiment not in self._waiting:
                        self._waiting[experiment] = deque()
                    self._waiting[experiment].append(request)
                    changed.add(experiment)
            # one that a writer is busy with is looked at again when it is done
            self._changed.notify(len(changed - self._taken))
        return turned_away

    def put_back(self, experiment: int, requests: Iterable[Request]) -> None:
        """Let requests that were taken wait again, before all others."""
        with self._changed:
            waiting = self._waiting.setdefault(experiment, deque())
            waiting.extendleft(reversed(list(requests)))
            self._changed.notify()

    def take(self, timeout: float | None, due: Iterable[int] = ()) -> dict[int, list[Request]]:
        """Requests by experiment, as soon as there are any; none after the time or when closed.

        An experiment in `due` is taken even if nothing waits for it.
        """
        with self._changed:
            ready = self._ready(due)
            if not ready and timeout != 0.0 and not self._closed:
                self._changed.wait(timeout)
                ready = self._ready(due)
            batch = {number: self._taken_from(number, len(ready)) for number in ready}
            self._taken |= set(batch)
            return batch

    def take_more(
        self, experiment: int, most: int, kinds: tuple[type[Request], ...] = (Request,)
    ) -> list[Request]:
        """What waits for an experiment, for the one who has it; until one is of another kind."""
        with self._changed:
            waiting = self._waiting.get(experiment, deque())
            taken: list[Request] = []
            while waiting and len(taken) < most and isinstance(waiting[0], kinds):
                taken.append(waiting.popleft())
            if taken and not waiting:
                del self._waiting[experiment]
            return taken

    def take_some(
        self, experiment: int, few: int, kinds: tuple[type[Request], ...]
    ) -> list[Request]:
        """The same, but a few of those that wait, or half of them if that is more."""
        with self._changed:
            half = len(self._waiting.get(experiment, ())) // 2
            return self.take_more(experiment, min(max(few, half), MOST), kinds)

    def _ready(self, due: Iterable[int]) -> list[int]:
        free = [n for n in self._waiting if n not in self._taken]
        free += [n for n in due if n not in self._waiting and n not in self._taken]
        return free if self._together else free[:1]

    def _taken_from(self, experiment: int, experiments: int) -> list[Request]:
        waiting = self._waiting.pop(experiment, deque())
        most = max(MOST // experiments, 1)
        taken = [waiting.popleft() for _ in range(min(len(waiting), most))]
        if waiting:
            self._waiting[experiment] = waiting  # behind the others now
        return taken

    def done(self, experiments: Iterable[int]) -> None:
        """Let writers have these experiments again; the one who had them looks by itself."""
        with self._changed:
            self._taken -= set(experiments)
            if not self._together:
                self._changed.notify(max(len(self._waiting.keys() - self._taken) - 1, 0))

    def reserve(self, experiment: int) -> bool:
        """Keep all writers from an experiment, if none has it and nothing waits for it."""
        with self._changed:
            free = experiment not in self._taken and experiment not in self._waiting
            if not free or self._closed or self._away:
                return False
            self._taken.add(experiment)
            return True

    def release(self, experiment: int) -> None:
        """Let writers have an experiment again that was reserved."""
        with self._changed:
            self._taken.discard(experiment)
            if experiment in self._waiting:
                self._changed.notify()

    def turn_away(self) -> list[Request]:
        """From now on take no requests that are not patient; gives back those that wait."""
        with self._changed:
            self._away = True
            found = [each for waiting in self._waiting.values() for each in waiting]
            kept = {
                number: deque(each for each in waiting if each.patient)
                for number, waiting in self._waiting.items()
            }
            self._waiting = {number: waiting for number, waiting in kept.items() if waiting}
            return [each for each in found if not each.patient]

    def welcome(self) -> None:
        """Take all requests again."""
        with self._changed:
            self._away = False

    def wake(self) -> None:
        """Let a writer look at the clock."""
        with self._changed:
            self._changed.notify_all()

    def close(self) -> None:
        """Take nothing more; what waits is still done."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    @property
    def is_over(self) -> bool:
        """Whether it is closed and empty."""
        return self._closed and not self._waiting
