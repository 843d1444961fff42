"""``python -m lifttables`` is the command line ``lift``."""

import sys

from lifttables.cli import main

if __name__ == "__main__":
    sys.exit(main())
