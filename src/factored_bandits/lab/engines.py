"""Who runs the tasks: processes on this machine, a Dask cluster, or Ray.

The results are the same to the bit, whoever runs them.
"""

from __future__ import annotations

import importlib
import io
import itertools
import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from factored_bandits.core.checks import integer
from factored_bandits.errors import FactoredBanditsError, InvalidInputError, MissingExtraError
from factored_bandits.simulation.compilers import packed, read_packed
from factored_bandits.simulation.runner import Runner
from factored_bandits.simulation.warming import compile_here, warm_up

from .spec import PresetName
from .worker import work, work_alone

EngineName = Literal["processes", "dask", "ray"]
Tables = dict[str, bytes]
Arguments = tuple[str, PresetName, str, str]  # the arguments of `work`
AHEAD = 3  # tasks handed out per worker


@dataclass(frozen=True)
class Engine:
    """How tasks are run.

    Parameters
    ----------
    name
        `"processes"` on this machine, a `"dask"` cluster, or `"ray"`.
    workers
        Processes on this machine; None for one per core.
    scheduler
        The address of the Dask scheduler, such as `"tcp://10.0.0.1:8786"`.

    Examples
    --------
    >>> Engine(workers=1).name
    'processes'
    """

    name: EngineName = "processes"
    workers: int | None = None
    scheduler: str | None = None

    def run(self, tasks: Iterable[Arguments]) -> Iterator[tuple[str, Tables]]:
        """The names and results of the tasks, as they are finished; they are taken one by one.

        Parameters
        ----------
        tasks
            The arguments of `work` for each task.

        Returns
        -------
        iterator of (str, dict)
            The name of a task and its tables.

        Raises
        ------
        InvalidInputError
            If the settings do not go together, or no scheduler answers.
        FactoredBanditsError
            If a worker was killed.
        """
        self.check()
        engines = {"processes": self._processes, "dask": self._dask, "ray": self._ray}
        return engines[self.name](tasks)

    def warm(self, runners: Sequence[Runner], progress: bool = True) -> None:
        """Compile loops before tasks need them: once per machine, and not once per worker.

        Parameters
        ----------
        runners
            Policies on problems, whose loops the tasks will need.
        progress
            Whether progress is shown, where it can be seen from here.

        Raises
        ------
        InvalidInputError
            If no scheduler answers.
        """
        if self.name == "processes":
            # What the only worker compiles itself, it need not load, and its loops share kernels.
            (compile_here if self.workers == 1 else warm_up)(runners, progress)
        elif self.name == "dask" and runners:
            message = packed(runners)
            with self._client() as client:
                # One worker of each machine; what cannot be compiled there, tasks will say.
                one_each = {address.rpartition(":")[0]: address for address in client.ncores()}
                client.gather(
                    [
                        client.submit(warm_here, message, workers=[address], pure=False)
                        for address in one_each.values()
                    ]
                )

    def check(self) -> None:
        """Refuse settings that do not go together.

        Raises
        ------
        InvalidInputError
            If they do not.
        """
        if self.workers is not None:
            integer("workers", self.workers, low=1)
        if self.name != "dask" and self.scheduler is not None:
            raise InvalidInputError(f"a scheduler is for the engine dask, not for {self.name}")
        if self.name == "dask" and self.scheduler is None:
            raise InvalidInputError(
                "the engine dask needs the address of its scheduler, such as tcp://10.0.0.1:8786"
            )

    def _processes(self, tasks: Iterable[Arguments]) -> Iterator[tuple[str, Tables]]:
        joblib = _joblib()
        workers = self.workers or os.cpu_count() or 1

        if workers == 1:
            yield from ((task[0], work(*task)) for task in tasks)
            return

        # compiling makes a worker grow; joblib then starts a fresh one, and says so
        warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
        jobs = (joblib.delayed(_named_alone)(task, os.getpid()) for task in tasks)
        # tasks are handed out early, so that no worker waits; not too early, so that the results of
        # other runs are seen
        parallel = joblib.Parallel(
            workers,
            backend="loky",
            return_as="generator_unordered",
            batch_size=1,
            pre_dispatch=f"{workers} + 1",
        )
        terminated = importlib.import_module(
            "joblib.externals.loky.process_executor"
        ).TerminatedWorkerError

        try:
            yield from parallel(jobs)
        except terminated:
            raise FactoredBanditsError(
                "a worker was killed, perhaps for want of memory; what is finished is kept, and "
                "the next run goes on from there, with fewer workers if it happens again"
            ) from None

    def _dask(self, tasks: Iterable[Arguments]) -> Iterator[tuple[str, Tables]]:
        joblib = _joblib()
        distributed = _distributed()
        with self._client() as client, joblib.parallel_config("dask", client=client):
            cores = sum(client.ncores().values()) or 1
            parallel = joblib.Parallel(
                return_as="generator_unordered", batch_size=1, pre_dispatch=AHEAD * cores
            )
            try:
                yield from parallel(joblib.delayed(_named)(task) for task in tasks)
            except distributed.KilledWorker as error:
                raise FactoredBanditsError(
                    f"workers keep dying: {error}; what is finished is kept"
                ) from None

    def _client(self) -> Any:
        """A connexion to the scheduler of Dask."""
        try:
            return _distributed().Client(self.scheduler, set_as_default=False, timeout="20s")
        except (OSError, ValueError, TimeoutError) as error:
            raise InvalidInputError(
                f"no Dask scheduler answers at {self.scheduler}: {error}"
            ) from None

    def _ray(self, tasks: Iterable[Arguments]) -> Iterator[tuple[str, Tables]]:
        joblib = _joblib()
        try:
            from ray.util.joblib import register_ray
        except ImportError:
            raise MissingExtraError.of("ray", "ray", "the engine ray") from None

        register_ray()
        with joblib.parallel_config("ray"):
            workers = self.workers or joblib.effective_n_jobs(-1)
            waiting = iter(tasks)
            # its back end gives lists only
            while some := list(itertools.islice(waiting, AHEAD * workers)):
                yield from joblib.Parallel(workers, batch_size=1)(
                    joblib.delayed(_named)(task) for task in some
                )


def warm_here(message: bytes) -> None:
    """Compile on this machine what another one has packed."""
    warm_up(read_packed(io.BytesIO(message)), progress=False)


def _named(task: Arguments) -> tuple[str, Tables]:
    return task[0], work(*task)


def _named_alone(task: Arguments, parent: int) -> tuple[str, Tables]:
    return task[0], work_alone(*task, parent)


def _distributed() -> Any:
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise MissingExtraError.of("distributed", "dask", "the engine dask") from None


def _joblib() -> Any:
    try:
        import joblib
    except ImportError:
        raise MissingExtraError.of("joblib", "lab", "the laboratory") from None
    return joblib
