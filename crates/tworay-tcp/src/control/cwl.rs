//! Congestion window limits, fixed or by path length (Chen et al. 2003; Papanastasiou 2006, table 4.2).

use super::*;
use crate::control::{Effects, PathEvent, SenderView};

settings! {
    struct Options {
        /// limit of the congestion window, segments
        n: f64 = required, 1.0..100_000.0;
    }
}

#[derive(Debug)]
struct Fixed(Options);

impl CongestionControl for Fixed {
    fn limit(&self) -> Option<f64> {
        Some(self.0.n)
    }
}

/// The limit for a path of `hops`; none for an unknown path.
pub(super) fn limit_for(hops: u8) -> Option<f64> {
    match hops {
        0 => None,
        1..=2 => Some(2.0),
        3..=4 => Some(1.0),
        5..=6 => Some(2.0),
        7..=10 => Some(3.0),
        11..=13 => Some(4.0),
        _ => Some(5.0),
    }
}

#[derive(Debug, Default)]
struct Adaptive(Option<f64>);

impl CongestionControl for Adaptive {
    fn on_path_event(&mut self, _: &SenderView, event: PathEvent, _: &mut Effects) {
        if let PathEvent::Hops(hops) | PathEvent::SourceRoute(hops) = event {
            self.0 = limit_for(hops);
        }
    }
    fn limit(&self) -> Option<f64> {
        self.0
    }
}

pub(crate) const CWL: Entry = Entry {
    info: VariantInfo {
        name: "cwl",
        summary: "limits the congestion window to n segments",
        source: "Fu et al. 2003; Chen et al. 2003",
        rules: &[Rule::at(
            Event::Send,
            "cwnd is at most n segments",
            "Fu et al. 2003; Papanastasiou 2006 §4.4.2",
        )],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        needs: Needs::BOUNDS,
        ..Part::new(Role::Limit, |values| {
            let options = Options::read(values);
            factory(move || Fixed(options))
        })
    }),
};

pub(crate) const ADAPTIVE: Entry = Entry {
    info: VariantInfo {
        name: "adaptive-cwl",
        summary: "limits the congestion window by the number of hops",
        source: "Chen et al. 2003; Papanastasiou 2006, table 4.2",
        rules: &[Rule::at(
            Event::Hops,
            "cwnd is at most 2 segments up to 2 hops, 1 up to 4, 2 up to 6, 3 up to 10, 4 up to 13, 5 above",
            "Papanastasiou 2006 §4.4.2, table 4.2; 16 hops and more: our reading",
        )],
        parameters: &[],
    },
    meaning: Meaning::Part(Part {
        needs: Needs::HOPS.union(Needs::BOUNDS),
        ..Part::new(Role::Limit, |_| factory(Adaptive::default))
    }),
};

#[cfg(test)]
mod tests;
