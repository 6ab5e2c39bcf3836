//! Computing cost of the sender's operations: instructions counted on this code, from the table that ships
//! with it. A user's own table may replace entries with other counts or with measured run times.
//!
//! The head of `costs.csv` records how, on what machine and when it was made; `tworay costs` regenerates
//! it.

mod life;
mod operations;
mod table;

use crate::variant::Variant;

pub use life::{Call, Lived, live};
pub use operations::{Operation, Operations};
pub use table::{CostProblem, CostTable, Timed};

/// The shipped table as text: comments with its provenance, a heading, one line per variant.
pub const COSTS_CSV: &str = include_str!("costs.csv");

/// Cost of one or many runs of an operation: counted instructions, or measured processor time. The same
/// work is never counted in both.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Computing {
    /// Instructions counted.
    pub instructions: f64,
    /// Measured processor time, s.
    pub seconds: f64,
    /// Energy of the measured time at the power given with it, J.
    pub timed_joules: f64,
}

impl Computing {
    /// Energy in joules, at `per_instruction` joules per instruction.
    pub fn joules(&self, per_instruction: f64) -> f64 {
        self.instructions * per_instruction + self.timed_joules
    }

    /// The sum of both.
    pub fn plus(self, other: Self) -> Self {
        Self {
            instructions: self.instructions + other.instructions,
            seconds: self.seconds + other.seconds,
            timed_joules: self.timed_joules + other.timed_joules,
        }
    }

    fn times(self, n: f64) -> Self {
        Self {
            instructions: self.instructions * n,
            seconds: self.seconds * n,
            timed_joules: self.timed_joules * n,
        }
    }

    fn at_least_nothing(self) -> Self {
        Self {
            instructions: self.instructions.max(0.0),
            seconds: self.seconds.max(0.0),
            timed_joules: self.timed_joules.max(0.0),
        }
    }

    fn of_time(time: Timed) -> Self {
        Self { instructions: 0.0, seconds: time.seconds, timed_joules: time.seconds * time.watts }
    }
}

impl CostTable {
    /// The costs of `variant` by operation, in the order of [`Operation::ALL`]: those of its recovery, plus
    /// what each part added to the recovery with which it was measured. A part that was not measured (such
    /// as a user's own) adds nothing; parameters make no difference. A part's measured time counts as the
    /// time of the whole operation unless the recovery has a measured time to subtract.
    pub fn costs_of(&self, variant: &Variant) -> [Computing; Operation::COUNT] {
        let mut costs = [Computing::default(); Operation::COUNT];
        let recovery = self.line(variant.recovery().name());
        let parts = || {
            variant.part_ids().filter_map(|id| {
                let line = self.line(id)?;
                Some((line, self.line(&line.recovery)?))
            })
        };
        for (i, cost) in costs.iter_mut().enumerate() {
            if let Some(own) = recovery {
                *cost = match own.timed[i] {
                    Some(time) => Computing::of_time(time),
                    None => Computing { instructions: own.instructions[i], ..Computing::default() },
                };
            }
            let timed = recovery.is_some_and(|own| own.timed[i].is_some());
            for (part, base) in parts() {
                match (part.timed[i], base.timed[i].filter(|_| timed)) {
                    (Some(with), Some(without)) => {
                        let difference = Computing::of_time(without).times(-1.0);
                        *cost = cost.plus(Computing::of_time(with)).plus(difference).at_least_nothing();
                    }
                    (Some(with), None) => *cost = Computing::of_time(with),
                    (None, _) => {
                        let (with, without) = (part.instructions[i], base.instructions[i]);
                        // If either never ran the operation, there is no difference to take.
                        let extra = if with > 0.0 && without > 0.0 { with - without } else { with };
                        cost.instructions = (cost.instructions + extra).max(0.0);
                    }
                }
            }
        }
        costs
    }

    /// The cost for a sender of `variant` of `operations`.
    pub fn computing(&self, variant: &Variant, operations: &Operations) -> Computing {
        let costs = self.costs_of(variant);
        let spent = operations.iter().zip(costs).map(|(&n, cost)| cost.times(n as f64));
        spent.fold(Computing::default(), Computing::plus)
    }
}

#[cfg(test)]
mod tests;
