//! Estimates the resources of a run.

use super::Scenario;
use crate::flow::Application;
use crate::run::{RunError, facts};
use tworay_base::SimTime;
use tworay_routing::Protocol;

/// Memory that does not depend on the number of nodes, bytes.
const BASE: u64 = 8 << 20;
/// Packets per second that an endless transfer forwards on each hop of its path, and processor time per
/// packet and hop: measured on grids with 6 to 30 hops at 2 Mb/s.
const TRANSFER_RATE: f64 = 20.0;
const SECONDS_PER_HOP: f64 = 10e-6;

/// A rough estimate, correct within a factor of two or three.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Initial memory of a run: nodes, their neighbours and tables. Packets, ledger, time series and routes
    /// in use are added by the traffic.
    pub bytes: u64,
    /// Processor time if every flow keeps its path busy.
    pub seconds: f64,
}

impl Scenario {
    /// The estimated resources of a run with `seed`.
    pub fn estimate(&self, seed: u64) -> Result<Estimate, RunError> {
        let node: u64 = match self.settings.routing.protocol {
            Protocol::Static => 2_200,
            Protocol::Aodv | Protocol::Dsr | Protocol::Olsr => 3_400,
        };
        let (_, paths) = facts(self, seed)?;
        let end = SimTime::ZERO + self.settings.duration;
        let packet_hops = self.flows.iter().zip(paths).map(|(flow, path)| {
            let hops = path.facts.hops as f64 / path.facts.samples.max(1) as f64;
            let active = flow.stop.unwrap_or(end).min(end).since(flow.start).as_secs_f64();
            let rate = match flow.application {
                // Segments and acknowledgments both use the path.
                Application::Ftp { .. } | Application::External { .. } => TRANSFER_RATE,
                Application::Cbr { interval, .. } | Application::OnOff { interval, .. } => {
                    (1.0 / interval.as_secs_f64()).min(TRANSFER_RATE)
                }
            };
            active * rate * hops
        });
        Ok(Estimate {
            bytes: BASE + node * u64::from(self.node_count()),
            seconds: packet_hops.sum::<f64>() * SECONDS_PER_HOP,
        })
    }
}
