//! The main reason for the time that a MAC has lost.
//!
//! Once all packets have left the queue that waited when a reason last cost time, a later one comes first: packets have waited for that.

use crate::observe::loss::root_cause::RootCause;
use tworay_base::{SimDuration, SimTime};

/// Time lost, and its root cause.
pub(super) type Reason = (SimDuration, RootCause);

/// Time lost to one cause on one hop.
#[derive(Copy, Clone, Debug)]
struct Lost {
    time: SimDuration,
    root: RootCause,
    /// Packets that will have left the queue when those that waited at the latest of it have.
    until: u64,
}

/// The reasons for the time lost since the MAC last had nothing to send.
#[derive(Clone, Debug, Default)]
pub(super) struct Reasons {
    known: Vec<Lost>,
    /// Packets that have left the queue, sent or not, by now and when time was last lost.
    left: u64,
    left_then: u64,
}

impl Reasons {
    /// The MAC has had nothing to send.
    pub fn clear(&mut self) {
        self.known.clear();
    }

    /// Packets have left the queue.
    pub fn leave(&mut self, packets: u32) {
        self.left += u64::from(packets);
    }

    /// `root` has cost time, while so many packets waited.
    pub fn note(&mut self, (time, root): Reason, waiting: u32) {
        let hop = |root: &RootCause| (root.cause, root.node, root.next_hop);
        let until = self.left + u64::from(waiting).max(1);
        self.left_then = self.left;
        match self.known.iter_mut().find(|lost| hop(&lost.root) == hop(&root)) {
            Some(lost) => *lost = Lost { time: lost.time + time, root, until },
            None => self.known.push(Lost { time, root, until }),
        }
    }

    /// Those behind which packets still waited when so many packets had left the queue.
    fn lasting(&self, left: u64) -> impl Iterator<Item = Reason> + Clone {
        self.known.iter().filter(move |lost| left < lost.until).map(|lost| (lost.time, lost.root))
    }

    /// The main one, `running` with the MAC's current packet included: of those that lasted when time was last lost.
    pub fn main(&self, running: Option<Reason>) -> Option<RootCause> {
        let then = if running.is_some() { self.left } else { self.left_then };
        main_of(self.lasting(then).chain(running))
    }

    /// The main one that lasts. An outage counts only if it cost time after the queue was last empty, at `drained_at`.
    pub fn slows(&self, drained_at: SimTime) -> Option<RootCause> {
        let undrained = |root: &RootCause| !root.is_physical() || root.at >= drained_at;
        main_of(self.lasting(self.left).filter(|(_, root)| undrained(root)))
    }

    /// Noise alone would have kept the packets that wait.
    pub fn forget_outages(&mut self) {
        let outages = self.known.iter_mut().filter(|lost| lost.root.is_physical());
        outages.for_each(|lost| lost.time = SimDuration::ZERO);
    }
}

/// The cause of most of the time lost, and the hop that took most of that.
fn main_of(all: impl Iterator<Item = Reason> + Clone) -> Option<RootCause> {
    let hop = |root: RootCause| (root.node, root.next_hop);
    let lost = |of: RootCause| {
        let same = all.clone().filter(|(_, root)| root.cause == of.cause);
        same.fold([SimDuration::ZERO; 2], |[cause, own], (time, root)| {
            [cause + time, if hop(root) == hop(of) { own + time } else { own }]
        })
    };
    all.clone().max_by_key(|(_, root)| lost(*root)).map(|(_, root)| root)
}

#[cfg(test)]
mod tests;
