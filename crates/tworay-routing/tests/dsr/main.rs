//! DSR in a small network of ideal links.

mod config;
mod desk;
mod hostile;
mod ladder;
mod maintenance;
mod net;
#[path = "../common/net.rs"]
mod network;
mod properties;
mod rules;
#[path = "../common/schema.rs"]
mod schema;
