"""`factored-bandits warm`: loops are compiled ahead, kept, and found again."""

import os
import subprocess
import sys

import pytest

from factored_bandits.core.kernel import compiles

pytestmark = pytest.mark.skipif(not compiles(), reason="nothing is compiled here")


def warm(folder, *arguments, **variables):
    return subprocess.run(
        [sys.executable, "-m", "factored_bandits.cli", "warm", "--quiet", *arguments],
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder), **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_loops_are_kept_and_not_compiled_again(tmp_path):
    """Uniform play has two: for two factors, and for any number of them."""
    done = warm(tmp_path, "uniform", "dueling_uniform")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "3 loops compiled, 0 were there already\n"
    assert len(list(tmp_path.glob("*/*.nbi"))) == 3

    done = warm(tmp_path, "uniform", "dueling_uniform")
    assert done.stdout == "0 loops compiled, 3 were there already\n"


def test_an_unknown_policy_is_a_sentence(tmp_path):
    done = warm(tmp_path, "unifrom")
    assert done.returncode == 2
    assert "uniform" in done.stderr
    assert "Traceback" not in done.stderr


def test_where_nothing_is_compiled_it_says_so(tmp_path):
    done = warm(tmp_path, "uniform", NUMBA_DISABLE_JIT="1")
    assert done.returncode == 2
    assert "NUMBA_DISABLE_JIT" in done.stderr
