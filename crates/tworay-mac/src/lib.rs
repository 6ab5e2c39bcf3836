//! Floor 3: IEEE 802.11 DCF, interface queue and ARP as sans-IO state machines.
//!
//! [`Dcf`] is the distributed coordination function of one station: `(now, input) -> actions`. It owns no
//! clock and no timer: it requests two ([`MacTimer`]), and the caller reports when they expire. Carrier sense
//! is lazy: while the station has nothing to send, a busy medium costs one comparison. [`rate`] chooses among the
//! rates of 802.11a/b/g/n/ac, [`FqCodel`] queues packets by flow, and
//! [`hcf`] has the parts of their MAC.

mod arp;
mod codel;
mod config;
mod contention;
mod counters;
mod dcf;
mod duplicate;
mod fq_codel;
mod frame;
pub mod hcf;
mod overload;
mod queue;
mod quirks;
pub mod rate;
mod timing;

pub use arp::{ArpAction, ArpBody, ArpDue, ArpTable, MAX_REQUESTS};
pub use codel::CodelConfig;
pub use config::{MSDU_LIFETIME, MacConfig, QueueRule, RtsStrategy};
pub use counters::MacCounters;
pub use dcf::{Dcf, GiveUp, MacAction, MacTimer, Outgoing, RxError};
pub use duplicate::DuplicateFilter;
pub use fq_codel::{Flowing, FqCodel, FqCodelConfig};
pub use frame::{Frame, FrameKind};
pub use overload::OverloadConfig;
pub use queue::{InterfaceQueue, QueueEntry};
pub use quirks::MacQuirks;
pub use timing::Timing;
