"""Write `digests.json` anew, for all labels or for those named on the command line."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

PATH = Path(__file__).with_name("digests.json")


def main(labels: list[str]) -> None:
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from golden import cases

    known = json.loads(PATH.read_text()) if PATH.exists() else {}
    for label in labels or cases.labels():
        known[label] = dict(cases.simulated(label)) | dict(cases.with_late_rewards(label))
        print(label, flush=True)
    kept = {label: known[label] for label in sorted(known) if label in cases.labels()}
    PATH.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
