"""Write docs/reference/openapi.json anew: python tools/openapi.py."""

from __future__ import annotations

import json
from pathlib import Path

from factored_bandits.service.api.openapi import document

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "openapi.json"


def main() -> None:
    PAGE.write_text(json.dumps(document(), indent=1) + "\n", encoding="utf-8")
    print(f"wrote {PAGE}")


if __name__ == "__main__":
    main()
