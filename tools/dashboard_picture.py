"""Draw docs/figures/dashboard.png anew: `factored-bandits serve --demo`, looked at in Chromium.

python tools/dashboard_picture.py [--dark] [--out FILE]
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from browser import FLAGS, executable  # noqa: E402

PICTURE = ROOT / "docs" / "figures" / "dashboard.png"
SIZE = {"width": 1120, "height": 980}
SHOWN = "demo: shop page (simulated)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--out", type=Path, default=PICTURE)
    given = parser.parse_args()
    program = executable()
    if program is None:
        raise SystemExit("there is no Chromium here")

    command = [
        sys.executable,
        "-m",
        "factored_bandits",
        "serve",
        "--demo",
        "--quiet",
        "--port",
        "0",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1]
        key = re.search(r"fb_\S+", server.stdout.readline())
        assert key is not None
        try:
            with sync_playwright() as driver:
                browser = driver.chromium.launch(executable_path=program, args=FLAGS)
                scheme = "dark" if given.dark else "light"
                page = browser.new_page(viewport=SIZE, color_scheme=scheme)
                page.goto(f"{address}/sign-in")
                page.fill("#key", key[0])
                page.press("#key", "Enter")
                page.click(f"text={SHOWN}")
                page.wait_for_selector("#part-summary >> text=today")
                page.wait_for_timeout(12_000)  # until the past is counted, and some more visitors
                page.screenshot(path=given.out)
                browser.close()
        finally:
            server.terminate()
    print(f"{given.out}: {given.out.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
