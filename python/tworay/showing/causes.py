"""Why segments are lost and how they end, in words."""

from __future__ import annotations

ROOTS = {
    "congestion": "congestion: load filled a queue, or a node dropped it early",
    "contention": "contention: collisions, or a neighbour that could not answer",
    "channel": "channel: bit errors or fading",
    "link-failure": "link-failure: the next hop was out of reach, or there was no path",
    "node-down": "node-down: a node was switched off or had no power",
    "no-route": "no-route: routing had not found, or could not find, a path that existed",
    "ttl": "ttl: the path was longer than the hop limit",
    "reorder-discard": "reorder-discard: the receiver threw it away",
    "unknown": "unknown: nothing on record explains it",
}
ENDS = {
    "ifq": "the interface queue was full",
    "link-red": "link-RED dropped it, because its node had to repeat many packets",
    "wire-queue": "the wire's queue refused it",
    "arp": "a newer packet took its place while ARP searched for the next hop's address",
    "arp-unanswered": "ARP's requests for the next hop went unanswered",
    "rts-retries": "the MAC gave up after the last RTS went unanswered",
    "data-retries": "the MAC gave up after the last DATA went unanswered",
    "unconfirmed": "routing's own acknowledgments did not come",
    "purged": "it waited in the interface queue for a next hop that routing gave up",
    "no-route": "routing had no route, or gave up its search for one",
    "buffer": "the routing buffer was full",
    "buffer-timeout": "it waited too long in the routing buffer",
    "salvage": "it had been given a new route too often",
    "loop": "it came back to its source",
    "ttl": "its hop limit ran out",
    "malformed": "routing could make no sense of its headers",
    "error": "random errors spoiled it",
    "handoff": "the wire was out of service",
    "node-down": "the node was switched off or its battery ran out",
    "receiver": "it arrived, and the receiving transport threw it away",
}
