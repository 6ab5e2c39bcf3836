"""Wheels and releases: contents of a wheel, an installation without compilers, the version."""
