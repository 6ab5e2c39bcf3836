//! Which TCP: a recovery and the parts that change it, written `newreno+sca(10)`.

mod parse;
mod registry;

pub(crate) use registry::{Entry, Meaning};
pub use registry::{Parameter, VariantInfo, registry};

use crate::TcpConfig;
use crate::control::{CongestionControl, Controls, Role};
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
    /// Its parameters.
    pub values: Vec<f64>,
    pub role: Role,
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
        Self {
            name: name.clone(),
            recovery,
            parameters: Vec::new(),
            parts: vec![PartSpec { id: name.clone(), name, values: Vec::new(), role: Role::Whole, make }],
        }
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

    /// Whether it has this part.
    pub(crate) fn has(&self, part: &str) -> bool {
        self.parts.iter().any(|p| p.id == part)
    }

    /// The parameters of this part, if it has the part.
    pub(crate) fn part(&self, id: &str) -> Option<&[f64]> {
        self.parts.iter().find(|p| p.id == id).map(|p| &*p.values)
    }

    /// Whether it asks marked probes.
    pub(crate) fn wants_probes(&self) -> bool {
        crate::control::PROBERS.iter().any(|p| self.has(p))
    }

    /// Whether it negotiates SACK on opening.
    pub(crate) fn wants_sack(&self) -> bool {
        self.recovery == RecoveryKind::Sack
    }

    pub(crate) fn parameters(&self) -> &[f64] {
        &self.parameters
    }

    /// Its only part by itself, to hold another implementation against it; `None` if it has none or several.
    pub fn only_part(&self, config: &TcpConfig) -> Option<Box<dyn CongestionControl>> {
        let [part] = &*self.parts else { return None };
        Some((part.make)(config))
    }

    pub(crate) fn controls(&self, config: &TcpConfig) -> Controls {
        Controls::new(self.parts.iter().map(|p| (p.role, (p.make)(config))))
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
