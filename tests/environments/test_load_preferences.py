"""Preference matrices from files: every accepted form, and complaints that name file, line and
entry.
"""

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError

THREE = np.array([[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]])
ROWS = ".5 .6 .7\n.4 .5 .6\n.3 .4 .5\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plain.txt", ROWS),
        ("counted.txt", "3\n" + ROWS),
        (
            "commented.txt",
            "# who beats whom\n\n3  # arms\n# rows\n.5 .6 .7 # first\n\n.4 .5 .6\n.3 .4 .5",
        ),
        ("tabs.dat", ROWS.replace(" ", "\t")),
        ("comma.csv", "0.5,0.6,0.7\n0.4,0.5,0.6\n0.3,0.4,0.5\n"),
        ("spaced.csv", "0.5, 0.6, 0.7\n0.4, 0.5, 0.6\n0.3, 0.4, 0.5\n"),
        ("trailing.csv", "0.5,0.6,0.7,\n0.4,0.5,0.6,\n0.3,0.4,0.5,\n"),
        ("semicolon.csv", "0.5;0.6;0.7\r\n0.4;0.5;0.6\r\n0.3;0.4;0.5\r\n"),
        ("counted.csv", "3\n0.5,0.6,0.7\n0.4,0.5,0.6\n0.3,0.4,0.5\n"),
        ("marked.csv", "\ufeff0.5,0.6,0.7\n0.4,0.5,0.6\n0.3,0.4,0.5\n"),
    ],
)
def test_text_in_every_form(tmp_path, name, text):
    file = tmp_path / name
    file.write_bytes(text.encode())
    assert np.array_equal(fb.load_preferences(file), THREE)
    assert np.array_equal(fb.load_preferences(str(file)), THREE)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, ">f8"])
def test_npy(tmp_path, dtype):
    np.save(tmp_path / "three.npy", np.array([[0.5, 0.75], [0.25, 0.5]], dtype=dtype))
    matrix = fb.load_preferences(tmp_path / "three.npy")
    assert matrix.dtype == np.float64
    assert matrix.tolist() == [[0.5, 0.75], [0.25, 0.5]]


def test_what_is_loaded_makes_a_problem(tmp_path):
    (tmp_path / "three.txt").write_text(ROWS)
    problem = fb.environments.make(
        "duel_matrix", preferences=fb.load_preferences(tmp_path / "three.txt")
    )
    assert problem.best == (0, 0)
    assert problem.mean([1, 2]) == 0.6


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (".5 .6 .7\n.4 .5\n.3 .4 .5\n", ", line 2: 2 numbers where the rows before have 3"),
        ("# K\n4\n" + ROWS, ": the first line announces 4 arms, 3 rows follow"),
        (".5 .6 .7\n# fine\n.4 five .6\n", ", line 3, column 2: expected a number, found 'five'"),
        ("a,b\n0.5,0.6\n0.4,0.5\n", ", line 1, column 1: expected a number, found 'a'"),
        ("0.5,,0.7\n", ", line 1, column 2: expected a number, found nothing"),
        (".5 .6 .7\n.4 .5 .6\n", ": preferences must be a square matrix, not of shape (2, 3)"),
        (".5 1.6\n-.6 .5\n", ": preferences[0][1] = 1.6 is not a probability between 0 and 1"),
        (".5 nan\n.4 .5\n", ": preferences[0][1] = nan is not a probability between 0 and 1"),
        (".5 .6\n.4 .4\n", ": preferences[1][1] = 0.4; an arm against itself must be 0.5"),
        (
            ".5 .6 .7\n.4 .5 .6\n.31 .4 .5\n",
            ": preferences[0][2] + preferences[2][0] = 0.7 + 0.31 = 1.01; the two must add up to 1",
        ),
        ("0.5 0.6\n", ": preferences must be a square matrix, not of shape (1, 2)"),
        ("1\n0.5\n", ": preferences needs at least two arms"),
        ("# nothing\n\n", ": no rows of numbers"),
        ("3\n", ": no rows of numbers"),
        ("", ": no rows of numbers"),
    ],
)
def test_complaints_name_file_line_and_entry(tmp_path, text, complaint):
    file = tmp_path / "wrong.txt"
    file.write_text(text)
    with pytest.raises(InvalidInputError) as caught:
        fb.load_preferences(file)
    assert str(caught.value) == f"{file}{complaint}"


def test_a_missing_file_or_a_folder_is_named(tmp_path):
    for path in (tmp_path / "none.txt", tmp_path):
        with pytest.raises(InvalidInputError) as caught:
            fb.load_preferences(path)
        assert str(caught.value) == f"no file {path}"


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("text.npy", b"0.5 0.6\n0.4 0.5\n", "not an array that NumPy has saved"),
        ("empty.npy", b"", "not an array that NumPy has saved"),
        (
            "binary.txt",
            b"\x93NUMPY\x01\x00\xff\xfe",
            "not a text file (a NumPy array must be named .npy)",
        ),
    ],
)
def test_a_file_of_the_wrong_kind_is_named(tmp_path, name, content, complaint):
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(InvalidInputError) as caught:
        fb.load_preferences(file)
    assert str(caught.value) == f"{file}: {complaint}"


def test_arrays_that_are_not_numbers_are_refused(tmp_path):
    np.save(tmp_path / "words.npy", np.array([["a", "b"], ["c", "d"]]))
    np.save(tmp_path / "objects.npy", np.array([{}, {}]), allow_pickle=True)
    np.save(tmp_path / "cube.npy", np.zeros((2, 2, 2)))
    for name, complaint in [
        ("words", "not an array of numbers"),
        ("objects", "not an array of numbers"),
        ("cube", "preferences must be a square matrix, not of shape (2, 2, 2)"),
    ]:
        with pytest.raises(InvalidInputError) as caught:
            fb.load_preferences(tmp_path / f"{name}.npy")
        assert str(caught.value) == f"{tmp_path / name}.npy: {complaint}"


def test_a_header_that_claims_more_than_there_is(tmp_path):
    file = tmp_path / "claims.npy"
    with file.open("wb") as open_file:
        header = {"descr": "<f8", "fortran_order": False, "shape": (300_000, 300_000)}
        np.lib.format.write_array_header_1_0(open_file, header)
    with pytest.raises(InvalidInputError) as caught:
        fb.load_preferences(file)
    said = str(caught.value)
    assert said.startswith(
        f"{file}: an array of 300,000 x 300,000 numbers needs about 3.27 TiB of memory, and "
    )
    assert said.endswith(" numbers would fit")


def test_a_file_that_is_cut_off(tmp_path):
    file = tmp_path / "half.npy"
    np.save(file, THREE)
    file.write_bytes(file.read_bytes()[:-8])
    with pytest.raises(InvalidInputError) as caught:
        fb.load_preferences(file)
    assert str(caught.value) == (
        f"{file}: the file is cut off; an array of 3 x 3 numbers takes 72 bytes, and 64 bytes are "
        "there"
    )


def test_matrices_in_other_encodings(tmp_path):
    (tmp_path / "wide.txt").write_bytes(ROWS.encode("utf-16"))
    assert np.array_equal(fb.load_preferences(tmp_path / "wide.txt"), THREE)
