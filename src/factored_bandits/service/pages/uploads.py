"""Forms with files, as browsers send them."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import NamedTuple

from starlette.datastructures import Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from factored_bandits.service.api.problems import ProblemError

KIND = "multipart/form-data"
MOST_FILES = 100
MOST_FIELDS = 500
LONGEST_FIELD = 100_000  # bytes


class Upload(NamedTuple):
    """A file that was sent.

    Attributes
    ----------
    name
        What the browser called it.
    content
        What is in it.
    """

    name: str
    content: bytes


def has_files(kind: str) -> bool:
    """Whether a form was sent in the way in which files are.

    >>> has_files("multipart/form-data; boundary=x"), has_files("text/plain")
    (True, False)
    """
    return kind.partition(";")[0].strip().lower() == KIND


async def parts_of(body: bytes, kind: str) -> tuple[dict[str, list[str]], dict[str, list[Upload]]]:
    """The fields and the files of a form, by name; those that were left empty are no files."""

    async def stream() -> AsyncGenerator[bytes, None]:
        yield body

    parser = MultiPartParser(
        Headers({"content-type": kind}),
        stream(),
        max_files=MOST_FILES,
        max_fields=MOST_FIELDS,
        max_part_size=LONGEST_FIELD,
    )
    try:
        form = await parser.parse()
    except (MultiPartException, KeyError, UnicodeDecodeError) as error:
        raise ProblemError(400, f"the form cannot be read: {error}") from None

    fields: dict[str, list[str]] = {}
    files: dict[str, list[Upload]] = {}
    for name, value in form.multi_items():
        if not isinstance(value, UploadFile):
            fields.setdefault(name, []).append(value)
        elif value.filename:
            files.setdefault(name, []).append(Upload(value.filename, await value.read()))
    await form.close()
    return fields, files
