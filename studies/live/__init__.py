"""Kernels in the loss situations of TCP-WELCOME's paper (``make live-study``, ``make live-long``)."""
