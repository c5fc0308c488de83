"""`python -m factored_bandits`: the command line, where its program is not on the path."""

import sys

from factored_bandits.cli import main

if __name__ == "__main__":
    sys.exit(main())
