"""``python -m liftlib`` is the command line ``lift``."""

import sys

from liftlib.cli import main

if __name__ == "__main__":
    sys.exit(main())
