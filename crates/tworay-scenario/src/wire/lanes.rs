//! A wire whose delay and losses follow a schedule of classes, as SEDLANE replays a measured network (the
//! emulator of Ramadan and Bouabdallah, used by Ghaleb-Seddik et al. 2012, §V.C): packets with similar
//! round-trip times share a pipe with half that delay in each direction and the loss rate of their class.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::{ConfigProblem, SimDuration, SimTime};

/// Most classes of a schedule.
const MOST_CLASSES: usize = 16;

/// A class of packets: one pipe in each direction.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Lane")]
pub struct Lane {
    /// Delay in each direction, half of the round-trip time; at most 100s.
    pub delay: SimDuration,
    /// Fraction of packets lost from `from` to `to`, 0 to 1.
    #[serde(default)]
    pub loss: f64,
    /// Fraction of packets lost in the reverse direction, 0 to 1.
    #[serde(default)]
    pub loss_back: f64,
}

/// The classes, and when each one applies. Packets of different classes may overtake each other, as in
/// separate pipes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Lanes")]
pub struct LanesConfig {
    /// Period after which the schedule repeats.
    pub period: SimDuration,
    /// The classes, at most 16.
    pub class: Vec<Lane>,
    /// Start time and class (index in `class`) of each period, in order of time; the first starts at "0s".
    pub schedule: Vec<(SimDuration, u16)>,
}

impl LanesConfig {
    /// Checks ranges.
    pub fn validate(&self) -> Result<(), ConfigProblem> {
        const REMEDY: &str = "generate it again with `tworay sedlane fit`, or correct it by hand";
        let fail = |key: &str, what: String| ConfigProblem::refuse(key, what, REMEDY);
        if self.period.is_zero() {
            return fail("period", "the period is zero".into());
        }
        if !(1..=MOST_CLASSES).contains(&self.class.len()) {
            return fail("class", format!("{} classes; 1 to {MOST_CLASSES} are allowed", self.class.len()));
        }
        let share = |x: f64| (0.0..=1.0).contains(&x);
        for lane in &self.class {
            if lane.delay > SimDuration::from_secs(100) {
                return fail("class", format!("a delay of {}; at most 100 s are allowed", lane.delay));
            }
            if !share(lane.loss) || !share(lane.loss_back) {
                return fail("class", "a loss rate outside 0 to 1".into());
            }
        }
        if self.schedule.first().is_none_or(|first| !first.0.is_zero()) {
            return fail("schedule", "the first time is not 0s".into());
        }
        if !self.schedule.is_sorted_by(|a, b| a.0 < b.0) {
            return fail("schedule", "the times do not increase".into());
        }
        match self.schedule.iter().find(|(_, class)| usize::from(*class) >= self.class.len()) {
            Some((at, class)) => fail("schedule", format!("at {at} there is no class {class}")),
            None => Ok(()),
        }
    }

    /// Each class with the part of the period for which it applies, 0 to 1.
    fn parts(&self) -> impl Iterator<Item = (&Lane, f64)> {
        let ends = self.schedule.iter().skip(1).map(|(from, _)| *from).chain([self.period]);
        self.schedule.iter().zip(ends).filter_map(|((from, class), end)| {
            let part = (end.as_secs_f64() - from.as_secs_f64()).max(0.0) / self.period.as_secs_f64();
            Some((self.class.get(usize::from(*class))?, part))
        })
    }

    /// The round-trip time at which a sender would send as many windows as over the whole period: the
    /// harmonic mean.
    pub fn round_trip(&self) -> SimDuration {
        let windows: f64 = self.parts().map(|(lane, part)| part / (2.0 * lane.delay.as_secs_f64())).sum();
        SimDuration::from_secs_f64(windows.recip())
    }

    /// The part of the packets from `from` to `to` that are lost, if they are sent evenly.
    pub fn mean_loss(&self) -> f64 {
        self.parts().map(|(lane, part)| part * lane.loss).sum()
    }

    /// The class that applies at a time.
    pub fn at(&self, now: SimTime) -> Lane {
        let within = now.as_nanos() % self.period.as_nanos().max(1);
        let next = self.schedule.partition_point(|(from, _)| from.as_nanos() <= within);
        let class = self.schedule.get(next.saturating_sub(1)).map_or(0, |(_, class)| usize::from(*class));
        self.class.get(class).copied().unwrap_or(Lane { delay: SimDuration::ZERO, loss: 0.0, loss_back: 0.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes() -> LanesConfig {
        let lane = |ms, loss| Lane { delay: SimDuration::from_millis(ms), loss, loss_back: 0.0 };
        let ms = SimDuration::from_millis;
        LanesConfig {
            period: ms(1000),
            class: vec![lane(5, 0.0), lane(50, 0.5)],
            schedule: vec![(ms(0), 0), (ms(300), 1), (ms(600), 0)],
        }
    }

    #[test]
    fn the_schedule_is_followed_and_begins_anew() {
        let lanes = lanes();
        lanes.validate().expect("it is right");
        let delay =
            |ms: u64| lanes.at(SimTime::ZERO + SimDuration::from_millis(ms)).delay.as_nanos() / 1_000_000;
        assert_eq!([0, 299, 300, 599, 600, 999, 1000, 1300].map(delay), [5, 5, 50, 50, 5, 5, 5, 50]);
    }

    #[test]
    fn means_are_weighted_by_time() {
        // 700 of 1000 ms with a round trip of 10 ms make 70 windows, 300 with one of 100 ms make 3.
        assert_eq!(lanes().round_trip(), SimDuration::from_secs_f64(1.0 / 73.0));
        assert!((lanes().mean_loss() - 0.3 * 0.5).abs() < 1e-12);
    }

    #[test]
    fn wrong_schedules_are_refused() {
        let wrong = |change: fn(&mut LanesConfig)| {
            let mut lanes = lanes();
            change(&mut lanes);
            lanes.validate().expect_err("refused").key
        };
        assert_eq!(wrong(|l| l.period = SimDuration::ZERO), "period");
        assert_eq!(wrong(|l| l.class.clear()), "class");
        assert_eq!(wrong(|l| l.class[0].loss = 1.5), "class");
        assert_eq!(wrong(|l| l.schedule[0].0 = SimDuration::from_millis(1)), "schedule");
        assert_eq!(wrong(|l| l.schedule[2].0 = SimDuration::from_millis(300)), "schedule");
        assert_eq!(wrong(|l| l.schedule[1].1 = 2), "schedule");
    }
}
