//! Loss recovery: the event interface ([`Recovery`]) and one file for each recovery.
//!
//! A recovery owns its state. It receives events, reads the [`SendState`](crate::send::SendState), and
//! returns [`Decision`]s; the [sender](crate::send) alone carries them out. Events that interest only one
//! recovery have a default method that does nothing, so each file can be read without the others.

mod choice;
mod decisions;
mod interface;
mod marks;
mod newreno;
mod rack_tlp;
mod reno;
mod repairs;
mod sack;
mod sack_ns2;
mod tahoe;
mod tcp_linux;
mod vegas_repair;

pub(crate) use choice::make;
pub(crate) use decisions::{
    Advance, Decision, Decisions, Detected, Growth, Kind, NewData, Reduction, Reply, Restart, Segment,
    Sending, TimerFor,
};
pub(crate) use interface::Recovery;
pub(crate) use newreno::ENTRY as NEWRENO;
pub(crate) use reno::ENTRY as RENO;
pub(crate) use repairs::{EIFEL, F_RTO, LINUX, PRR, RACK, RACK_TLP};
pub(crate) use sack::ENTRY as SACK;
pub(crate) use tahoe::ENTRY as TAHOE;
pub(crate) use vegas_repair::ENTRY as VEGAS;
