"""`python -m factored_bandits.cli`."""

import sys

from factored_bandits.cli import main

if __name__ == "__main__":
    sys.exit(main())
