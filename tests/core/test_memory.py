"""What is too large is refused with the number, before anything is allocated."""

from __future__ import annotations

import subprocess
import sys

import pytest

import factored_bandits as fb
from factored_bandits.core import memory
from factored_bandits.errors import InvalidInputError

HUGE = [
    (
        lambda: fb.simulate("dueling_tea", fb.environments.identical_gap(200_000), 1000),
        r"dueling_tea on 200,000 arms needs about 596 GiB of memory, and [\d.]+ .iB are available; "
        r"up to [\d,]+ arms would fit, or a policy that keeps less",
    ),
    (
        lambda: fb.Agent("tea", factors={"ad": range(100_000), "position": range(100_000)}),
        r"tea on 100,000 x 100,000 levels needs about 298 GiB of memory, and .* levels would fit",
    ),
    (
        lambda: fb.simulate("uniform", fb.environments.spiked(3), 1000, repetitions=10**9),
        r"1,000,000,000 repetitions with 100 checkpoints needs about 2.23 TiB of memory, and "
        r"[\d.]+ .iB are available; [\d,]+ repetitions would fit",
    ),
    (
        lambda: fb.environments.spiked(levels=10**8),
        "a problem with 2 factors of 100,000,000 levels (takes|needs about) 11.9 GiB",
    ),
    (
        lambda: fb.environments.make("trap", levels=10**15),
        "a problem with 1,000,000,000,000,000 levels needs about 56.8 PiB of memory",
    ),
    (
        lambda: fb.environments.cyclic(arms=10**6),
        "a preference matrix of 1,000,000 arms needs about 36.4 TiB of memory, .* arms would fit",
    ),
    (
        lambda: fb.environments.generators()["interaction"](levels=2, factors=10**12),
        "factors must be a whole number from 2 to 19, not 1000000000000",
    ),
]


@pytest.mark.parametrize(("ask", "complaint"), HUGE)
def test_sizes_that_cannot_fit_are_refused_with_the_number(ask, complaint):
    with pytest.raises(InvalidInputError, match=complaint):
        ask()


@pytest.mark.parametrize("name", sorted(fb.environments.generators()))
@pytest.mark.parametrize("size", ["levels", "arms", "factors"])
def test_no_generator_builds_what_cannot_fit(name, size):
    import inspect

    make = fb.environments.generators()[name]
    if size in inspect.signature(make).parameters:
        with pytest.raises(InvalidInputError):
            make(**{size: 10**13})


def test_the_limit_of_the_shell_counts():
    """A process that may have 2 GiB refuses 3 GiB, whatever the machine has."""
    code = (
        "import resource\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2 * 2**30, 2 * 2**30))\n"
        "from factored_bandits.core import memory\n"
        "assert memory.available() < 2 * 2**30\n"
        "memory.check('a matrix', 3 * 2**30, fits=lambda free: 'take less')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "InvalidInputError: a matrix needs about 3 GiB of memory, and 1." in done.stderr


def test_what_is_known_of_control_groups(tmp_path, monkeypatch):
    group = tmp_path / "box"
    group.mkdir()
    (group / "memory.max").write_text("max\n")
    (group / "memory.current").write_text("100\n")
    (tmp_path / "memory.max").write_text("1000\n")  # of the parent
    (tmp_path / "memory.current").write_text("300\n")
    monkeypatch.setattr(memory, "GROUPS", [(str(group), "memory.max", "memory.current")])
    assert list(memory._of_groups()) == [700]


def test_where_nothing_is_known_nothing_is_refused(monkeypatch):
    monkeypatch.setattr(memory, "available", lambda: None)
    memory.check("everything", 2**90, fits=lambda free: "")
