"""``python -m liftbook`` is the command line ``liftbook``."""

import sys

from liftbook.commands import main

if __name__ == "__main__":
    sys.exit(main())
