//! DSR in a small network of ideal links.

mod config;
mod desk;
mod hostile;
mod ladder;
mod maintenance;
mod net;
mod properties;
mod rules;
