"""The command ``tworay``: one file per command.

``--help`` imports only these files; each command imports what it needs when it is called.
"""
