//! ELFN: word of a broken link puts the sender on stand-by until a probe is acknowledged; then it goes
//! on as it stood (Holland and Vaidya 1999). Losses without such word are the recovery's business.
//!
//! The word comes from DSR's and AODV's route errors. Routing without them (OLSR, static) leaves ELFN what
//! its recovery is.

use super::*;
use crate::control::{AckEvent, Effect, Effects, LossEvent, PathEvent, SenderView, Window};
use tworay_base::SimDuration;

/// What follows the acknowledgment that ends stand-by.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Resume {
    /// The recovery's usual ways: window and timer are as before.
    Normal,
    /// Everything outstanding is sent again.
    GoBack,
}

settings! {
    struct Options {
        /// time between probes, seconds
        interval: SimDuration = 2.0, 0.01..1000.0;
        /// after stand-by: go on as it stood, or send everything outstanding again
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
        // Further word during stand-by says nothing new.
        if event == PathEvent::LinkFailure && !self.standing_by {
            self.standing_by = true;
            effects.push(Effect::Guess { seq: view.una, guess: LINK_FAILURE });
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
        summary: "stands by after a route error and probes with the oldest segment",
        source: "Holland and Vaidya 1999",
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: &[RecoveryKind::Reno, RecoveryKind::NewReno, RecoveryKind::Sack],
        unless: "it is defined on the recoveries of the Reno family",
        needs: Needs { notices: true, ..Needs::NOTHING },
        ..Part::new(Role::Reduction, |values| {
            let options = Options::read(values);
            factory(move || Elfn { options, standing_by: false })
        })
    }),
};

#[cfg(test)]
mod tests;
