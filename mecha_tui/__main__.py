"""``python -m mecha_tui`` is the same as the ``mecha-tui`` command."""

import sys

from mecha_tui.cli import main

if __name__ == "__main__":
    sys.exit(main())
