//! Address resolution with a hold of one packet per neighbour (RFC 826, ns-2's `ARPTable`).

use tworay_base::{NodeId, NodeMap, PacketId, SimDuration, SimTime};
pub use tworay_wire::ArpBody;

/// What resolving an address leads to.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ArpAction {
    /// The address is known: send at once.
    Send(PacketId),
    /// The packet waits; a request for the address goes out. A packet that waited before it is pushed out.
    Request {
        /// The packet that lost its place.
        pushed_out: Option<PacketId>,
    },
    /// The packet waits for the answer to a request that is already out.
    Wait {
        /// The packet that lost its place.
        pushed_out: Option<PacketId>,
    },
    /// Three requests went unanswered: the packet and the one that waited come back undelivered.
    Unreachable {
        /// The packet that waited.
        held: Option<PacketId>,
    },
}

/// What is due when a request has gone unanswered for a while.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ArpDue {
    /// Ask again for this node's address.
    Request(NodeId),
    /// Nobody answers for this node: the packet that waited comes back.
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

/// One station's table.
#[derive(Clone, Debug, Default)]
pub struct ArpTable {
    /// Where each node's entry stands.
    places: NodeMap,
    /// The nodes that were asked for or heard of: neighbours, however large the network is.
    entries: Vec<Entry>,
    /// Time between requests; zero asks again only with the next packet (ns-2).
    retry: SimDuration,
}

/// Requests for an address before its packets come back undelivered.
pub const MAX_REQUESTS: u8 = 3;

impl ArpTable {
    /// A table that repeats unanswered requests after `retry`; zero repeats them only with the next
    /// packet for the same neighbour, as ns-2 does.
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

    /// Wants to send `packet` to `node`.
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

    /// Requests that have gone unanswered for long enough at `now`, in the order of their nodes.
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

    /// The address of `node` was learnt; gives back the packet that waited for it.
    pub fn learn(&mut self, node: NodeId) -> Option<PacketId> {
        let e = self.entry(node);
        (e.known, e.due) = (true, SimTime::NEVER);
        e.held.take()
    }

    /// Forgets everything and gives back the packets that waited, in the order of their nodes.
    pub fn clear(&mut self) -> Vec<PacketId> {
        self.entries.sort_unstable_by_key(|e| e.node);
        let held = self.held().collect();
        (self.places, self.entries) = (NodeMap::default(), Vec::new());
        held
    }

    /// The packets that wait.
    pub fn held(&self) -> impl Iterator<Item = PacketId> {
        self.entries.iter().filter_map(|e| e.held)
    }
}

#[cfg(test)]
mod tests;
