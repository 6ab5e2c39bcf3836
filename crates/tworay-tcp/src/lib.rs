//! TCP endpoints as a composition of recovery, growth, reduction, limit and receiver.
//!
//! A [`Connection`] is a sans-IO state machine: the caller passes in segments, timer expiries and
//! application calls together with the current time, and gets [`TcpAction`]s back. It counts payload bytes
//! and never stores them. A [`Variant`] selects the TCP (`"newreno"`, `"sack"`, `"newreno+sca(10)"`); a
//! [`TcpConfig`] holds its settings: the default follows the RFCs, `TcpConfig::ns2()` follows ns-2.35.
//!
//! Internally the sequence space is a 64-bit offset: 0 is the SYN, 1 the first data byte, and the FIN
//! follows the last byte. Offsets become wrapping 32-bit numbers only on the wire.

mod clock;
mod config;
mod control;
mod costs;
mod endpoint;
mod parts;
mod quirks;
mod ranges;
mod receive;
mod recovery;
mod send;
mod variant;

pub use config::{
    AckPolicy, AckSize, AfterRto, DaaConfig, Halving, HalvingPrecision, Handshake, IdleRestart,
    InitialWindow, NamedInitialWindow, NewRenoConfig, NewRenoEntry, NewRenoExit, NewRenoTimer, PartialAck,
    ReceiverConfig, RenoForm, RtoConfig, RttArithmetic, SackConfig, SackForm, StretchedConfig, TackConfig,
    TcpConfig, Timing, VegasForm, WindowSize,
};
pub use control::{
    AckEvent, Backoff, CongestionControl, DupAckDecision, DupAckEvent, Effect, Effects, LossEvent,
    LossPredictor, PathEvent, PredictorFactory, ProbeEvent, ProbeVerdict, RateSample, RestartEvent,
    RtoDecision, RtoEvent, RttEvent, Sampling, SenderView, SentEvent, UndoEvent, Window,
};
pub use costs::{
    COSTS_CSV, Call, Computing, CostProblem, CostTable, Lived, Operation, Operations, Timed, live,
};
pub use endpoint::{
    Amount, Arrival, Connection, Control, Counters, Ignored, Phase, Ports, SegmentKind, Side, Snapshot,
    TcpAction, TcpNote, TcpTimer,
};
pub use parts::{ControlFactory, Event, Needs, Parameter, RecoveryKind, Rule, VariantInfo};
pub use quirks::TcpQuirks;
pub use variant::{Variant, recoveries, registry};
