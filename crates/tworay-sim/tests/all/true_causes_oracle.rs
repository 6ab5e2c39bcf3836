//! The loss ledger against an oracle: random small scenarios, geometry, and the log of the medium.
//!
//! One disturbance at a time: every loss has its cause (`single`). Then pairs of disturbances (`pairs`). Under
//! all of them the invariant holds that a cause may be named only if its disturbance occurred at a hop and a time
//! that could have touched the packet. It is checked against positions computed here from the scenario, and
//! against the frames that were on the medium; never against the ledger's own notes.
//!
//! For a loss with root node *a*, next hop *b* (if any), of a packet from *s* to *d*:
//!
//! | cause | may be named only if |
//! |---|---|
//! | `contention`, hop *a→b* | a frame between *a* and *b* failed at its receiver while another signal was there, or *b* kept silent for a third station; the link is part of a path from *s* to *d* |
//! | `contention`, no hop | that happened to a message of routing or ARP at a station on such a path |
//! | `channel` | the same with the error model or fading in place of the other signal; or *b* was transmitting, and only fading kept *a* from hearing it |
//! | `link-failure`, hop | *a* and *b* were out of range or cut; a path from *s* to *d* goes from *a* to *b* |
//! | `link-failure`, no hop | no path from *a* to *d* existed, not even over stations that are switched off; or none did when the search that the packet waits for sent its latest request |
//! | `node-down`, hop | *b* was off, and a path from *s* to *d* goes from *a* to *b* |
//! | `node-down`, no hop | the same, and stations that were off would have completed one; or *a* itself was off |
//! | `congestion` | the queue was full, and the flows can fill it by themselves; a hold slot's next hop could be reached; a routing buffer was full while a path existed |
//! | `no-route` | a path existed all the time that the packet waited, or for as long as a search takes; if routing can reach only some hops, when it began to wait, or the network has no shorter path even if nothing is broken; or packets that waited for a search filled a queue or a hold slot together: *a* asked for the destination of a flow, and sent nothing there for longer than a search takes, or could not reach it |
//! | `ttl` | the shortest path is longer than the hop limit |
//! | `reorder-discard` | the receiver discarded it |
//! | `unknown` | never |
//!
//! "That could have touched" also limits time: from as long before the packet was held up as routing may need to
//! recover (`rules::memory`) until its loss. Only the packets in a full queue may have been held up for longer.
//!
//! A packet is held up after it was sent and before it is lost; otherwise the ledger could widen these times as it likes.
//!
//! `channel` adds fading, shadowing and errors above the MAC. `twins` compares runs with those without the disturbance: a
//! message may be blamed only if the packet arrives without its loss.
//!
//! `PROPTEST_CASES` sets the number of scenarios of each test: 100 in `make test`, 10,000 in `make soak`. A failure
//! prints its scenario as a file that `tworay run` takes, and its seed; the case is stored beside the file of the
//! test, to be run again first. `plain` and `released` have the smallest scenarios that were found
//! in this way.

mod channel;
mod generate;
mod geometry;
mod medium;
mod pairs;
mod plain;
mod radios;
mod released;
mod rules;
mod searches;
mod single;
mod twins;
mod world;
