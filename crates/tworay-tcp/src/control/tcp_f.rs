//! TCP-F: on a route failure notification the sender snoozes, and resumes with its old state when the route
//! is re-established (Chandran, Raghunathan, Venkatesan, Prakash 1998).
//!
//! The failure notification (RFN) is routing's notice of a broken link, as for ELFN. In the paper the node
//! that met the break also sends the re-establishment notification (RRN) once it knows a new route. AODV and
//! DSR have no such message, and no node searches a route that no packet waits for. So the sender sends an
//! empty segment when it begins to snooze: its own node searches a route for that segment, and the end of the
//! search is the RRN. If a cached route spares the search, the answer to the segment takes its place. Any ACK
//! that arrives after the segment was sent counts as its answer.
//!
//! Snoozing stops the retransmission timer and keeps the window, the threshold and the timeout. The RRN
//! retransmits what is outstanding, as far as the window allows. The route failure timer bounds the time:
//! when it expires, the sender goes on and its retransmission timer repairs what was lost. The paper's length
//! of this timer could not be recovered; a search of AODV or DSR takes up to several seconds.

use super::*;
use crate::control::{
    AckEvent, DupAckDecision, DupAckEvent, Effect, Effects, LossEvent, PathEvent, SenderView, Window,
};
use tworay_base::SimDuration;

settings! {
    struct Options {
        /// route failure timer: longest time to snooze, seconds
        route_failure: SimDuration = 10.0, 0.1..1000.0;
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum State {
    Established,
    /// The route has failed; the search for another one begins now.
    Failed,
    /// Waiting for the route.
    Snoozing,
}

#[derive(Debug)]
struct TcpF {
    options: Options,
    state: State,
}

fn unchanged(view: &SenderView) -> Window {
    Window { cwnd: view.cwnd, ssthresh: view.ssthresh }
}

impl TcpF {
    /// The route is back. Returns false if the sender was not waiting for it.
    fn resume(&mut self, view: &SenderView, effects: &mut Effects) -> bool {
        if self.state != State::Snoozing {
            return false;
        }
        self.state = State::Established;
        effects.push(Effect::StopTimer);
        effects.push(Effect::Thaw);
        effects.push(Effect::GoBack(unchanged(view)));
        true
    }
}

impl CongestionControl for TcpF {
    fn on_path_event(&mut self, view: &SenderView, event: PathEvent, effects: &mut Effects) {
        match event {
            PathEvent::LinkFailure { segment } if self.state == State::Established => {
                self.state = State::Failed;
                effects.push(Effect::Guess { seq: segment.unwrap_or(view.una), guess: LINK_FAILURE });
                effects.push(Effect::Freeze);
                // Routing is still processing the failure.
                effects.push(Effect::StartTimer(SimDuration::ZERO));
            }
            PathEvent::RouteFound => {
                self.resume(view, effects);
            }
            _ => {}
        }
    }

    fn on_timer(&mut self, _: &SenderView, effects: &mut Effects) {
        match self.state {
            State::Established => {}
            State::Failed => {
                self.state = State::Snoozing;
                effects.push(Effect::Probe(None));
                effects.push(Effect::StartTimer(self.options.route_failure));
            }
            State::Snoozing => {
                self.state = State::Established;
                effects.push(Effect::Thaw);
            }
        }
    }

    fn on_ack(&mut self, view: &SenderView, event: &AckEvent, effects: &mut Effects) -> Window {
        self.resume(view, effects);
        event.standard
    }

    fn on_dup_ack(&mut self, view: &SenderView, _: &DupAckEvent, effects: &mut Effects) -> DupAckDecision {
        let snoozed = self.state != State::Established;
        self.resume(view, effects);
        if snoozed { DupAckDecision::Ignore } else { DupAckDecision::Recovery }
    }

    fn on_loss(&mut self, view: &SenderView, event: &LossEvent, _: &mut Effects) -> Window {
        if self.state == State::Established { event.standard } else { unchanged(view) }
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "tcp-f",
        summary: "on a route error snoozes until a route is found, then resumes with its old window",
        source: "Chandran, Raghunathan, Venkatesan, Prakash 1998",
        rules: &[
            Rule::at(
                Event::Notice,
                "snoozes: stops sending and its timer; window, threshold and timeout stay. An empty segment makes routing search",
                "Chandran et al. 1998, as others report it; search: our reading",
            ),
            Rule::at(
                Event::Route,
                "sends what is outstanding again, with the old window; an ACK has the same effect",
                "Chandran et al. 1998, as others report it",
            ),
            Rule::at(
                Event::Timer,
                "route_failure is over: goes on without a route",
                "Chandran et al. 1998; its length is not known",
            ),
        ],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: &[RecoveryKind::Reno, RecoveryKind::NewReno, RecoveryKind::Sack],
        unless: "it is defined only for the recoveries of the Reno family",
        needs: Needs::NOTICES.union(Needs::ROUTES),
        ..Part::new(Role::Reduction, |values| {
            let options = Options::read(values);
            factory(move || TcpF { options, state: State::Established })
        })
    }),
};

#[cfg(test)]
mod tests;
