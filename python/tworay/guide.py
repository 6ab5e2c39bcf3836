"""Where messages and generated files send their readers for more.

An installed wheel has no folder `docs/`, and the site of the documentation has no address yet. Readers are
sent to the command that says the same; once ``SITE`` is set, to the page.
"""

SITE = ""
"""Address of the published site with a slash at its end; empty as long as there is none."""

# Page of docs/, and the command that every installation has.
TOPICS = {
    "flows": ("guide/traffic", "tworay schema"),
    "keys": ("reference/scenario", "tworay schema"),
    "links": ("guide/my-network", "tworay convert --help"),
    "radios": ("guide/radios", "tworay new --help"),
    "sweeps": ("guide/sweeps", "tworay sweep --help"),
}


def more(topic: str) -> str:
    """Return the address of a topic's page, or the command that says the same."""
    page, command = TOPICS[topic]
    return f"{SITE}{page}.html" if SITE else f"`{command}`"
