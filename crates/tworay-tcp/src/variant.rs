//! Selects a TCP: a recovery and parts that change it, written `newreno+sca(10)`.

mod parse;
mod registry;

pub use registry::{recoveries, registry};

use crate::TcpConfig;
use crate::control::{CongestionControl, Controls};
use crate::parts::{Configure, ControlFactory, Needs, RecoveryKind, Repairs, Role};
use crate::recovery::{self, Recovery};
use std::fmt;

/// A named part of a variant.
#[derive(Clone)]
pub(crate) struct PartSpec {
    /// Name in the registry.
    pub id: String,
    /// Name with parameters.
    pub name: String,
    pub role: Role,
    pub needs: Needs,
    /// The change of the settings by the part, and its parameters.
    pub configure: Option<(Configure, Vec<f64>)>,
    pub make: ControlFactory,
}

/// A complete TCP variant. Cheap to clone; parsed from text such as `"newreno"` or `"sack+cwl(3)"`.
#[derive(Clone)]
pub struct Variant {
    name: String,
    recovery: RecoveryKind,
    /// Parameters of the recovery.
    parameters: Vec<f64>,
    repairs: Repairs,
    /// The registry's names of a preset and of repairs.
    repair_ids: Vec<&'static str>,
    /// The changes of the settings by the recovery and its repairs.
    changes: Vec<fn(&mut TcpConfig)>,
    parts: Vec<PartSpec>,
    /// A part or a repair whose recovery isn't named.
    alone: bool,
}

impl Variant {
    /// A user-defined variant: a recovery, and one part that takes every decision.
    pub fn custom(name: impl Into<String>, recovery: RecoveryKind, make: ControlFactory) -> Self {
        let name = name.into();
        let part = PartSpec {
            id: name.clone(),
            name: name.clone(),
            role: Role::Whole,
            needs: Needs::ANYTHING,
            configure: None,
            make,
        };
        Self {
            name,
            recovery,
            parameters: registry::defaults(recovery),
            repairs: Repairs::empty(),
            repair_ids: Vec::new(),
            changes: Vec::new(),
            parts: vec![part],
            alone: true,
        }
    }

    /// The canonical name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The full name, the same for all spellings of a variant: `sca` recovers from losses as NewReno does
    /// and becomes `newreno+sca`. The order of parts does not matter.
    pub fn spelt_out(&self) -> String {
        let mut terms: Vec<&str> = self.name.split('+').collect();
        // A lone part keeps its own name; its recovery has the default parameters.
        if self.alone {
            terms.insert(0, self.recovery.name());
        }
        terms[1..].sort_unstable();
        terms.join("+")
    }

    /// Its loss recovery.
    pub fn recovery(&self) -> RecoveryKind {
        self.recovery
    }

    /// Registry names of its parts.
    pub(crate) fn part_ids(&self) -> impl Iterator<Item = &str> {
        self.repair_ids.iter().copied().chain(self.parts.iter().map(|p| p.id.as_str()))
    }

    /// Events and queries that its parts need.
    pub fn needs(&self) -> Needs {
        self.parts.iter().fold(Needs::empty(), |all, part| all | part.needs)
    }

    /// True if it offers SACK in the SYN.
    pub(crate) fn wants_sack(&self) -> bool {
        self.recovery == RecoveryKind::Sack
    }

    /// Settings of its connections: `config` with the changes of its parts.
    pub(crate) fn configured(&self, config: &TcpConfig) -> TcpConfig {
        let mut config = config.clone();
        self.changes.iter().for_each(|change| change(&mut config));
        for (change, values) in self.parts.iter().filter_map(|p| p.configure.as_ref()) {
            change(values, &mut config);
        }
        config
    }

    /// The parts of its repair of losses.
    pub(crate) fn repairs(&self) -> Repairs {
        self.repairs
    }

    /// Creates its recovery for one connection.
    pub(crate) fn make_recovery(&self, config: &TcpConfig) -> Box<dyn Recovery> {
        recovery::make(self.recovery, &self.parameters, self.repairs, config)
    }

    /// Its only part, for comparison with another implementation; `None` if it has no part or several.
    pub fn only_part(&self, config: &TcpConfig) -> Option<Box<dyn CongestionControl>> {
        let [part] = &*self.parts else { return None };
        Some((part.make)(config))
    }

    pub(crate) fn controls(&self, config: &TcpConfig) -> Controls {
        Controls::new(self.parts.iter().map(|p| (p.role, (p.make)(config))), self.needs())
    }
}

impl fmt::Debug for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Variant({})", self.name)
    }
}
impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
impl PartialEq for Variant {
    /// Variants with equal names are equal.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

#[cfg(test)]
mod tests;
