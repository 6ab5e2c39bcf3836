"""Studies with kernels in virtual time (``make virtual-study``)."""
