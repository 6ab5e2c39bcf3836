//! A resolved scenario, and copies of it with other variants or start times.

use crate::costs::Costs;
use crate::error::{Place, ScenarioError, Source};
use crate::flow::FlowSetup;
use crate::settings::Settings;
use std::sync::Arc;
use tworay_base::SimTime;
use tworay_radio::phy::Standard;
use tworay_tcp::Variant;

/// A complete scenario: all defaults filled in, all values validated, file names resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// All settings of the file. File names are relative to the working directory instead of the file,
    /// events are in order of time, and the kinds of wires are filled in. The flows are those in
    /// [`Self::flows`].
    pub settings: Settings,
    /// Computing costs of the transport.
    pub costs: Arc<Costs>,
    /// Default variant of TCP flows.
    pub variant: Variant,
    /// The flows, at least one.
    pub flows: Vec<FlowSetup>,
    /// Nodes with a radio.
    pub(crate) radio_nodes: u32,
    /// Width and height of the area of the nodes, m, if it is given.
    pub(crate) field: Option<(f64, f64)>,
}

impl Scenario {
    /// Name in tables and results.
    pub fn name(&self) -> &str {
        self.settings.name.as_deref().unwrap_or_default()
    }

    /// The same scenario with all TCP flows using variant `tcp`.
    pub fn with_variant(&self, tcp: &str) -> Result<Self, ScenarioError> {
        Ok(self.with_custom_variant(&Self::read_variant(tcp)?))
    }

    /// Parses a variant's name as given with `--tcp`.
    pub fn read_variant(tcp: &str) -> Result<Variant, ScenarioError> {
        let source = Arc::new(Source { name: "--tcp".into(), text: tcp.to_owned(), has_lines: false });
        let place = Place::new(&source, 0..tcp.len());
        tcp.parse::<Variant>()
            .map_err(|wrong| ScenarioError::new(Some(place), wrong.headline(), wrong.advice()))
    }

    /// As [`Self::with_variant`], for a given variant.
    pub fn with_custom_variant(&self, variant: &Variant) -> Self {
        let mut changed = self.clone();
        changed.variant = variant.clone();
        changed.set_flow_variants(|_| Some(variant.clone()));
        changed
    }

    /// Numbers of the TCP flows.
    pub fn tcp_flows(&self) -> impl Iterator<Item = usize> {
        let flows = self.flows.iter().enumerate();
        flows.filter(|(_, flow)| flow.application.variant().is_some()).map(|(number, _)| number)
    }

    /// Number of TCP flows.
    pub fn tcp_flow_count(&self) -> usize {
        self.tcp_flows().count()
    }

    /// True if its radio sends frames in aggregates.
    pub fn has_aggregates(&self) -> bool {
        self.settings.radio.standard.is_some_and(Standard::has_aggregates)
    }

    /// Sets the variants of TCP flows; `choose` is called with each one's index among the TCP flows.
    pub fn set_flow_variants(&mut self, mut choose: impl FnMut(usize) -> Option<Variant>) {
        let tcp = self.flows.iter_mut().filter_map(|flow| flow.application.variant_mut());
        for (place, variant) in tcp.enumerate() {
            if let Some(chosen) = choose(place) {
                *variant = chosen;
            }
        }
    }

    /// The same scenario with other start times, one for each flow in their order. Fails at a flow that would
    /// start after its end, or after the end of the run.
    pub fn with_starts(&self, starts: &[SimTime]) -> Result<Self, ScenarioError> {
        let mut changed = self.clone();
        let end = SimTime::ZERO + self.settings.duration;
        for (i, (flow, &start)) in changed.flows.iter_mut().zip(starts).enumerate() {
            let until = flow.stop.unwrap_or(end).min(end);
            if start >= until {
                return Err(ScenarioError::new(
                    None,
                    format!(
                        "flow {i} would start at {:.3} s, and it ends at {:.3} s",
                        start.as_secs_f64(),
                        until.as_secs_f64()
                    ),
                    "Draw start times from a shorter span.",
                ));
            }
            flow.start = start;
        }
        Ok(changed)
    }

    /// Number of nodes, numbered from 0: those placed by the topology or the movement file, or in a
    /// wired-only network those named by wires.
    pub fn node_count(&self) -> u32 {
        self.settings
            .wires
            .iter()
            .map(|wire| u32::from(wire.from.max(wire.to)) + 1)
            .fold(self.radio_nodes, u32::max)
    }

    /// Number of nodes with a radio: all, or none in a wired-only network (wires and no topology).
    pub fn radio_node_count(&self) -> u32 {
        self.radio_nodes
    }
}
