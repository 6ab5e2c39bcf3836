"""The controllers in kernels of the distribution, in an emulated machine (``make kernel-matrix``)."""
