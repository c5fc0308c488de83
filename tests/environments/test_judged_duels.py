"""Duels as judges write them, `model_a,model_b,winner`, and files in other encodings."""

from __future__ import annotations

import pytest

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError

WINS = [[0.0, 2.0, 0.0], [0.0, 0.0, 0.5], [1.0, 0.5, 0.0]]  # gpt beat cat twice, cat ~ owl, owl gpt


@pytest.mark.parametrize(
    "text",
    [
        "model_a,model_b,winner\ngpt,cat,model_a\ncat,gpt,model_b\ncat,owl,tie\ngpt,owl,model_b\n",
        "model_a,model_b,winner\ngpt,cat,A\ncat,gpt,B\ncat,owl,tie (bothbad)\nowl,gpt,a\n",
        "model_a,model_b,winner\ngpt,cat,gpt\ncat,gpt,gpt\ncat,owl,Tie (Both Bad)\nowl,gpt,owl\n",
        "id;winner;left;right;who\n1;left;gpt;cat;x\n2;right;cat;gpt;y\n3;tie;cat;owl;\n4;left;owl;gpt;",
        "First\tSecond\tWinner\ngpt\tcat\tFIRST\ncat\tgpt\tsecond\ncat\towl\tdraw\nowl\tgpt\tfirst\n",
        "model_1,model_2,winner\ngpt,cat,1\ncat,gpt,2\ncat,owl,both\nowl,gpt,model_1\n",
        "a,b,winner\ngpt,cat,a\ncat,gpt,b\ncat,owl,equal\nowl,gpt,a\n",
    ],
)
def test_two_candidates_and_who_won(tmp_path, text):
    file = tmp_path / "judged.csv"
    file.write_text(text)
    past = fb.load_duels(file, arms=["gpt", "cat", "owl"])
    assert past.wins.tolist() == WINS
    assert sorted(fb.load_duels(file).labels) == ["cat", "gpt", "owl"]


def test_an_agent_begins_with_what_a_judge_has_said(tmp_path):
    file = tmp_path / "judged.csv"
    file.write_text("model_a,model_b,winner\n" + "cat,owl,model_b\n" * 20)
    assert fb.Agent("rmed1", arms=["cat", "owl"], history=file).best() == "owl"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "model_a,model_b,winner\nx,y,model_c\n",
            ", line 2, column 3: the winner must be model_a, model_b, tie, or one of 'x' and 'y', "
            "not 'model_c'",
        ),
        ("model_a,model_b,winner\nx,y,\n", ", line 2, column 3: the winner is empty"),
        ("winner,model_a,model_b\nx,,y\n", ", line 2, column 2: the model_a is empty"),
        (
            "model_a,model_b,winner\nx,y\n",
            ", line 2: expected model_a, model_b and winner, found 'x, y'",
        ),
        ("model_a,model_b,winner\n\nx,x,tie\n", ", line 3: 'x' cannot have duelled itself"),
        (
            "model_a,model_b,winner\nB,A,A\n",
            ", line 2, column 3: 'A' stands for more than one outcome (first, second); write "
            "model_a, model_b or tie",
        ),
        (
            "model_a,model_b,verdict\nx,y,A\n",
            ", line 1: the columns must be winner and loser, or model_a, model_b and winner; these "
            "are model_a, model_b, verdict",
        ),
        (
            "question,winner\n1,x\n",
            ", line 1: the columns must be winner and loser, or model_a, model_b and winner; these "
            "are question, winner",
        ),
    ],
)
def test_complaints_name_line_and_column(tmp_path, text, complaint):
    file = tmp_path / "wrong.csv"
    file.write_text(text)
    with pytest.raises(InvalidInputError) as caught:
        fb.load_duels(file)
    assert str(caught.value) == f"{file}{complaint}"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_marks_of_the_encoding_are_understood(tmp_path, encoding):
    file = tmp_path / "names.csv"
    mark = "\ufeff" if encoding == "utf-16-le" else ""
    file.write_bytes(f"{mark}winner,loser\nZo\u00eb,Andr\u00e9\n".encode(encoding))
    assert fb.load_duels(file).labels == ("Zo\u00eb", "Andr\u00e9")


def test_latin_1_gets_a_hint_that_names_the_place(tmp_path):
    file = tmp_path / "names.csv"
    file.write_bytes("winner,loser\nzoe,Andr\u00e9\nand,others\n".encode("latin-1"))
    with pytest.raises(InvalidInputError) as caught:
        fb.load_duels(file)
    assert str(caught.value) == (
        f"{file}, line 2, letter 9: not UTF-8; in the encoding of Windows or Latin-1 it would read "
        "'zoe,Andr\u00e9'. Save the file as UTF-8, for example with: iconv -f CP1252 -t UTF-8 "
        "names.csv > new.csv"
    )


def test_what_is_no_path(tmp_path):
    with pytest.raises(InvalidInputError, match="path must be the path of a file, not 3"):
        fb.load_duels(3)
    with pytest.raises(InvalidInputError, match="path must be the path of a file, not None"):
        fb.load_preferences(None)
