"""What a study can be made of: tables, texts, Markdown and images, and what is said of bad ones."""

from __future__ import annotations

import io
import re

import pytest

pytest.importorskip("starlette", reason="the extra [serve] is not installed")
from factored_bandits.errors import ExperimentError, InvalidInputError, UnknownNameError
from factored_bandits.service.arena import tables
from factored_bandits.service.arena.making import create, draft_of_images, draft_of_texts
from factored_bandits.service.arena.reading import draft_of_table
from factored_bandits.service.arena.study import Rules, checked_rules, drafted
from factored_bandits.service.store import SqliteStore

RULES = Rules("Answers")


def test_a_table_of_items_and_candidates():
    csv = 'item,first model,second model\r\n"2 + 2?","4","five,\nI think"\r\n3 + 3?,6,7\r\n'
    draft = draft_of_table(RULES, "a.csv", b"\xef\xbb\xbf" + csv.encode())
    assert draft.names == ("first model", "second model")
    assert draft.prompts == ("2 + 2?", "3 + 3?")
    assert draft.contents == ((b"4", b"five,\nI think"), (b"6", b"7"))
    lines = '{"item": "2 + 2?", "B": "5", "A": "4"}\n\n{"A": "6", "B": "7", "item": "3 + 3?"}\n'
    draft = draft_of_table(RULES, "a.jsonl", lines.encode())
    assert draft.names == ("B", "A")
    assert draft.contents == ((b"5", b"4"), (b"7", b"6"))


def test_a_table_of_candidates_alone():
    draft = draft_of_table(RULES, "a.csv", "candidate,text\nA,grün\nB,blau\n".encode())
    assert (draft.names, draft.prompts) == (("A", "B"), ())
    assert draft.contents == (("grün".encode(), b"blau"),)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.txt", b"x", "a.txt: a file of a study ends in .csv or .jsonl"),
        ("a.csv", b"", "a.csv: there must be a header and at least one line below it"),
        ("a.csv", b"item,A,B\n", "a.csv: there must be a header and at least one line below it"),
        ("a.csv", b"item,A,B\nx,1\n", "a.csv line 2: 2 fields instead of 3 (item, A, B)"),
        ("a.csv", b"item,A,B\nx,1,\n", "a.csv line 2: the answer of 'B' is empty"),
        ("a.csv", b"item,A,A\nx,1,2\n", "a.csv line 1: the column 'A' stands there twice"),
        (
            "a.csv",
            b"question,A,B\nx,1,2\n",
            "a.csv: the columns must be 'item' and two candidates or more, or 'candidate' and "
            "'text', not 'question', 'A', 'B'",
        ),
        ("a.csv", b'item,A,B\nx,"1,2\n', "a.csv line 2: unexpected end of data"),
        ("a.csv", b"item,A,B\nx,\xff,2\n", "a.csv: byte 12 is not UTF-8"),
        ("a.csv", b"candidate,text\nA,x\nA,y\n", "a.csv: the candidate 'A' stands there twice"),
        (
            "a.csv",
            b"candidate,text\nA,x\n",
            "a.csv: a vote needs 2 to 100 candidates, and there are 1",
        ),
        ("a.csv", b"item,A,B\nx,1\x00,2\n", "a.csv: the text of 'A' holds a NUL character"),
        ("a.jsonl", b"\n", "a.jsonl: there is no line in it"),
        ("a.jsonl", b"[1]\n", "a.jsonl line 1: a line is an object, not [1]"),
        ("a.jsonl", b'{"item": \n', "a.jsonl line 1: this is no JSON"),
        ("a.jsonl", b'{"item": "x", "A": 1}', "a.jsonl line 1: 'A' must be a text, not 1"),
        (
            "a.jsonl",
            b'{"item": "x", "A": "1", "B": "2"}\n{"item": "y", "A": "1", "C": "2"}',
            "a.jsonl line 2: the keys must be those of the first line (item, A, B); 'B' is in one",
        ),
    ],
)
def test_bad_tables_are_told_what_is_wrong(name, content, said):
    with pytest.raises(InvalidInputError) as error:
        draft_of_table(RULES, name, content)
    assert str(error.value).startswith(said)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"cap": 0}, "cap must be"),
        ({"alpha": 1.5}, "alpha must lie between 0 and 1"),
        ({"format": "video"}, "format must be"),
        ({"undo": -1}, "undo must be a number of seconds"),
        ({"title": "a\nb"}, "title must be one printable line"),
        ({"title": ""}, "title must be a text of 1 to 200 characters"),
        ({"reveal": "yes"}, "reveal must be true or false"),
        ({"liars": -1}, "liars must be"),
        ({"colour": 1}, "no such rule: colour"),
    ],
)
def test_bad_rules(given, said):
    with pytest.raises(InvalidInputError, match=said):
        checked_rules(**{"title": "x", **given})


class TestImages:
    pillow = pytest.importorskip("PIL.Image", reason="Pillow is not installed")

    def image(self, kind, size=(40, 30), **options):
        written = io.BytesIO()
        self.pillow.new("RGB", size, "green").save(written, kind, **options)
        return written.getvalue()

    def test_what_a_file_is_its_content_says(self):
        files = {"a": self.image("PNG"), "b": self.image("JPEG"), "c": self.image("GIF")}
        draft = draft_of_images(checked_rules(title="x", format="image"), files)
        for body in draft.contents[0]:
            with self.pillow.open(io.BytesIO(body)) as opened:
                assert (opened.format, opened.size) == ("WEBP", (40, 30))

    def test_nothing_but_the_picture_is_kept(self):
        from PIL import PngImagePlugin

        info = PngImagePlugin.PngInfo()
        info.add_text("Author", "secret model")
        exif = self.pillow.Exif()
        exif[0x010E] = "secret model"  # ImageDescription
        exif[0x0112] = 6  # turned by a quarter
        files = {
            "a": self.image("PNG", pnginfo=info),
            "b": self.image("JPEG", exif=exif.tobytes(), comment=b"secret model"),
        }
        assert all(b"secret" in content for content in files.values())
        draft = draft_of_images(checked_rules(title="x", format="image"), files)
        first, second = draft.contents[0]
        assert b"secret" not in first + second
        with self.pillow.open(io.BytesIO(second)) as opened:
            assert opened.size == (30, 40)  # upright

    def test_large_images_are_made_smaller(self):
        files = {"a": self.image("PNG", (3000, 1000)), "b": self.image("PNG")}
        draft = draft_of_images(checked_rules(title="x", format="image"), files)
        with self.pillow.open(io.BytesIO(draft.contents[0][0])) as opened:
            assert opened.size == (1600, 533)

    @pytest.mark.parametrize(
        "content",
        [b"", b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>", b"\x89PNG\r\n\x1a\n???"],
    )
    def test_what_is_no_image_is_refused(self, content):
        with pytest.raises(InvalidInputError, match="a: this is no image that can be read"):
            draft_of_images(Rules("x", format="image"), {"a": content, "b": content})

    def test_too_many_pixels(self):
        bomb = self.image("PNG", (9000, 9000))
        with pytest.raises(InvalidInputError, match="9,000 x 9,000 pixels are too many"):
            draft_of_images(Rules("x", format="image"), {"a": bomb, "b": bomb})


class TestMarkdown:
    nh3 = pytest.importorskip("nh3", reason="nh3 is not installed")

    @pytest.mark.parametrize(
        "text",
        [
            "<script>steal()</script>",
            "<img src=x onerror=steal()>",
            "[a](javascript:steal())",
            "[a](JaVaScRiPt:steal())",
            "[a](data:text/html;base64,PHNjcmlwdD4=)",
            "![a](https://elsewhere.example/x.png)",
            "![a](x.png)",
            "<svg onload=steal()></svg>",
            '<a href="x" onclick="steal()">a</a>',
            "[a]: javascript:steal()\n\n[a]",
            "<style>body{display:none}</style>",
            "```<script>\n</script>\n```",
            "<iframe src=https://elsewhere.example></iframe>",
            "<javascript:steal()>",
        ],
    )
    def test_nothing_of_a_stranger_runs_or_loads(self, text):
        from factored_bandits.service.arena.markup import rendered

        html = rendered(text)
        tags = {tag.lower() for tag in re.findall(r"<\s*/?\s*([a-zA-Z0-9]+)", html)}
        assert not tags & {"script", "img", "svg", "style", "iframe", "object", "link", "form"}
        for attribute in ("onerror", "onload", "onclick", "src", "style"):
            assert not re.search(rf"<[^>]*\s{attribute}\s*=", html)
        assert 'href="javascript' not in html.lower()
        assert 'href="data' not in html.lower()

    def test_ordinary_markdown_stays(self):
        from factored_bandits.service.arena.markup import rendered

        html = rendered("# A\n\n*b* `c` [d](https://e.example)\n\n|f|g|\n|-|-|\n|1|2|\n")
        for part in ("<h1>A</h1>", "<em>b</em>", "<code>c</code>", "<table>", "<td>1</td>"):
            assert part in html
        assert 'rel="noopener noreferrer nofollow"' in html
        assert 'target="_blank"' in html


class TestMaking:
    @pytest.fixture
    def store(self, tmp_path):
        made = SqliteStore(tmp_path / "votes.db")
        yield made
        made.close()

    def test_the_same_again_is_no_error_and_another_one_is(self, store):
        draft = draft_of_texts(RULES, {"A": "x", "B": "y"})
        assert create(store, "vote", draft).new
        assert not create(store, "vote", draft).new
        for other, said in (
            (draft_of_texts(RULES, {"A": "x", "C": "y"}), "arms is"),
            (draft_of_texts(RULES, {"A": "x", "B": "z"}), "other contents are shown there"),
            (draft_of_texts(Rules("Other"), {"A": "x", "B": "y"}), "title is Answers there and"),
        ):
            with pytest.raises(ExperimentError, match=said):
                create(store, "vote", other)

    def test_a_study_that_was_made_by_half_is_completed(self, store, monkeypatch):
        draft = draft_of_texts(RULES, {"A": "x", "B": "y"})
        with monkeypatch.context() as patch:
            patch.setattr(tables, "_add_content", lambda *given: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                create(store, "vote", draft)
        row = create(store, "vote", draft).row
        assert tables.looked(store, tables.contents, row.id) == {(0, 0): b"x", (0, 1): b"y"}

    @pytest.mark.parametrize(
        ("key", "policy", "error", "said"),
        [
            ("a/b", None, InvalidInputError, "no slash"),
            ("", None, InvalidInputError, "key names the experiment"),
            ("vote", "tea", InvalidInputError, "people vote on two"),
            ("vote", "nothing", UnknownNameError, "nothing"),
            ("vote", "../evil.py", UnknownNameError, "evil"),
        ],
    )
    def test_what_does_not_fit(self, store, key, policy, error, said):
        with pytest.raises(error, match=said):
            create(store, key, draft_of_texts(RULES, {"A": "x", "B": "y"}), policy)

    def test_names_and_texts_are_checked(self):
        for names, said in (
            (["A"], "a vote needs 2 to 100"),
            (["A", ""], "the name of a candidate"),
            (["A", "b\nc"], "one printable line"),
            (["A", "A"], "stands there twice"),
        ):
            with pytest.raises(InvalidInputError, match=said):
                drafted(RULES, names, [], [[b"x"] * len(names)])
        with pytest.raises(InvalidInputError, match="nothing to show of the candidate 'B'"):
            drafted(RULES, ["A", "B"], [], [[b"x", b" "]])
