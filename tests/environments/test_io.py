"""Past duels from files and lists: every accepted form, and complaints that name file and line."""

from __future__ import annotations

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.environments import count_duels, load_duels
from factored_bandits.errors import InvalidInputError

WINS = [[0.0, 2.0, 0.0], [0.0, 0.0, 0.5], [1.0, 0.5, 0.0]]  # A beat B twice, B and C tied, C beat A


@pytest.mark.parametrize(
    "text",
    [
        "winner,loser,tie\nA,B,\nA,B,0\nB,C,1\nC,A,no\n",
        "A,B\nA,B,\nB,C,yes\nC,A,false\n",
        "Winner;Loser;Tie\r\nA;B;0\r\nA;B;0\r\nB;C;1\r\nC;A;0\r\n",
        "winner\tloser\ttie\nA\tB\t\nA\tB\t\nB\tC\tTRUE\nC\tA\t\n",
        "when,loser,who,winner,tie\n1,B,x,A,0\n2,B,x,A,\n3,C,x,B,tie\n4,A,x,C,\n",
        '\ufeffwinner, loser, tie\n\nA, B, \n A , B ,0\n\n"B","C",1\nC,A\n\n',
    ],
)
def test_files_in_every_form(tmp_path, text):
    file = tmp_path / "past.csv"
    file.write_bytes(text.encode())
    past = load_duels(file)
    assert past.labels == ("A", "B", "C")
    assert past.wins.tolist() == WINS
    assert (
        load_duels(str(file), arms=["C", "B", "A"]).wins.tolist()
        == np.array(WINS)[::-1, ::-1].tolist()
    )


def test_labels_may_hold_separators_and_line_ends(tmp_path):
    file = tmp_path / "past.csv"
    file.write_text('winner,loser\n"Hello, you",plain\n"two\nlines",plain\n')
    past = fb.load_duels(file)
    assert past.labels == ("Hello, you", "plain", "two\nlines")


def test_arms_that_never_duelled_are_there_and_keep_their_type(tmp_path):
    file = tmp_path / "past.csv"
    file.write_text("1,2\n2,1\n")
    past = load_duels(file, arms=[1, 2, 3])
    assert past.labels == (1, 2, 3)
    assert past.wins.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]


def test_lists():
    past = count_duels([("A", "B"), ["A", "B", False], ("B", "C", True), ("C", "A", 0)])
    assert past.labels == ("A", "B", "C")
    assert past.wins.tolist() == WINS
    assert count_duels([], arms=["x", "y"]).wins.tolist() == [[0, 0], [0, 0]]


def test_preferences():
    past = count_duels([("A", "B")] * 3 + [("B", "A")], arms="ABC")
    plain, careful = past.preferences(prior=0), past.preferences()
    assert plain[0].tolist() == [0.5, 0.75, 0.5]
    assert careful[0].tolist() == [0.5, 3.5 / 5, 0.5]
    assert np.array_equal(careful + careful.T, np.ones((3, 3)))
    fb.environments.make("duel_matrix", preferences=careful)
    with pytest.raises(InvalidInputError, match="prior must be a number of duels from 0, not -1"):
        past.preferences(prior=-1)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("winner,loser\nA,B\nA\n", ", line 3: expected a winner and a loser, found 'A'"),
        ("A\n", ", line 1: expected a winner and a loser, found 'A'"),
        ("A,B\n,B\n", ", line 2, column 1: the winner is empty"),
        ("A,B\nA,\n", ", line 2, column 2: the loser is empty"),
        ("A,B\n\nB,B\n", ", line 3: 'B' cannot have duelled itself"),
        (
            "A,B,perhaps\n",
            ", line 1, column 3: the tie must be 1 or 0, yes or no, or empty, not 'perhaps'",
        ),
        ("winner,loser\n", ": no duels"),
        ("", ": no duels"),
    ],
)
def test_complaints_name_file_and_line(tmp_path, text, complaint):
    file = tmp_path / "wrong.csv"
    file.write_text(text)
    with pytest.raises(InvalidInputError) as caught:
        load_duels(file)
    assert str(caught.value) == f"{file}{complaint}"


def test_unknown_arms_get_a_suggestion(tmp_path):
    file = tmp_path / "past.csv"
    file.write_text("winner,loser\nred,blue\nreed,blue\n")
    with pytest.raises(
        InvalidInputError, match=r"past.csv, line 3: no arm named 'reed'; did you mean 'red'"
    ):
        load_duels(file, arms=["red", "blue"])
    with pytest.raises(InvalidInputError, match=r"duel 1: no arm named 'reed'"):
        count_duels([("red", "blue"), ("reed", "blue")], arms=["red", "blue"])


def test_files_that_are_none(tmp_path):
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00")
    for name, complaint in (
        ("none.csv", "no file"),
        ("", "no file"),
        ("binary.csv", "not a text file"),
    ):
        with pytest.raises(InvalidInputError, match=complaint):
            load_duels(tmp_path / name)


@pytest.mark.parametrize("wrong", ["AB", ("A",), ("A", "B", False, 1), 3, (["A"], "B")])
def test_entries_of_a_list_that_are_no_duels(wrong):
    with pytest.raises(InvalidInputError, match="duel 1: "):
        count_duels([("A", "B"), wrong])


def test_arms_that_look_the_same_in_a_file(tmp_path):
    (tmp_path / "past.csv").write_text("1,2\n")
    with pytest.raises(InvalidInputError, match="two arms look the same in a file"):
        load_duels(tmp_path / "past.csv", arms=[1, "1", 2])
