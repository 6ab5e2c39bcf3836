//! Gentle: a loss reduces the window by a fraction, a quarter by default.

use super::*;
use crate::control::{Effects, LossEvent, SenderView, Window};

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
}

impl CongestionControl for Gentle {
    fn on_loss(&mut self, view: &SenderView, _: &LossEvent, _: &mut Effects) -> Window {
        let window = (self.options.keep * view.in_use()).max(2.0);
        Window { cwnd: window, ssthresh: window }
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "gentle",
        summary: "reduces the window by a quarter on a loss",
        source: "docs/guide/add-a-variant.md",
        rules: &[Rule::at(
            Event::Loss,
            "ssthresh and cwnd are `keep` of the window, at least 2",
            "docs/guide/add-a-variant.md",
        )],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: ANY_RENO,
        unless: "it replaces the halving of a fast recovery",
        ..Part::new(Role::Reduction, |values| {
            let options = Options::read(values);
            factory(move || Gentle { options })
        })
    }),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::tests::{LOSS, part, view};

    #[test]
    fn a_loss_costs_a_part() {
        // keep, window before, window after
        for (keep, before, after) in [(0.75, 20.0, 15.0), (0.5, 20.0, 10.0), (0.75, 2.0, 2.0)] {
            let window = part(&ENTRY, &[keep]).on_loss(&view(before, 64.0), &LOSS, &mut Effects::new());
            assert_eq!((window.cwnd, window.ssthresh), (after, after), "{keep} of {before}");
        }
    }
}
