//! Handoffs: periods in which a wire carries nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::{ConfigProblem, RngStream, SimDuration, SimTime};

/// Periods in which a wire is down in both directions: packets that arrive at it, wait for it or travel on
/// it are lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HandoffConfig {
    /// Length of each handoff, above zero.
    pub length: SimDuration,
    /// Number of handoffs at random times that do not overlap, drawn from the run's seed for each wire. Set
    /// either this or `at`; all handoffs must fit into the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// Start times of the handoffs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Vec<SimDuration>>,
}

/// Most handoffs of a wire.
const MOST: u32 = 100_000;

impl HandoffConfig {
    /// Checks ranges for a run of `duration`.
    pub fn validate(&self, duration: SimDuration) -> Result<(), ConfigProblem> {
        let fail = |key: &str, what: String, remedy: &str| ConfigProblem::refuse(key, what, remedy);
        if self.length.is_zero() {
            return fail("length", "the handoff has no length".into(), "give a time such as \"0.5s\"");
        }
        match (self.count, &self.at) {
            (None, None) => {
                fail("length", "neither count nor at is given".into(), "add count = 10 or at = [\"10s\"]")
            }
            (Some(_), Some(_)) => fail("count", "both count and at are given".into(), "keep one of them"),
            (Some(count), None) => {
                let down = u128::from(self.length.as_nanos()) * u128::from(count);
                if count > MOST {
                    let what = format!("{count} handoffs are too many");
                    return fail("count", what, &format!("give at most {MOST}"));
                }
                if down > u128::from(duration.as_nanos()) {
                    let what = format!("{count} handoffs of {} are longer than the run", self.length);
                    return fail("count", what, "give fewer or shorter ones, or a longer duration");
                }
                Ok(())
            }
            (None, Some(at)) if at.len() > MOST as usize => {
                fail("at", format!("{} handoffs are too many", at.len()), &format!("give at most {MOST}"))
            }
            (None, Some(at)) => match at.iter().position(|&t| t >= duration) {
                Some(i) => fail(
                    &format!("at.{i}"),
                    format!("{} is after the run's end ({duration})", at[i]),
                    "give an earlier time, or a longer duration",
                ),
                None => Ok(()),
            },
        }
    }

    /// The handoffs in a run of `duration`; random ones are drawn from `rng`.
    pub fn outages(&self, duration: SimDuration, rng: &mut RngStream) -> Outages {
        let mut starts: Vec<SimTime> = match (&self.at, self.count) {
            (Some(at), _) => at.iter().map(|&t| SimTime::ZERO + t).collect(),
            (None, count) => {
                // Uniform over all placements of `count` windows that do not overlap: random points in the
                // rest of the run, shifted by the windows before them.
                let count = u64::from(count.unwrap_or(0));
                let free = duration.saturating_sub(self.length * count);
                let mut points: Vec<SimDuration> = (0..count).map(|_| rng.jitter(free)).collect();
                points.sort_unstable();
                (0..count).zip(points).map(|(i, p)| SimTime::ZERO + p + self.length * i).collect()
            }
        };
        starts.sort_unstable();
        Outages::new(starts.into_iter().map(|t| (t, t + self.length)))
    }
}

/// Windows in which a wire is down, in order of time and disjoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outages(Vec<(SimTime, SimTime)>);

impl Outages {
    /// From windows (start, end) in order of their starts; overlapping windows are merged.
    pub fn new(windows: impl IntoIterator<Item = (SimTime, SimTime)>) -> Self {
        let mut merged: Vec<(SimTime, SimTime)> = Vec::new();
        for (from, to) in windows {
            match merged.last_mut() {
                Some(last) if from <= last.1 => last.1 = last.1.max(to),
                _ => merged.push((from, to)),
            }
        }
        Self(merged)
    }

    /// True if the wire is down at any moment from `from` to `to`, both included.
    #[inline]
    pub fn cut(&self, from: SimTime, to: SimTime) -> bool {
        if self.0.is_empty() {
            return false;
        }
        // The last window that starts no later than `to`.
        let next = self.0.partition_point(|w| w.0 <= to);
        next > 0 && self.0[next - 1].1 > from
    }

    /// The windows.
    pub fn windows(&self) -> &[(SimTime, SimTime)] {
        &self.0
    }
}

#[cfg(test)]
mod tests;
