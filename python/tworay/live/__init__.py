"""Real kernels over a simulated network: a network namespace with a TUN or TAP device per station."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tworay.live.options import Options

if TYPE_CHECKING:
    from tworay.live.network import Network, require

__all__ = ["Network", "Options", "require"]


def __getattr__(name: str) -> Any:
    """Import the simulator on first use, so that the command line starts quickly."""
    if name in __all__:
        from tworay.live import network

        return getattr(network, name)
    raise AttributeError(name)
