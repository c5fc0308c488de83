"""No damaged number is ever read: files are sealed, checked, set aside, and computed again."""

from __future__ import annotations

import shutil

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_experiment import TASKS, TOML, numbers

from disk import as_nobody, shared_folder, small_disk
from factored_bandits import lab
from factored_bandits.errors import InvalidInputError
from factored_bandits.lab import seal
from factored_bandits.lab.folder import read_folder
from factored_bandits.lab.reading import check_file, read_table
from factored_bandits.lab.tables import FRAMES

SPEC = lab.parse(TOML.format(horizon=100))
ONE = lab.Engine(workers=1)


@pytest.fixture(autouse=True)
def interpreted(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # nothing to compile


@pytest.fixture
def folder(whole, tmp_path):
    """A copy, to be damaged."""
    return shutil.copytree(whole, tmp_path / "out")


def flipped(content: bytes, bit: int) -> bytes:
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@pytest.mark.parametrize(
    ("frame", "step"),
    [("plays", 7), ("results", 59)]
    + [pytest.param(frame, 1, marks=pytest.mark.full) for frame in FRAMES],
)
def test_no_flip_of_any_bit_changes_a_number(whole, tmp_path, frame, step):
    """Those that are not noticed, within the seal itself, are harmless."""
    path = next((whole / frame / "small").glob("*.parquet"))
    content = path.read_bytes()
    expected = read_table(path, frame).to_pandas()  # for which nan is nan
    target = tmp_path / "flipped.parquet"
    unsealed = 0

    for bit in range(0, 8 * len(content), step):
        changed = flipped(content, bit)
        state = seal.check(changed)
        assert state != "intact", bit
        if state == "none":
            unsealed += 1
            target.write_bytes(changed)
            assert read_table(target, frame).to_pandas().equals(expected), bit

    assert unsealed <= 8 * len(seal.BLANK)


def test_a_file_without_a_seal_is_guarded_by_the_checksums_of_its_pages(whole, tmp_path):
    path = next((whole / "results" / "small").glob("*.parquet"))
    content = path.read_bytes().replace(b"sha256=", b"sha257=")
    chunk = pq.ParquetFile(path).metadata.row_group(0).column(5)
    assert chunk.path_in_schema == "regret"
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    target = tmp_path / "changed.parquet"
    end = start + chunk.total_compressed_size
    target.write_bytes(content[: end - 5] + bytes(5) + content[end:])
    with pytest.raises(InvalidInputError, match=r"changed\.parquet' is damaged, .*[Cc][Rr][Cc]"):
        read_table(target, "results")


@pytest.mark.parametrize("cut", [0, 1, 100, -1, -4, -300])
def test_parts_of_a_file_are_refused(whole, tmp_path, cut):
    content = next((whole / "results" / "small").glob("*.parquet")).read_bytes()
    path = tmp_path / "part.parquet"
    path.write_bytes(content[:cut])
    with pytest.raises(InvalidInputError, match=r"part\.parquet' is damaged"):
        check_file(path, "results")


@pytest.mark.parametrize("frame", FRAMES)
def test_a_damaged_file_is_set_aside_and_computed_again(whole, folder, frame):
    store = lab.Store(folder)
    task = lab.make_tasks(SPEC, "quick")[3]
    path = store.path(frame, task)
    broken = flipped(path.read_bytes(), 3_000)
    path.write_bytes(broken)

    with pytest.warns(lab.DamagedFileWarning, match=r"checksum .*; the next run computes it again"):
        found = lab.Results.read(store, SPEC, "quick")
    assert found.missing == 1
    assert len({*zip(found.plays.policy, found.plays.problem, found.plays.repetition)}) == TASKS - 1
    assert path.read_bytes() == broken, "reading moves nothing"

    aside = folder / "damaged" / frame / "small" / path.name
    told = rf"{path.name}' is damaged: .* kept as '{aside}' and computed again"
    with pytest.warns(lab.DamagedFileWarning, match=told):
        [found] = lab.run([SPEC], "quick", folder, ONE, progress=False)
    assert aside.read_bytes() == broken
    undisturbed = lab.Results.read(lab.Store(whole), SPEC, "quick")
    pd.testing.assert_frame_equal(numbers(found.frame), numbers(undisturbed.frame))
    pd.testing.assert_frame_equal(found.plays, undisturbed.plays)
    pd.testing.assert_frame_equal(found.eliminations, undisturbed.eliminations)


def test_a_file_that_is_damaged_twice_is_kept_twice(folder):
    store = lab.Store(folder)
    path = store.path("results", lab.make_tasks(SPEC, "quick")[0])
    for word in (b"first", b"second"):
        path.write_bytes(word)
        with pytest.warns(lab.DamagedFileWarning):
            lab.run([SPEC], "quick", folder, ONE, progress=False)
    kept = {aside.read_bytes() for aside in (folder / "damaged").rglob("*.parquet")}
    assert kept == {b"first", b"second"}


def test_a_missing_detail_makes_its_task_unfinished(folder):
    store = lab.Store(folder)
    task = lab.make_tasks(SPEC, "quick")[0]
    store.path("plays", task).unlink()
    assert not store.has(task)
    [found] = lab.run([SPEC], "quick", folder, ONE, progress=False)
    assert found.missing == 0
    assert store.has(task)


def test_files_from_before_there_were_seals_are_read(whole, folder):
    """And not computed again."""
    for path in folder.rglob("*.parquet"):
        pq.write_table(pq.read_table(path), path, compression="zstd")
    stamps = {path: path.stat().st_mtime_ns for path in folder.rglob("*.parquet")}
    [found] = lab.run([SPEC], "quick", folder, ONE, progress=False)
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*.parquet")} == stamps
    undisturbed = lab.Results.read(lab.Store(whole), SPEC, "quick")
    pd.testing.assert_frame_equal(numbers(found.frame), numbers(undisturbed.frame))


def test_foreign_and_unreadable_files_are_named_and_the_rest_is_read(whole):
    with shared_folder() as root:
        out = shutil.copytree(whole, root / "out")
        for copied in (out, *out.rglob("*")):
            copied.chmod(0o755)
        small = out / "results" / "small"
        pq.write_table(pa.table({"x": [1, 2]}), small / "foreign.parquet")
        half = pq.read_table(next(small.glob("quick-*.parquet"))).drop_columns(["regret"])
        pq.write_table(half.append_column("regret", half["policy"]), small / "texts.parquet")
        (small / "folder.parquet").mkdir()
        (small / "link.parquet").symlink_to("nowhere")
        (small / "empty.parquet").write_bytes(b"")
        (small / "text.parquet").write_text("not Parquet at all, but long enough to look at")
        (small / "secret.parquet").write_bytes(b"")
        (small / "secret.parquet").chmod(0)
        (out / "results" / "closed").mkdir(mode=0)
        (out / "results" / "notes.txt").write_text("")

        with as_nobody():
            found = read_folder(out)

    assert len(found.frame) == TASKS * 10
    expected = {
        f"{out}/results/closed": "cannot be opened: Permission denied",
        f"{small}/empty.parquet": "is damaged, or no Parquet file: Parquet file size is 0 bytes",
        f"{small}/folder.parquet": "cannot be opened: Is a directory",
        f"{small}/foreign.parquet": "is no table of results: it lacks 21 of the columns, such as",
        f"{small}/link.parquet": "cannot be opened: No such file or directory",
        f"{small}/secret.parquet": "cannot be opened: Permission denied",
        f"{small}/text.parquet": "is damaged, or no Parquet file: Parquet magic bytes not found",
        f"{small}/texts.parquet": "is no table of results: it lacks 1 of the columns, such as 'reg",
    }
    for sentence, (path, reason) in zip(sorted(found.left_out), expected.items(), strict=True):
        assert sentence.startswith(f"'{path}' {reason}")


def test_a_foreign_file_under_the_name_of_a_task_is_set_aside(folder):
    path = lab.Store(folder).path("plays", lab.make_tasks(SPEC, "quick")[0])
    pq.write_table(pa.table({"x": [1, 2]}), path)
    with pytest.warns(lab.DamagedFileWarning, match="is no table of plays: it lacks 9 of the col"):
        [found] = lab.run([SPEC], "quick", folder, ONE, progress=False)
    assert found.missing == 0


def test_a_disk_that_is_full_in_the_middle_of_a_run(folder, whole):
    for task in lab.make_tasks(SPEC, "quick")[5:9]:
        lab.Store(folder).path("results", task).unlink()
    with (
        small_disk(4_000),
        pytest.raises(InvalidInputError, match=r"File too large; what is finished is kept, and"),
    ):
        lab.run([SPEC], "quick", folder, ONE, progress=False)
    assert not list(folder.rglob("*.unfinished"))
    [found] = lab.run([SPEC], "quick", folder, ONE, progress=False)
    undisturbed = lab.Results.read(lab.Store(whole), SPEC, "quick")
    pd.testing.assert_frame_equal(numbers(found.frame), numbers(undisturbed.frame))


def test_a_finished_folder_that_may_not_be_written_is_read(whole):
    with shared_folder() as root:
        out = shutil.copytree(whole, root / "out")
        for path in (out, *out.rglob("*")):
            path.chmod(0o555)
        with as_nobody():
            [found] = lab.run([SPEC], "quick", out, ONE, progress=False)
    assert found.missing == 0
