//! The choices of which variants are made: each file of a controller or a recovery declares an [`Entry`],
//! from which the [registry](crate::variant::registry) is put together.
//!
//! | file | holds |
//! |---|---|
//! | `parameter` | a parameter that users write in parentheses |
//! | `settings` | typed structs of parameters |
//! | `rule` | what a variant does at an event, as users read it |
//! | `needs` | events and queries that a part asks for |

mod needs;
mod parameter;
mod rule;
mod settings;

pub use needs::Needs;
pub use parameter::Parameter;
pub use rule::{Event, Rule};
pub(crate) use settings::{FromNumber, Settings, doc, parameter, settings, value};

use crate::config::TcpConfig;
use crate::control::CongestionControl;
use bitflags::bitflags;
use std::sync::Arc;

/// One entry of `tworay variants`.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct VariantInfo {
    /// The name to write.
    pub name: &'static str,
    /// Summary in one line.
    pub summary: &'static str,
    /// RFC, paper or program in which it is defined.
    pub source: &'static str,
    /// Its actions, by event. Events without a rule are left to the recovery that it is joined with.
    pub rules: &'static [Rule],
    /// Its parameters in order.
    pub parameters: &'static [Parameter],
}

/// Loss recovery algorithms.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum RecoveryKind {
    /// Fast retransmit, then slow start.
    Tahoe,
    /// Fast recovery until the first new ACK (RFC 5681).
    Reno,
    /// Fast recovery until everything sent before the loss is acknowledged (RFC 6582).
    NewReno,
    /// Selective acknowledgments (RFC 6675).
    Sack,
    /// Vegas' fine-grained retransmission (Brakmo and Peterson 1995).
    Vegas,
}

impl RecoveryKind {
    /// All recoveries, in order of preference for parts that fit any of them.
    pub const ALL: &'static [RecoveryKind] = &[
        RecoveryKind::NewReno,
        RecoveryKind::Reno,
        RecoveryKind::Sack,
        RecoveryKind::Tahoe,
        RecoveryKind::Vegas,
    ];

    /// The name that users write.
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

/// Creates a part for one connection.
pub type ControlFactory = Arc<dyn Fn(&TcpConfig) -> Box<dyn CongestionControl> + Send + Sync>;

/// Changes the settings of a variant's connections, given its validated parameters.
pub(crate) type Configure = fn(&[f64], &mut TcpConfig);

/// Which decisions a part owns.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// `on_ack`.
    Growth,
    /// `on_loss`, `on_rto`, `on_dup_ack`.
    Reduction,
    /// `limit` and `floor` only.
    Limit,
    /// The time between segments; no decision about the window.
    Pace,
    /// When the receiver acknowledges; no decision of the sender's.
    Acks,
    /// Both of these.
    LimitAndAcks,
    /// The end of slow start: it sees in `event.standard` what the owner of growth wants, and may want less.
    Start,
    /// Everything.
    Whole,
    /// The same, with the standard slow start: another part may end that.
    Avoidance,
}

impl Role {
    pub fn grows(self) -> bool {
        matches!(self, Role::Growth | Role::Whole | Role::Avoidance)
    }
    pub fn reduces(self) -> bool {
        matches!(self, Role::Reduction | Role::Whole | Role::Avoidance)
    }
}

/// Meaning of a registry name.
#[derive(Copy, Clone)]
pub(crate) enum Meaning {
    /// A recovery, which `recovery::make` makes.
    Recovery(RecoveryKind),
    /// A part to add to a recovery.
    Part(Part),
    /// Something that the repair itself is made of.
    Repair(Repair),
    /// A recovery with repairs and settings of its own.
    Preset(Preset),
}

bitflags! {
    /// The parts of the repair of losses besides the recovery's own rules.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
    pub(crate) struct Repairs: u8 {
        /// Losses are found by time.
        const RACK = 1;
        /// Tail loss probes.
        const TLP = 1 << 1;
        /// Proportional Rate Reduction.
        const PRR = 1 << 2;
        /// Spurious timeouts are found by sending new data.
        const F_RTO = 1 << 3;
        /// Spurious timeouts are found by time stamps.
        const EIFEL = 1 << 4;
        /// Linux' habits where the RFCs leave a choice.
        const LINUX = 1 << 5;
    }
}

impl Repairs {
    /// True if SACK needs a mark for each segment.
    pub fn marks_segments(self) -> bool {
        self.intersects(Repairs::RACK.union(Repairs::PRR))
    }
}

/// A repair by name.
#[derive(Copy, Clone)]
pub(crate) struct Repair {
    /// Recoveries it makes sense with; the first is the default.
    pub with: &'static [RecoveryKind],
    /// Why other recoveries are rejected; shown to the user.
    pub unless: &'static str,
    /// The pieces that it adds.
    pub adds: Repairs,
    /// Changes the settings of its connections.
    pub configure: fn(&mut TcpConfig),
}

/// A recovery with its repairs under one name.
#[derive(Copy, Clone)]
pub(crate) struct Preset {
    /// The recovery that it is based on.
    pub recovery: RecoveryKind,
    /// The pieces that it has.
    pub repairs: Repairs,
    /// Changes the settings of its connections.
    pub configure: fn(&mut TcpConfig),
}

/// A part of a variant.
#[derive(Copy, Clone)]
pub(crate) struct Part {
    /// The decisions it owns.
    pub role: Role,
    /// Recoveries it works with; the first is used when none is named.
    pub with: &'static [RecoveryKind],
    /// Why other recoveries are rejected; shown to the user.
    pub unless: &'static str,
    /// Events and queries that it needs.
    pub needs: Needs,
    /// Changes the settings of its connections, if anything.
    pub configure: Option<Configure>,
    /// Creates it from validated parameters.
    pub make: fn(&[f64]) -> ControlFactory,
}

impl Part {
    /// A part that works with any recovery and has no needs.
    pub const fn new(role: Role, make: fn(&[f64]) -> ControlFactory) -> Self {
        Self { role, with: RecoveryKind::ALL, unless: "", needs: Needs::empty(), configure: None, make }
    }
}

/// One entry of the registry.
#[derive(Copy, Clone)]
pub(crate) struct Entry {
    pub info: VariantInfo,
    pub meaning: Meaning,
}
