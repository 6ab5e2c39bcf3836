//! Address resolution that holds one packet per neighbour (RFC 826, ns-2's `ARPTable`).

use tworay_base::{NodeId, NodeMap, PacketId, SimDuration, SimTime};
pub use tworay_wire::ArpBody;

/// Action after asking for an address.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ArpAction {
    /// The address is known: send the packet now.
    Send(PacketId),
    /// The packet is held; broadcast a request for the address. It replaces any packet held before.
    Request {
        /// The packet that was replaced.
        pushed_out: Option<PacketId>,
    },
    /// The packet is held until a pending request is answered.
    Wait {
        /// The packet that was replaced.
        pushed_out: Option<PacketId>,
    },
    /// Three requests went unanswered: this packet and the held one are returned undelivered.
    Unreachable {
        /// The packet that was held.
        held: Option<PacketId>,
    },
}

/// Action when a request has gone unanswered.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ArpDue {
    /// Repeat the request for this node's address.
    Request(NodeId),
    /// The node does not answer: its held packet is returned undelivered.
    Unreachable(NodeId, PacketId),
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    node: NodeId,
    known: bool,
    requests: u8,
    held: Option<PacketId>,
    due: SimTime,
}

impl Entry {
    const fn unknown(node: NodeId) -> Self {
        Self { node, known: false, requests: 0, held: None, due: SimTime::NEVER }
    }
}

/// The ARP table of one station.
#[derive(Clone, Debug, Default)]
pub struct ArpTable {
    /// Index of each node's entry.
    places: NodeMap,
    /// Nodes whose address was requested or learned: neighbours only, however large the network is.
    entries: Vec<Entry>,
    /// Interval between requests. Zero: ask again only when the next packet arrives (ns-2).
    retry: SimDuration,
}

/// Number of requests for an address before its packets are returned undelivered.
pub const MAX_REQUESTS: u8 = 3;

impl ArpTable {
    /// A table that repeats unanswered requests after `retry`. Zero repeats them only when the next packet
    /// for the same neighbour arrives, as in ns-2.
    pub fn new(retry: SimDuration) -> Self {
        Self { retry, ..Self::default() }
    }

    fn entry(&mut self, node: NodeId) -> &mut Entry {
        let place = self.places.get(node).unwrap_or_else(|| {
            let place = self.entries.len() as u16;
            self.places.insert(node, place);
            self.entries.push(Entry::unknown(node));
            place
        });
        &mut self.entries[usize::from(place)]
    }

    /// Asks for the address of `node`, to which `packet` is to be sent.
    pub fn resolve(&mut self, now: SimTime, node: NodeId, packet: PacketId) -> ArpAction {
        let retry = self.retry;
        let e = self.entry(node);
        if e.known {
            return ArpAction::Send(packet);
        }
        if !retry.is_zero() {
            let pushed_out = e.held.replace(packet);
            if e.due != SimTime::NEVER {
                return ArpAction::Wait { pushed_out };
            }
            (e.requests, e.due) = (1, now + retry);
            return ArpAction::Request { pushed_out };
        }
        if e.requests >= MAX_REQUESTS {
            e.requests = 0;
            return ArpAction::Unreachable { held: e.held.take() };
        }
        e.requests += 1;
        ArpAction::Request { pushed_out: e.held.replace(packet) }
    }

    /// When [`ArpTable::on_timer`] must be called next.
    pub fn next_due(&self) -> SimTime {
        self.entries.iter().map(|e| e.due).min().unwrap_or(SimTime::NEVER)
    }

    /// Appends the requests that have timed out by `now`, in the order of their nodes.
    pub fn on_timer(&mut self, now: SimTime, out: &mut Vec<ArpDue>) {
        let mut due: Vec<&mut Entry> = self.entries.iter_mut().filter(|e| e.due <= now).collect();
        due.sort_unstable_by_key(|e| e.node);
        for e in due {
            let node = e.node;
            match e.held {
                Some(_) if e.requests < MAX_REQUESTS => {
                    e.requests += 1;
                    e.due = now + self.retry;
                    out.push(ArpDue::Request(node));
                }
                held => {
                    *e = Entry::unknown(node);
                    out.extend(held.map(|packet| ArpDue::Unreachable(node, packet)));
                }
            }
        }
    }

    /// Records the address of `node`; returns the packet held for it.
    pub fn learn(&mut self, node: NodeId) -> Option<PacketId> {
        let e = self.entry(node);
        (e.known, e.due) = (true, SimTime::NEVER);
        e.held.take()
    }

    /// True if the address of `node` is known.
    pub fn knows(&self, node: NodeId) -> bool {
        self.places.get(node).is_some_and(|place| self.entries[usize::from(place)].known)
    }

    /// Clears the table; returns the held packets in the order of their nodes.
    pub fn clear(&mut self) -> Vec<PacketId> {
        self.entries.sort_unstable_by_key(|e| e.node);
        let held = self.held().map(|(_, packet)| packet).collect();
        (self.places, self.entries) = (NodeMap::default(), Vec::new());
        held
    }

    /// The held packets, with the node whose address each waits for.
    pub fn held(&self) -> impl Iterator<Item = (NodeId, PacketId)> {
        self.entries.iter().filter_map(|e| Some((e.node, e.held?)))
    }
}

#[cfg(test)]
mod tests;
