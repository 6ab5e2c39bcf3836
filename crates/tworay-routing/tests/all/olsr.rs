//! OLSR (RFC 3626) as observed by its neighbours and by a network.

mod config;
mod convergence;
mod data;
mod desk;
mod hostile;
mod hysteresis;
mod links;
mod net;
use crate::common::net as network;
mod topology;
