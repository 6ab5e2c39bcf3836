"""``python -m tworay`` is the command ``tworay``."""

from tworay.cli import main

main()
