"""Studies that developers run in a checkout: other simulators and kernels beside tworay.

Their pages are in ``docs/studies``.
"""
