//! The sending half. The [`SendState`] has what every recovery uses: sequence space, window, timers, round
//! trips. The [`Sender`] alone changes it: it passes events to the recovery and carries out its decisions.
//!
//! The state, which the recoveries read:
//!
//! | file | holds |
//! |---|---|
//! | `state` | everything together, and the context of a call |
//! | `ack` | an acknowledgment |
//! | `space` | offsets of data written, sent and acknowledged |
//! | `window` | congestion window and its last reduction |
//! | `rtt`, `timer` | round-trip estimator and retransmission timer |
//! | `scoreboard` | data reported by SACK |
//! | `pacer`, `rate` | pacing, and samples of the delivery rate, for variants that need them |
//! | `trial` | a timeout that may have been spurious |
//!
//! The sender's methods, which change it:
//!
//! | file | holds |
//! |---|---|
//! | `sender` | creation, and events of the connection |
//! | `acks` | processing of acknowledgments and round-trip samples |
//! | `carry_out` | carrying out the decisions of the recovery |
//! | `resize` | bounds, growth and reductions of the window |
//! | `output` | building segments |
//! | `transmit` | sending what the window allows |
//! | `rto`, `persist`, `pace` | expiries of timers |
//! | `spurious` | timeouts without a loss, found out and taken back |
//! | `effects` | actions that a variant requests besides its decisions |

mod ack;
mod acks;
mod carry_out;
mod effects;
mod output;
mod pace;
mod pacer;
mod persist;
mod rate;
mod resize;
mod rto;
mod rtt;
mod scoreboard;
mod sender;
mod space;
mod spurious;
mod state;
mod timer;
mod transmit;
mod trial;
mod window;

pub(crate) use ack::{Ack, Dup};
pub(crate) use acks::SentBetween;
pub(crate) use output::ip_bytes;
pub(crate) use rtt::LINUX_TICK;
pub(crate) use scoreboard::{NextSeg, Scoreboard};
pub(crate) use sender::Sender;
pub(crate) use state::{Cx, SendState, Sent};
pub(crate) use timer::Early;
pub(crate) use window::CutBy;

// What the files of the sender's methods have in common.
use crate::clock::{heartbeat, timestamp};
use crate::config::TcpConfig;
use crate::control::PathEvent;
use crate::costs::Operation;
use crate::endpoint::{TcpAction, TcpNote, TcpTimer};
use crate::parts::Needs;
use ack::Timed;
use space::Space;
use tworay_base::{Seq32, SimDuration, SimTime};
use window::{CongestionWindow, Cut};

#[cfg(test)]
mod tests;
