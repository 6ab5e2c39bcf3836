//! ELFN: on a notice of a broken link the sender enters stand-by and probes; when a probe is acknowledged
//! it resumes with its old state (Holland and Vaidya 1999). Losses without a notice are left to the
//! recovery.
//!
//! The notices come from route errors of DSR and AODV. Over routing without route errors (OLSR, static) the
//! sender behaves like its plain recovery. A notice names the segment that met the break, and the guess is
//! about that segment; if the notice is about another packet on the route, it is about the oldest one
//! outstanding.

use super::*;
use crate::control::{AckEvent, Effect, Effects, LossEvent, PathEvent, SenderView, Window};
use tworay_base::SimDuration;

/// Resumption after the acknowledgment that ends stand-by.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Resume {
    /// The recovery continues with the window and timer as they were.
    Normal,
    /// Everything outstanding is retransmitted.
    GoBack,
}

settings! {
    struct Options {
        /// interval between probes, seconds
        interval: SimDuration = 2.0, 0.01..1000.0;
        /// after stand-by: continue as before, or retransmit everything outstanding
        resume: Resume = ["normal" => Resume::Normal, "go_back" => Resume::GoBack];
    }
}

#[derive(Debug)]
struct Elfn {
    options: Options,
    standing_by: bool,
}

impl CongestionControl for Elfn {
    fn on_path_event(&mut self, view: &SenderView, event: PathEvent, effects: &mut Effects) {
        let PathEvent::LinkFailure { segment } = event else { return };
        // Further notices during stand-by add nothing.
        if !self.standing_by {
            self.standing_by = true;
            effects.push(Effect::Guess { seq: segment.unwrap_or(view.una), guess: LINK_FAILURE });
            effects.push(Effect::Freeze);
            effects.push(Effect::StartTimer(self.options.interval));
        }
    }

    fn on_timer(&mut self, _: &SenderView, effects: &mut Effects) {
        if self.standing_by {
            effects.push(Effect::Retransmit);
            effects.push(Effect::StartTimer(self.options.interval));
        }
    }

    fn on_ack(&mut self, view: &SenderView, event: &AckEvent, effects: &mut Effects) -> Window {
        if std::mem::take(&mut self.standing_by) {
            effects.push(Effect::StopTimer);
            effects.push(Effect::Thaw);
            if self.options.resume == Resume::GoBack {
                effects.push(Effect::GoBack(Window { cwnd: view.cwnd, ssthresh: view.ssthresh }));
            }
        }
        event.standard
    }

    fn on_loss(&mut self, view: &SenderView, event: &LossEvent, _: &mut Effects) -> Window {
        if self.standing_by { Window { cwnd: view.cwnd, ssthresh: view.ssthresh } } else { event.standard }
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "elfn",
        summary: "on a route error stops and probes with the oldest segment until an ACK arrives",
        source: "Holland and Vaidya 1999",
        rules: &[
            Rule::at(
                Event::Notice,
                "stops sending and its timer; window, threshold and timeout stay",
                "Holland and Vaidya 1999; TCP Freeze-Probing 2005 §2",
            ),
            Rule::at(
                Event::Timer,
                "each `interval`: sends the oldest segment as a probe",
                "Holland and Vaidya 1999, as others report it",
            ),
            Rule::at(
                Event::Ack,
                "goes on with window and timer as they were",
                "Holland and Vaidya 1999; TCP Freeze-Probing 2005 §2",
            ),
        ],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: &[RecoveryKind::Reno, RecoveryKind::NewReno, RecoveryKind::Sack],
        unless: "it is defined only for the recoveries of the Reno family",
        needs: Needs::NOTICES,
        ..Part::new(Role::Reduction, |values| {
            let options = Options::read(values);
            factory(move || Elfn { options, standing_by: false })
        })
    }),
};

#[cfg(test)]
mod tests;
