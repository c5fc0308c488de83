"""Single bits flipped in a file of results, with and without protection: what is noticed.

The last line is the time that checking a task takes.
"""

from __future__ import annotations

import io
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from factored_bandits import lab
from factored_bandits.errors import InvalidInputError
from factored_bandits.lab.reading import check_file, read_table
from factored_bandits.lab.tables import FRAMES

SPEC = lab.parse("""
name = "flips"
policies = ["uniform"]
checkpoints = 10
[[problems]]
problem = "rank1"
levels = 2
[quick]
horizon = 100
repetitions = 1
""")


def by_pyarrow(content: bytes) -> pa.Table:
    """Read as anybody would who wants checksums of pages verified."""
    reader = pa.BufferReader(content)
    return pq.ParquetFile(reader, page_checksum_verification=True).read()


def by_seal(content: bytes) -> pa.Table:
    """Read as the laboratory does."""
    with tempfile.NamedTemporaryFile(suffix=".parquet") as file:
        file.write(content)
        file.flush()
        return read_table(Path(file.name), "results")


def count(label: str, content: bytes, read: object, step: int) -> None:
    expected = read(content)
    told = {"noticed": 0, "harmless": 0, "changed numbers silently": 0}
    bits = range(0, 8 * len(content), step)

    for bit in bits:
        flipped = bytearray(content)
        flipped[bit // 8] ^= 1 << bit % 8
        try:
            same = read(bytes(flipped)).equals(expected)
        except (pa.ArrowException, InvalidInputError, OSError, ValueError):
            told["noticed"] += 1
        else:
            told["harmless" if same else "changed numbers silently"] += 1

    words = ", ".join(f"{number:,} {what}" for what, number in told.items())
    print(f"{label:<19} {len(bits):,} flips: {words}", flush=True)


def main() -> None:
    step = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    with tempfile.TemporaryDirectory() as folder:
        store = lab.Store(Path(folder))
        lab.run([SPEC], "quick", store.root, lab.Engine(workers=1), progress=False)
        [task] = lab.make_tasks(SPEC, "quick")
        sealed = store.path("results", task).read_bytes()
        table = by_pyarrow(sealed)

        for label, checksums in (("nothing", False), ("checksums of pages", True)):
            buffer = io.BytesIO()
            pq.write_table(table, buffer, compression="zstd", write_page_checksum=checksums)
            count(label, buffer.getvalue(), by_pyarrow, step)
        count("seal", sealed, by_seal, step)

        seconds = []
        for _ in range(20):
            began = time.process_time()
            for frame in FRAMES:
                check_file(store.path(frame, task), frame)
            seconds.append(time.process_time() - began)
        print(f"checking the files of a task: {min(seconds) * 1e3:.2f} ms")


if __name__ == "__main__":
    main()
