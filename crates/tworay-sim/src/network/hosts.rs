//! Hosts: flows with their transports and applications, and the gateway for packets of real stations.

mod arrivals;
pub(crate) mod flow;
pub(crate) mod foresight;
pub(crate) mod gateway;
mod playout;
pub(crate) mod traffic;
pub(crate) mod transport;
