//! Which TCP: a recovery and the parts that change it, written `newreno+sca(10)`.

mod parse;
mod registry;
mod settings;

pub(crate) use registry::{Configure, Entry, Meaning, Part};
pub use registry::{Needs, Parameter, VariantInfo, registry};
pub(crate) use settings::{FromNumber, Settings, doc, parameter, settings, value};

use crate::TcpConfig;
use crate::control::{CongestionControl, Controls, Role};
use crate::recovery::{self, Recovery};
use std::fmt;
use std::sync::Arc;

/// How losses are repaired.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum RecoveryKind {
    /// Fast retransmit, then slow start.
    Tahoe,
    /// Fast recovery until the first new ACK (RFC 5681).
    Reno,
    /// Fast recovery until everything is acknowledged (RFC 6582).
    NewReno,
    /// Selective acknowledgments (RFC 6675).
    Sack,
    /// Vegas' fine-grained retransmission (Brakmo and Peterson 1995).
    Vegas,
}

impl RecoveryKind {
    /// All there are, in the order in which a part that fits any takes them.
    pub const ALL: &'static [RecoveryKind] = &[
        RecoveryKind::NewReno,
        RecoveryKind::Reno,
        RecoveryKind::Sack,
        RecoveryKind::Tahoe,
        RecoveryKind::Vegas,
    ];

    /// The name to write.
    pub const fn name(self) -> &'static str {
        match self {
            RecoveryKind::Tahoe => "tahoe",
            RecoveryKind::Reno => "reno",
            RecoveryKind::NewReno => "newreno",
            RecoveryKind::Sack => "sack",
            RecoveryKind::Vegas => "vegas",
        }
    }
}

/// Makes a part for one connection.
pub type ControlFactory = Arc<dyn Fn(&TcpConfig) -> Box<dyn CongestionControl> + Send + Sync>;

/// A part of a variant, by name.
#[derive(Clone)]
pub(crate) struct PartSpec {
    /// The registry's name.
    pub id: String,
    /// The name with parameters.
    pub name: String,
    pub role: Role,
    pub needs: Needs,
    /// What it changes in the settings, with its parameters.
    pub configure: Option<(Configure, Vec<f64>)>,
    pub make: ControlFactory,
}

/// A complete choice of a TCP. Cheap to clone; read from text such as `"newreno"` or `"sack+cwl(3)"`.
#[derive(Clone)]
pub struct Variant {
    name: String,
    recovery: RecoveryKind,
    /// The recovery's own parameters.
    parameters: Vec<f64>,
    parts: Vec<PartSpec>,
}

impl Variant {
    /// A variant of one's own: a recovery, and one part that takes every decision.
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
        Self { name, recovery, parameters: parse::defaults(recovery), parts: vec![part] }
    }

    /// The canonical name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name with what it leaves out, the same for all ways to write the variant: `sca` repairs losses as
    /// NewReno does and is `newreno+sca`. The order of parts means nothing.
    pub fn spelt_out(&self) -> String {
        let mut terms: Vec<&str> = self.name.split('+').collect();
        // A part that stands alone keeps its own name, and its recovery has the default parameters.
        if terms.len() == 1 && self.parts.len() == 1 {
            terms.insert(0, self.recovery.name());
        }
        terms[1..].sort_unstable();
        terms.join("+")
    }

    /// How it repairs losses.
    pub fn recovery(&self) -> RecoveryKind {
        self.recovery
    }

    /// The registry's names of its parts.
    pub(crate) fn part_ids(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(|p| p.id.as_str())
    }

    /// What its parts need.
    pub fn needs(&self) -> Needs {
        self.parts.iter().fold(Needs::NOTHING, |all, part| all.and(part.needs))
    }

    /// Whether it negotiates SACK on opening.
    pub(crate) fn wants_sack(&self) -> bool {
        self.recovery == RecoveryKind::Sack
    }

    /// The settings of its connections: `config` with what its parts change in it.
    pub(crate) fn configured(&self, config: &TcpConfig) -> TcpConfig {
        let mut config = config.clone();
        for (change, values) in self.parts.iter().filter_map(|p| p.configure.as_ref()) {
            change(values, &mut config);
        }
        config
    }

    /// Its recovery for one connection.
    pub(crate) fn make_recovery(&self, config: &TcpConfig) -> Box<dyn Recovery> {
        recovery::make(self.recovery, &self.parameters, config)
    }

    /// Its only part by itself, to hold another implementation against it; `None` if it has none or several.
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
    /// Equal names mean equal variants.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

#[cfg(test)]
mod tests;
