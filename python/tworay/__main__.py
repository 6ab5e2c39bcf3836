"""``python -m tworay`` is the command ``tworay``."""

from tworay.cli.main import main

main()
