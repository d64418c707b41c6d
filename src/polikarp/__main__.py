"""`python -m polikarp` is the command line."""

import sys

from polikarp.cli import main

sys.exit(main())
