"""Comparison with ns-2 and ns-3: the same work, its results (``make peers``) and its cost (``make bench``).

Needs a checkout: the drivers of the other simulators and the scenarios are in ``peers/``.
"""
