//! Energy in the report: totals of the document, the account of each node, and samples of remaining energy.

use super::columns::{Column, ColumnData, Table, table};
use super::sections::{CostsReport, EnergyReport};
use std::collections::BTreeMap;
use tworay_base::SimTime;
use tworay_radio::{Meter, RadioState};
use tworay_scenario::Costs;

/// Energy accounts of all nodes at the end of a run.
#[derive(Clone, Debug)]
pub(crate) struct Power {
    meters: Vec<Meter>,
    samples: Vec<(SimTime, Vec<f64>)>,
}

impl Power {
    /// From closed meters, and the samples of remaining energy.
    pub fn new(meters: Vec<Meter>, samples: Vec<(SimTime, Vec<f64>)>) -> Self {
        Self { meters, samples }
    }

    /// Joules by radio state, summed over all nodes.
    fn by_state(&self) -> BTreeMap<&'static str, f64> {
        let sum = |s: RadioState| self.meters.iter().map(|m| m.joules()[s as usize]).sum();
        RadioState::ALL.iter().map(|&s| (s.name(), sum(s))).collect()
    }

    /// When the `n`-th node died, counted from 1.
    fn death(&self, n: usize) -> Option<f64> {
        let mut deaths: Vec<SimTime> = self.meters.iter().filter_map(Meter::died_at).collect();
        deaths.sort_unstable();
        deaths.get(n.checked_sub(1)?).map(|t| t.as_secs_f64())
    }

    /// One row per node: seconds by state, packets, joules, remaining energy (NaN: unlimited), time of
    /// death (NaN: alive).
    pub fn node_table(&self) -> Table {
        let m = &self.meters;
        let reals = |get: &dyn Fn(&Meter) -> f64| ColumnData::F64(m.iter().map(get).collect());
        let finite = |x: f64| if x.is_finite() { x } else { f64::NAN };
        let seconds = |s: RadioState| reals(&|m| m.times()[s as usize] as f64 * 1e-9);
        let ints = |get: &dyn Fn(&Meter) -> i64| ColumnData::I64(m.iter().map(get).collect());
        table(
            "energy",
            [
                ("node", ColumnData::I64((0..m.len() as i64).collect())),
                ("transmit_s", seconds(RadioState::Transmit)),
                ("receive_s", seconds(RadioState::Receive)),
                ("overhear_s", seconds(RadioState::Overhear)),
                ("idle_s", seconds(RadioState::Idle)),
                ("sleep_s", seconds(RadioState::Sleep)),
                ("dead_s", seconds(RadioState::Dead)),
                ("packets_sent", ints(&|m| m.packets()[0] as i64)),
                ("packets_received", ints(&|m| m.packets()[1] as i64)),
                ("joules", reals(&|m| m.spent())),
                ("joules_left", reals(&|m| finite(m.left()))),
                ("died_s", reals(&|m| m.died_at().map_or(f64::NAN, |t| t.as_secs_f64()))),
            ],
        )
    }

    /// Samples of remaining energy, if recorded.
    pub fn sample_table(&self) -> Option<Table> {
        let nodes = self.meters.len();
        let times = self.samples.iter().flat_map(|(t, _)| std::iter::repeat_n(t.as_secs_f64(), nodes));
        let ids = self.samples.iter().flat_map(|_| 0..nodes as i64);
        let finite = |x: &f64| if x.is_finite() { *x } else { f64::NAN };
        let left = self.samples.iter().flat_map(|(_, left)| left.iter().map(finite));
        (!self.samples.is_empty()).then(|| Table {
            name: "battery",
            columns: vec![
                Column { name: "t_s", data: ColumnData::F64(times.collect()) },
                Column { name: "node", data: ColumnData::I64(ids.collect()) },
                Column { name: "joules_left", data: ColumnData::F64(left.collect()) },
            ],
        })
    }
}

/// The document's energy section; empty without an energy model. `received_bits` and `computation` (J)
/// cover the whole run, as the radio energy does.
pub(crate) fn energy_report(
    power: Option<&Power>,
    received_bits: f64,
    computation: f64,
    costs: &Costs,
) -> EnergyReport {
    let Some(power) = power else { return EnergyReport::default() };
    let by_state = power.by_state();
    let of = |states: &[RadioState]| {
        states.iter().map(|s| by_state.get(s.name()).copied().unwrap_or(0.0)).sum::<f64>()
    };
    let active = of(&[RadioState::Transmit, RadioState::Receive, RadioState::Overhear]);
    let total: f64 = power.meters.iter().map(Meter::spent).sum();
    let per_bit = |joules: f64| (received_bits > 0.0).then(|| joules / received_bits);
    EnergyReport {
        joules_total: Some(total),
        joules_per_received_bit: per_bit(active),
        joules_computation: Some(computation),
        dead_nodes: Some(power.meters.iter().filter(|m| m.died_at().is_some()).count() as u64),
        joules_by_state: Some(by_state),
        joules_total_per_received_bit: per_bit(total),
        first_death_seconds: power.death(1),
        half_dead_seconds: power.death(power.meters.len().div_ceil(2)),
        costs: Some(CostsReport {
            sha256: costs.sha256.clone(),
            provenance: costs.table.provenance().to_vec(),
            replaced: costs.table.given().to_vec(),
        }),
    }
}
