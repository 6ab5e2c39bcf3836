//! The hybrid coordination function: the MAC of 802.11n and ac with aggregation (IEEE 802.11-2020
//! §10.23 to §10.25).
//!
//! ```text
//!  Sender                                                    Receiver
//!  [`TransmitWindow`] ─▶ [`Assembly`] ══ A-MPDU ══▶ [`Scoreboard`] ─▶ [`Reorder`] ─▶ upward, in order
//!        ▲                                              │
//!        └──────────────── BlockAck ◀═══════════════════┘
//! ```
//!
//! [`Edca`] decides when the sender may begin, separately for each access category. [`Hcf`] is the station that has
//! these parts. Everything is a pure state machine; nothing here transmits.

mod aggregate;
mod edca;
mod frame;
mod number;
mod reorder;
mod station;
mod window;

pub use aggregate::{Assembly, AssemblyLimits, Subframe};
pub use edca::{Access, Edca};
pub use frame::{AirFrame, AirKind, AirPacket};
pub use number::FrameNumber;
pub use reorder::{BlockAck, Reorder, Scoreboard};
pub use station::{Hcf, HcfAction, HcfConfig, Host, Order, RateChoice};
pub use window::{MissingBlockAck, Outcome, Persistence, TransmitWindow};

/// Frames in the window of a block acknowledgment agreement, and bits of a compressed BlockAck (§9.3.1.8.3).
pub const WINDOW: u16 = 64;

#[cfg(test)]
mod tests;
