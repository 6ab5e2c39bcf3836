//! Shrinks a scenario that fails: removes what can go and still fails in the same way.

use crate::checks::Fault;
use crate::plan::{Plan, Step};
use toml::Value;

/// Most runs spent on one scenario.
const RUNS: u32 = 400;

/// The smallest scenario found that fails as `fault`; `judge` runs one.
pub fn shrink(plan: &Plan, fault: &Fault, judge: impl Fn(&Plan) -> Option<Fault>) -> Plan {
    // Each repetition of a hang costs two minutes.
    if fault.kind == "hang" {
        return plan.clone();
    }
    let mut best = plan.clone();
    let mut runs = 0;
    loop {
        let before = best.toml().len();
        for path in best.paths().into_iter().rev() {
            for smaller in smaller(&best, &path) {
                if runs >= RUNS {
                    return best;
                }
                if smaller.scenario().is_err() {
                    continue;
                }
                runs += 1;
                if judge(&smaller).is_some_and(|found| found.kind == fault.kind) {
                    best = smaller;
                    break;
                }
            }
        }
        if best.toml().len() >= before {
            return best;
        }
    }
}

/// Without the value at `path`; then with half of it.
fn smaller(plan: &Plan, path: &[Step]) -> Vec<Plan> {
    let mut found = Vec::new();
    let mut without = plan.clone();
    if without.remove(path) {
        found.push(without);
    }
    let mut halved = plan.clone();
    if let Some(value) = halved.at_mut(path)
        && let Some(half) = half(value)
    {
        *value = half;
        found.push(halved);
    }
    found
}

/// A shorter number, with the same unit.
fn half(value: &Value) -> Option<Value> {
    match value {
        Value::Integer(n) if *n > 1 => Some(Value::Integer(n / 2)),
        Value::String(text) => {
            let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
            let number: f64 = text[..digits].parse().ok()?;
            let whole = (number / 2.0).ceil();
            (whole < number).then(|| Value::String(format!("{whole}{}", &text[digits..])))
        }
        _ => None,
    }
}
