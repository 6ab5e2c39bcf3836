"""Real kernels over simulated air: a network namespace with a TUN or TAP device for each station."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tworay.live.options import Options

if TYPE_CHECKING:
    from tworay.live.network import Network, require

__all__ = ["Network", "Options", "require"]


def __getattr__(name: str) -> Any:
    """Import what needs the simulator when it is first asked for: the command line starts without."""
    if name in __all__:
        from tworay.live import network

        return getattr(network, name)
    raise AttributeError(name)
