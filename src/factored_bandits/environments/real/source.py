"""Where data come from: licence, citation and checksums; and what a loader returns."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from factored_bandits.environments._text_file import existing, path_of, read_text
from factored_bandits.environments.suites.instance import Instance
from factored_bandits.errors import InvalidInputError

ROUNDS = 10**5  # for how long to play a problem made of rates


@dataclass(frozen=True)
class Source:
    """A publication of data.

    Attributes
    ----------
    name
        How the library calls it.
    title
        What it is.
    licence
        As found; read it before you pass anything on.
    citation
        What to cite.
    digests
        SHA-256 of the files that the figures of the documentation were computed from, by their
        names.

    Examples
    --------
    >>> from factored_bandits.environments.real.upworthy import SOURCE
    >>> SOURCE.name, SOURCE.licence
    ('upworthy', 'CC BY 4.0')
    """

    name: str
    title: str
    licence: str
    citation: str
    digests: dict[str, str]

    def knows(self, sha256: str) -> bool:
        """Whether a file with this checksum is one that the documentation has figures of.

        Parameters
        ----------
        sha256
            The checksum, in hexadecimal digits.

        Returns
        -------
        True if it is.
        """
        return sha256 in self.digests.values()


@dataclass(frozen=True)
class Dataset:
    """What a loader has read; a sequence of problems with their provenance.

    Attributes
    ----------
    source
        Where it comes from.
    sha256
        The checksum of the file.
    instances
        The problems, as `fb.suites` has them.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import factored_bandits as fb
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "tests.csv"
    >>> rows = ["a,201310,0,0,900,9", "a,201310,0,1,900,18", "a,201310,1,0,900,12"]
    >>> head = "test,week,headline,image,impressions,clicks"
    >>> _ = file.write_text("\\n".join([head, *rows, "a,201310,1,1,900,27"]))
    >>> data = fb.data.upworthy(file)
    >>> print(data)  # doctest: +ELLIPSIS
    upworthy: 1 problem, CC BY 4.0
      Matias, Munger, Le Quere and Ebersole (2021), The Upworthy Research Archive, ...
      not the file that the documentation has figures of
    >>> data.instances[0].problem().best
    (1, 1)
    """

    source: Source
    sha256: str
    instances: tuple[Instance, ...]

    @property
    def verified(self) -> bool:
        """Whether it is the file that the documentation has figures of."""
        return self.source.knows(self.sha256)

    def __len__(self) -> int:
        return len(self.instances)

    def __iter__(self) -> Iterator[Instance]:
        return iter(self.instances)

    def __str__(self) -> str:
        problems = f"{len(self)} problem{'' if len(self) == 1 else 's'}"
        known = "the" if self.verified else "not the"
        return (
            f"{self.source.name}: {problems}, {self.source.licence}\n"
            f"  {self.source.citation}\n"
            f"  {known} file that the documentation has figures of"
        )


def checksum(path: str | Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(existing(path_of(path)).read_bytes()).hexdigest()


def table_of(path: str | Path, needed: Sequence[str]) -> list[dict[str, str]]:
    """The rows of a CSV file, which may be packed with gzip; `needed` are columns that must exist.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "empty.csv"
    >>> _ = file.write_text("a,b\\n")
    >>> table_of(file, ["a", "c"])
    Traceback (most recent call last):
    factored_bandits.errors.InvalidInputError: empty.csv: no column 'c'; there are a, b
    """
    path = existing(path_of(path))
    if path.suffix == ".gz":
        text = gzip.decompress(path.read_bytes()).decode("utf-8-sig")
    else:
        text = read_text(path)

    reader = csv.DictReader(io.StringIO(text))
    columns = reader.fieldnames or []
    for name in needed:
        if name not in columns:
            raise InvalidInputError(
                f"{path.name}: no column {name!r}; there are {', '.join(columns)}"
            )

    rows = list(reader)
    if not rows:
        raise InvalidInputError(f"{path.name}: there are no rows")
    return rows


def number(path: str | Path, row: int, column: str, text: str | None) -> float:
    """A cell as a number; `row` counts from 1."""
    try:
        return float(text if text is not None else "")
    except ValueError:
        raise InvalidInputError(
            f"{Path(path).name}, row {row}, column {column!r}: {text!r} is no number"
        ) from None
