//! The main reason for the time that a MAC has lost.

use super::Service;
use crate::observe::loss::root_cause::RootCause;
use tworay_base::SimDuration;

/// Time lost, and its root cause.
type Reason = (SimDuration, RootCause);

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

impl Service {
    /// The reasons for the time lost since the MAC last had nothing to send.
    fn known(&self) -> impl Iterator<Item = Reason> + Clone {
        self.reasons.iter().filter(|_| !self.lost.is_zero()).copied()
    }

    /// The main reason, `running` with the MAC's current packet included.
    pub fn main_reason(&self, running: Option<Reason>) -> Option<RootCause> {
        main_of(self.known().chain(running))
    }

    /// The main reason, but for outages whose packets have all been sent.
    pub fn slowed_by(&self) -> Option<RootCause> {
        main_of(self.known().filter(|(_, root)| !root.is_physical() || root.at >= self.drained_at))
    }
}
