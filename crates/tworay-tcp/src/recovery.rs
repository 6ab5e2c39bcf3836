//! How losses are repaired: one file a recovery.

mod newreno;
mod reno;
mod sack;
mod sack_ns2;
mod tahoe;
mod tcp_linux;
mod vegas_repair;

pub(crate) use tcp_linux::TcpLinux;
pub(crate) use vegas_repair::Vegas;
