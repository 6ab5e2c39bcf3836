"""Real kernels over simulated air: a network namespace with a TUN or TAP device for each station."""

from tworay.live.network import Network, Options, require

__all__ = ["Network", "Options", "require"]
