"""A file is there as a whole, or as it was before."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from disk import as_nobody, shared_folder, small_disk
from factored_bandits.core.files import draft_of, write_whole


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "rows.csv"
    write_whole(path, b"old")
    with small_disk(1_000), pytest.raises(OSError, match="File too large"):
        write_whole(path, bytes(2_000))
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("rows.csv", b"old")]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_what_goes_wrong_while_writing_leaves_nothing(tmp_path, error):
    def half() -> None:
        with draft_of(tmp_path / "new") as draft:
            draft.write_bytes(b"half")
            raise error

    with pytest.raises(error):
        half()
    assert list(tmp_path.iterdir()) == []


def test_the_draft_is_beside_the_file_and_hidden(tmp_path):
    with draft_of(tmp_path / "new") as draft:
        draft.write_bytes(b"all")
        assert (draft.parent, draft.name[0]) == (tmp_path, ".")
        assert not (tmp_path / "new").exists()
    assert (tmp_path / "new").read_bytes() == b"all"


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "far").mkdir()
    link = tmp_path / "latest.csv"
    link.symlink_to(tmp_path / "far" / "rows.csv")
    write_whole(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "far" / "rows.csv").read_bytes() == b"new"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device /dev/full")
def test_a_device_is_written_and_stays_one(tmp_path):
    link = tmp_path / "full.csv"
    link.symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left on device"):
        write_whole(link, b"content")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


def test_folders_and_places_where_nothing_can_be_written(tmp_path):
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path, b"")
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "nowhere" / "x", b"")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    with pytest.raises(OSError, match="symbolic links"):
        write_whole(tmp_path / "circle" / "x", b"")


def test_permissions_are_kept(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("old")
    path.chmod(0o640)
    write_whole(path, b"new")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", 0o640)


def test_a_read_only_file_is_not_replaced():
    with shared_folder() as folder:
        folder.chmod(0o777)
        path = folder / "rows.csv"
        path.write_text("old")
        path.chmod(0o444)
        with as_nobody(), pytest.raises(PermissionError):
            write_whole(path, b"new")
        assert [one.read_bytes() for one in folder.iterdir()] == [b"old"]


def test_a_read_only_folder():
    with shared_folder() as folder:
        folder.chmod(0o555)
        with as_nobody(), pytest.raises(PermissionError):
            write_whole(folder / "x", b"")
        assert list(folder.iterdir()) == []
