"""The cost of TCP in this machine's kernel (``make kernel-costs``)."""
