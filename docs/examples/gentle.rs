//! Gentle: a loss reduces the window by a fraction, a quarter by default.

use super::*;
use crate::control::{Backoff, Effect, Effects, LossEvent, RtoDecision, RtoEvent, SenderView, Window};

settings! {
    struct Options {
        /// fraction of the window that is left after a loss
        keep: f64 = 0.75, 0.5..1.0;
    }
}

/// State of one connection.
#[derive(Debug)]
struct Gentle {
    options: Options,
    /// The window to go on with after this recovery.
    target: Option<Window>,
}

impl CongestionControl for Gentle {
    fn on_loss(&mut self, view: &SenderView, _: &LossEvent, _: &mut Effects) -> Window {
        let window = (self.options.keep * view.in_use()).max(2.0);
        let target = Window { cwnd: window, ssthresh: window };
        self.target = Some(target);
        target
    }

    /// NewReno leaves its recovery with less (RFC 6582 §3.2, step 3).
    fn on_recovery_exit(&mut self, _: &SenderView, effects: &mut Effects) {
        effects.extend(self.target.take().map(Effect::SetWindow));
    }

    fn on_rto(&mut self, _: &SenderView, event: &RtoEvent, _: &mut Effects) -> RtoDecision {
        self.target = None;
        RtoDecision { window: event.standard, backoff: Backoff::Double }
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "gentle",
        summary: "reduces the window by a quarter on a loss",
        source: "docs/guide/add-a-variant.md",
        rules: &[
            Rule::at(
                Event::Loss,
                "ssthresh and cwnd are `keep` of the window, at least 2",
                "docs/guide/add-a-variant.md",
            ),
            Rule::at(Event::End, "the window is that of the loss again", "docs/guide/add-a-variant.md"),
        ],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: ANY_RENO,
        unless: "it replaces the halving of a fast recovery",
        ..Part::new(Role::Reduction, |values| {
            let options = Options::read(values);
            factory(move || Gentle { options, target: None })
        })
    }),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::tests::{LOSS, part, rto, view};

    #[test]
    fn a_loss_costs_a_part() {
        // keep, window before, window after
        for (keep, before, after) in [(0.75, 20.0, 15.0), (0.5, 20.0, 10.0), (0.75, 2.0, 2.0)] {
            let window = part(&ENTRY, &[keep]).on_loss(&view(before, 64.0), &LOSS, &mut Effects::new());
            assert_eq!((window.cwnd, window.ssthresh), (after, after), "{keep} of {before}");
        }
    }

    #[test]
    fn a_recovery_ends_with_the_window_of_the_loss() {
        let mut gentle = part(&ENTRY, &[0.75]);
        let ended = |gentle: &mut Box<dyn CongestionControl>| {
            let mut effects = Effects::new();
            gentle.on_recovery_exit(&view(2.0, 15.0), &mut effects);
            effects.to_vec()
        };
        let window = gentle.on_loss(&view(20.0, 64.0), &LOSS, &mut Effects::new());
        assert_eq!(ended(&mut gentle), [Effect::SetWindow(window)]);
        assert!(ended(&mut gentle).is_empty());
        // After a timeout, slow start begins anew.
        gentle.on_loss(&view(20.0, 64.0), &LOSS, &mut Effects::new());
        assert_eq!(gentle.on_rto(&view(15.0, 15.0), &rto(1), &mut Effects::new()).window.cwnd, 1.0);
        assert!(ended(&mut gentle).is_empty());
    }
}
