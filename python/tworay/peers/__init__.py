"""The same work in tworay, ns-2 and ns-3: who says what (``make peers``) and at what cost (``make bench``).

Only for a checkout: the drivers of the other simulators and the scenarios are in ``peers/``.
"""
