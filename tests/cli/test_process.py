"""Real processes: an output that is full, closed or not read, and Ctrl-C while it starts."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

COMMAND = f"{sys.executable} -m factored_bandits.cli"
RUN = "compare rank1 --levels 3 --horizon 100 --repetitions 2 --policies uniform --quiet"
INTERPRETED = {**os.environ, "NUMBA_DISABLE_JIT": "1"}  # nothing to compile: these are quick


def shell(line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, env=INTERPRETED, timeout=60
    )


full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has /dev/full")


@full
@pytest.mark.parametrize("command", ["policies", "policies --json", "--help", RUN])
def test_a_full_disk_is_one_sentence(command):
    done = shell(f"{COMMAND} {command} > /dev/full")
    assert done.returncode == 1
    assert done.stderr == "Error: the output cannot be written: No space left on device\n"


@pytest.mark.parametrize("command", ["environments", "version", RUN])
def test_a_closed_output_is_one_sentence(command):
    done = shell(f"{COMMAND} {command} >&-")
    assert done.returncode == 1
    assert done.stderr == (
        "Error: standard output is closed; to throw the output away, use > /dev/null\n"
    )


@pytest.mark.parametrize("command", ["version", "environments", "compare rank1 --help"])
def test_nobody_reads_to_the_end(command):
    done = shell(f"{COMMAND} {command} | head -1")
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


@full
def test_nowhere_to_complain_to():
    assert shell(f"{COMMAND} policies > /dev/full 2>&-").returncode == 1
    assert shell(f"{COMMAND} policies > /dev/full 2> /dev/full").returncode == 1
    assert shell(f"{COMMAND} {RUN} 2>&-").returncode == 0


# Ctrl-C when the import of a module begins: the moments of the first fraction of a second.
INTERRUPTED_IMPORT = """
import os, signal, sys
class Finder:
    def find_spec(name, path=None, target=None):
        if name == {module!r}:
            sys.meta_path.remove(Finder)
            os.kill(os.getpid(), signal.SIGINT)
from factored_bandits.cli import main
sys.meta_path.insert(0, Finder)
sys.argv = ["factored-bandits", *{arguments!r}]
sys.exit(main())
"""


@pytest.mark.parametrize(
    "module",
    [
        "factored_bandits.cli.process",
        "factored_bandits.cli.app",
        "click",
        "numpy",
        "numpy.linalg",
        "factored_bandits.simulation.compare",
        "factored_bandits.policies.factored.uniform",
    ],
)
def test_ctrl_c_while_it_starts(module):
    code = INTERRUPTED_IMPORT.format(module=module, arguments=RUN.split())
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=INTERPRETED, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


def test_ctrl_c_where_python_must_ignore_it():
    """In a destructor Python prints the error and goes on; here it is heard."""
    code = (
        "import os, signal, sys, time\n"
        "from factored_bandits.cli import process\n"
        "class Dying:\n"
        "    def __del__(self):\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        [None for _ in range(10)]\n"
        "def app():\n"
        "    Dying()\n"
        "    time.sleep(20)\n"
        "    return 0\n"
        "process._run_app = app\n"
        "sys.exit(process.run())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (130, "interrupted\n")


def test_ctrl_c_stays_ignored_in_the_background():
    code = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from factored_bandits.cli import process\n"
        "process._run_app = lambda: os.kill(os.getpid(), signal.SIGINT) or 7\n"
        "sys.exit(process.run())\n"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 7


def test_memory_that_the_system_refuses_is_one_sentence():
    code = (
        "import sys\n"
        "from factored_bandits.cli import process\n"
        "def app():\n"
        "    import numpy\n"
        "    numpy.ones(2**55)\n"
        "process._run_app = app\n"
        "sys.exit(process.run())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr.startswith("Error: not enough memory: Unable to allocate 256. PiB")
    assert done.stderr.endswith("use fewer levels, arms, repetitions or workers\n")
