//! Lost messages of a search: which of them mattered, and when the answer would have come without the loss.

use super::records::{Had, Leg, LostMessage, Search};
use crate::observe::loss::scene::{Hops, Scene};
use tworay_base::{NodeId, SimDuration, SimTime};

/// Most time that a message of a search takes for a hop (NODE_TRAVERSAL_TIME, RFC 3561 §10).
const TRAVERSAL: SimDuration = SimDuration::from_millis(40);

/// True if someone could have answered a lost request that would have gone on from a node for so many hops.
fn answered(
    scene: &mut Scene<'_>,
    search: &Search,
    lost: &LostMessage,
    (from, reach): (NodeId, u16),
    far: &Hops,
) -> bool {
    if far.of(from).is_some_and(|hops| hops <= reach) {
        return true;
    }
    let ring = search.rings.iter().rev().find(|ring| ring.asked <= lost.miss.at);
    let Some(ring) = ring.filter(|ring| !ring.answerers.is_empty()) else { return false };
    scene.reaches_any(from, &ring.answerers, reach)
}

/// True if a lost message was on a path that could have carried the packet: requests approach the destination. A reply comes
/// back on the path that its request took, which need not be a shortest one.
pub(super) fn useful(
    scene: &mut Scene<'_>,
    search: &Search,
    lost: &LostMessage,
    (near, far): (&Hops, &Hops),
) -> bool {
    let LostMessage { leg, from, to, ttl, .. } = *lost;
    match leg {
        Leg::Reply if to.is_broadcast() => near.of(from).is_some(),
        Leg::Reply => far.of(from).is_some() && near.of(to).is_some(),
        Leg::Request if to.is_broadcast() => {
            near.of(from).is_some() && answered(scene, search, lost, (from, ttl.into()), far)
        }
        Leg::Request => {
            let left = u16::from(ttl).saturating_sub(1);
            near.of(from).is_some()
                && far.is_closer(to, from)
                && answered(scene, search, lost, (to, left), far)
        }
    }
}

impl Search {
    /// When the latest request up to a time was sent.
    fn asked_before(&self, at: SimTime) -> Option<SimTime> {
        let asked = self.requests.iter().chain(self.rings.iter().map(|ring| &ring.asked));
        asked.filter(|asked| **asked <= at).max().copied()
    }

    /// A reply has waited for an address since a time, up to another one. An exchange that began before the request does not tell
    /// when the reply came.
    pub(super) fn due(&self, since: SimTime, until: SimTime) -> SimTime {
        Some(since)
            .filter(|since| self.asked_before(until).is_none_or(|asked| asked <= *since))
            .unwrap_or(until)
    }

    /// True if the request that was under way at a time has been answered.
    fn is_answered(&self, at: SimTime) -> bool {
        let asked = self.asked_before(at);
        let answers = |had: &Had| matches!(had, Had::Answered(answer) if self.asked_before(*answer) == asked);
        asked.is_some() && self.had.values().any(answers)
    }

    /// True if the request that was lost has been answered all the same.
    pub(super) fn has_answer_to(&self, lost: &LostMessage) -> bool {
        lost.leg == Leg::Request && self.is_answered(lost.miss.at)
    }

    /// When the search would have been answered if a message had not been lost, and its answer had been as fast as it was.
    pub(super) fn answer_of(&self, lost: &LostMessage, (near, far): (&Hops, &Hops)) -> SimTime {
        let at = lost.due;
        let Some(asked) = self.asked_before(at).filter(|_| at < lost.miss.at || !lost.miss.delayed) else {
            return at;
        };
        let hops = match lost.leg {
            Leg::Request => {
                let done = near.of(lost.from).map(|hops| hops + 1);
                done.zip(far.of(lost.to).zip(near.of(lost.to)).map(|(ahead, back)| 2 * ahead + back))
            }
            Leg::Reply => {
                let turn = far.of(lost.from).zip(near.of(lost.from));
                turn.map(|(back, ahead)| 2 * back + ahead + 1).zip(near.of(lost.to))
            }
        };
        let Some((done, left)) = hops else { return at };
        at + (at.since(asked) / u64::from(done)).min(TRAVERSAL) * u64::from(left)
    }
}
