//! Hosts: flows with their transports and applications, and the gateway for packets of real stations.

pub(crate) mod flow;
pub(crate) mod foresight;
pub(crate) mod gateway;
pub(crate) mod transport;
