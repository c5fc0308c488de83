"""The cache of compiled loops: nowhere to write, damaged files, no space left.

Each case is a process of its own with a tiny loop, because a policy takes seconds to compile.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import factored_bandits as fb

SOURCE = Path(fb.__file__).parents[1]

LOOP = """
from factored_bandits.core.kernel import kernel

@kernel
def step(x):
    return x + 1

@kernel
def run(x):
    return 2 * step(x)
"""

# Binds and calls the loop anew, and says whether it was compiled or loaded.
BIND = """
import json, pathlib, resource, sys, warnings
from factored_bandits.core import kernel
import tiny

said = []
def note(message, category, *where):
    said.append([category.__name__, str(message)])
warnings.showwarning = note

def again(label="tiny"):
    kernel._BOUND.clear()
    answer = kernel.bind(tiny.run, label)(20)
    [bound] = kernel._BOUND.values()
    return [answer, sum(bound.stats.cache_hits.values())]
"""


def process(folder: Path, code: str, before: tuple[str, ...] = (), **variables: str) -> dict:
    """What `code`, after BIND, prints as JSON; nothing else may be printed."""
    (folder / "tiny.py").write_text(LOOP)
    known = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA", "XDG"))}
    path = f"{folder}{os.pathsep}{SOURCE}"
    done = subprocess.run(
        [*before, sys.executable, "-c", BIND + code],
        env={**known, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_with_nowhere_to_write_loops_are_compiled_and_it_is_said_once(tmp_path):
    """A file where the folder of the cache would be: nobody can write there, not even root."""
    (tmp_path / "__pycache__").write_text("")
    found = process(
        tmp_path,
        "print(json.dumps({'runs': [again('one'), again('two')], 'said': said}))",
        HOME=os.devnull,
    )
    assert found["runs"] == [[42, 0], [42, 0]]
    [[category, message]] = found["said"]
    assert category == "CacheWarning"
    assert message == (
        "compiled loops cannot be kept on disk (neither the package's folder nor the user's cache "
        "folder can be written), so every process compiles them again, some seconds per policy; "
        "NUMBA_CACHE_DIR names another folder"
    )


def test_without_a_home_no_folder_named_tilde_appears(tmp_path, monkeypatch):
    """A user without HOME and without an entry in passwd has the home "~", as here."""
    (tmp_path / "__pycache__").write_text("")
    current = tmp_path / "current"
    current.mkdir()
    monkeypatch.chdir(current)
    found = process(tmp_path, "print(json.dumps([again(), len(said)]))", HOME="~")
    assert found == [[42, 0], 1]
    assert list(current.iterdir()) == []


DAMAGE = """
def flipped(content):
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]

damages = {
    "empty": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
    "bit": flipped,
}
cache = pathlib.Path(tiny.__file__).parent / "__pycache__"
found = {}
for ending in ("nbi", "nbc"):
    for name, damage in damages.items():
        for old in cache.glob("*.nb?"):
            old.unlink()
        again()
        [file] = cache.glob(f"*.{ending}")
        file.write_bytes(damage(file.read_bytes()))
        found[f"{ending} {name}"] = [again(), again()]
print(json.dumps({"found": found, "said": said}))
"""


def test_damaged_files_are_compiled_anew_and_repaired(tmp_path):
    """A changed bit in the machine code would otherwise be run."""
    found = process(tmp_path, DAMAGE)
    assert len(found["found"]) == 6
    for damage, runs in found["found"].items():
        assert runs == [[42, 0], [42, 1]], damage
    assert found["said"] == []


FULL = """
print(json.dumps({"runs": [again(), again("other")], "said": said}))
"""


def test_no_space_for_the_cache_is_no_error(tmp_path):
    """Files may not grow beyond 100 bytes: writing fails as it does on a full disk."""
    code = f"resource.setrlimit(resource.RLIMIT_FSIZE, (100, {resource.RLIM_INFINITY}))" + FULL
    found = process(tmp_path, code)
    assert found["runs"] == [[42, 0], [42, 0]]
    [[category, message]] = found["said"]
    assert category == "CacheWarning"
    assert "cannot be kept on disk (File too large)" in message
    assert list((tmp_path / "__pycache__").iterdir()) == []


@pytest.mark.full
def test_a_full_disk_is_no_error(tmp_path):
    cache = tmp_path / "cache"
    cache.mkdir()
    mount = f"mount -t tmpfs -o size=4k tmpfs {cache}"
    unshare = shutil.which("unshare")
    can = unshare and subprocess.run(
        [unshare, "-m", "sh", "-c", mount], capture_output=True, check=False
    )
    if not can or can.returncode:
        pytest.skip("only root can mount a disk of four kilobytes")

    found = process(
        tmp_path,
        FULL,
        before=(unshare, "-m", "sh", "-c", f'{mount} && exec "$0" "$@"'),
        NUMBA_CACHE_DIR=str(cache),
    )
    assert found["runs"] == [[42, 0], [42, 0]]
    [[_, message]] = found["said"]
    assert "No space left on device" in message


@pytest.mark.full
def test_the_command_says_it_in_one_line(tmp_path):
    package = tmp_path / "factored_bandits"
    shutil.copytree(SOURCE / "factored_bandits", package, ignore=shutil.ignore_patterns("__pyc*"))
    (package / "core" / "__pycache__").write_text("")
    command = "-m factored_bandits.cli simulate rank1 --levels 2 --policy uniform --horizon 3e6"
    known = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA", "XDG"))}
    done = subprocess.run(
        [sys.executable, *command.split(), "--repetitions", "1", "--quiet"],
        env={**known, "PYTHONPATH": str(tmp_path), "HOME": os.devnull},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "uniform" in done.stdout
    [line] = done.stderr.splitlines()
    assert line.startswith("warning: compiled loops cannot be kept on disk (neither")


def test_loops_that_nobody_used_for_long_are_forgotten(tmp_path):
    from factored_bandits.core.cache import forget_oldest

    for age, name in enumerate(["newest", "used_again", "old", "older"]):
        for file in (f"loop.{name}-1.py311.nbi", f"loop.{name}-1.py311.1.nbc"):
            (tmp_path / file).write_bytes(bytes(100))
            os.utime(tmp_path / file, (10_000 - age, 10_000 - age))
    (tmp_path / "other.cpython-311.pyc").write_bytes(bytes(1000))

    forget_oldest(str(tmp_path), most_bytes=450)
    left = sorted(path.name.partition("-")[0] for path in tmp_path.glob("*.nbi"))
    assert left == ["loop.newest", "loop.used_again"]
    assert len(list(tmp_path.iterdir())) == 5  # the code went with its index, the rest stayed
