//! OLSR (RFC 3626) as its neighbours and a network see it.

mod config;
mod convergence;
mod data;
mod desk;
mod hostile;
mod hysteresis;
mod links;
mod net;
mod topology;
