//! Dispatches events to the parts of a variant and merges their decisions.

use super::hooks::*;
use crate::parts::{Needs, Role};
use smallvec::SmallVec;

/// The parts of one connection; without parts the standard rules apply.
#[derive(Debug, Default)]
pub(crate) struct Controls {
    parts: SmallVec<[(Role, Box<dyn CongestionControl>); 2]>,
    wants_sent: bool,
    needs: Needs,
}

impl Controls {
    pub fn new(parts: impl IntoIterator<Item = (Role, Box<dyn CongestionControl>)>, needs: Needs) -> Self {
        let mut parts: SmallVec<[(Role, Box<dyn CongestionControl>); 2]> = parts.into_iter().collect();
        // What ends slow start comes after what grows the window.
        parts.sort_by_key(|(role, _)| *role == Role::Start);
        let wants_sent = parts.iter().any(|(_, p): &(Role, Box<dyn CongestionControl>)| p.wants_sent());
        Self { parts, wants_sent, needs }
    }

    /// Gives each part that decides by chance a number of its own.
    pub fn seed(&mut self, mut draw: impl FnMut() -> u64) {
        if self.needs.contains(Needs::CHANCE) {
            self.parts.iter_mut().for_each(|(_, p)| p.seed(draw()));
        }
    }

    /// Counts of the parts, by name.
    pub fn counted(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.parts.iter().flat_map(|(_, p)| p.counted().iter().copied())
    }

    /// Without parts the standard rules apply, and no view needs to be built.
    #[inline]
    pub fn is_standard(&self) -> bool {
        self.parts.is_empty()
    }

    #[inline]
    pub fn wants_sent(&self) -> bool {
        self.wants_sent
    }

    pub fn on_ack(&mut self, view: &SenderView, event: &AckEvent, effects: &mut Effects) -> Window {
        let mut decided = event.standard;
        for (role, part) in &mut self.parts {
            if *role == Role::Start {
                decided = part.on_ack(view, &AckEvent { standard: decided, ..*event }, effects);
                continue;
            }
            let own = part.on_ack(view, event, effects);
            if role.grows() {
                decided = own;
            }
        }
        decided
    }

    pub fn on_dup_ack(
        &mut self,
        view: &SenderView,
        event: &DupAckEvent,
        effects: &mut Effects,
    ) -> DupAckDecision {
        let mut decided = DupAckDecision::Recovery;
        for (role, part) in &mut self.parts {
            let own = part.on_dup_ack(view, event, effects);
            if role.reduces() {
                decided = own;
            }
        }
        decided
    }

    pub fn on_loss(&mut self, view: &SenderView, event: &LossEvent, effects: &mut Effects) -> Window {
        let mut decided = event.standard;
        for (role, part) in &mut self.parts {
            let own = part.on_loss(view, event, effects);
            if role.reduces() {
                decided = own;
            }
        }
        decided
    }

    pub fn on_rto(&mut self, view: &SenderView, event: &RtoEvent, effects: &mut Effects) -> RtoDecision {
        let mut decided = RtoDecision { window: event.standard, backoff: Backoff::Double };
        for (role, part) in &mut self.parts {
            let own = part.on_rto(view, event, effects);
            if role.reduces() {
                decided = own;
            }
        }
        decided
    }

    pub fn on_undo(&mut self, view: &SenderView, event: &UndoEvent, effects: &mut Effects) -> Window {
        let mut decided = event.standard;
        for (role, part) in &mut self.parts {
            let own = part.on_undo(view, event, effects);
            if role.reduces() {
                decided = own;
            }
        }
        decided
    }

    pub fn on_restart(&mut self, view: &SenderView, event: &RestartEvent, effects: &mut Effects) -> Window {
        let mut decided = event.standard;
        for (role, part) in &mut self.parts {
            let own = part.on_restart(view, event, effects);
            if role.reduces() {
                decided = own;
            }
        }
        decided
    }

    pub fn on_rtt(&mut self, view: &SenderView, event: &RttEvent, effects: &mut Effects) {
        self.parts.iter_mut().for_each(|(_, p)| p.on_rtt(view, event, effects));
    }
    pub fn on_handshake(&mut self, view: &SenderView, event: &RttEvent, effects: &mut Effects) {
        self.parts.iter_mut().for_each(|(_, p)| p.on_handshake(view, event, effects));
    }
    pub fn on_rate(&mut self, view: &SenderView, sample: &RateSample, effects: &mut Effects) {
        self.parts.iter_mut().for_each(|(_, p)| p.on_rate(view, sample, effects));
    }
    /// The answer is expected if any part expects it.
    pub fn on_probe_answer(
        &mut self,
        view: &SenderView,
        event: &ProbeEvent,
        effects: &mut Effects,
    ) -> ProbeVerdict {
        let mut verdict = ProbeVerdict::Stray;
        for (_, part) in &mut self.parts {
            if part.on_probe_answer(view, event, effects) == ProbeVerdict::Expected {
                verdict = ProbeVerdict::Expected;
            }
        }
        verdict
    }
    pub fn on_sent(&mut self, view: &SenderView, event: &SentEvent) {
        self.parts.iter_mut().for_each(|(_, p)| p.on_sent(view, event));
    }
    pub fn on_recovery_exit(&mut self, view: &SenderView, effects: &mut Effects) {
        self.parts.iter_mut().for_each(|(_, p)| p.on_recovery_exit(view, effects));
    }
    pub fn on_path_event(&mut self, view: &SenderView, event: PathEvent, effects: &mut Effects) {
        self.parts.iter_mut().for_each(|(_, p)| p.on_path_event(view, event, effects));
    }
    pub fn on_timer(&mut self, view: &SenderView, effects: &mut Effects) {
        self.parts.iter_mut().for_each(|(_, p)| p.on_timer(view, effects));
    }
    /// The smallest burst limit of any part, segments.
    #[inline]
    pub fn burst(&self) -> Option<u32> {
        if !self.needs.contains(Needs::BURSTS) {
            debug_assert!(self.parts.iter().all(|(_, p)| p.burst().is_none()), "bursts without need");
            return None;
        }
        self.parts.iter().filter_map(|(_, p)| p.burst()).min()
    }
    #[inline]
    pub fn withholds_samples(&self) -> bool {
        let withheld = |p: &dyn CongestionControl| p.sampling() == Sampling::Withheld;
        if !self.needs.contains(Needs::SAMPLING) {
            debug_assert!(!self.parts.iter().any(|(_, p)| withheld(&**p)), "withholds samples without need");
            return false;
        }
        self.parts.iter().any(|(_, p)| withheld(&**p))
    }
    /// True if any part may bound the window.
    #[inline]
    pub fn is_bounded(&self) -> bool {
        let bounds = |p: &dyn CongestionControl| p.floor().is_some() || p.limit().is_some();
        debug_assert!(
            self.needs.contains(Needs::BOUNDS) || !self.parts.iter().any(|(_, p)| bounds(&**p)),
            "bounds the window without need"
        );
        self.needs.contains(Needs::BOUNDS)
    }
    /// The highest lower bound of any part, segments.
    pub fn floor(&self) -> Option<f64> {
        self.parts.iter().filter_map(|(_, p)| p.floor()).reduce(f64::max)
    }
    /// The lowest upper bound of any part, segments.
    pub fn limit(&self) -> Option<f64> {
        self.parts.iter().filter_map(|(_, p)| p.limit()).reduce(f64::min)
    }
}
