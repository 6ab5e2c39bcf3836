//! AODV in a small network of ideal links.

mod config;
mod desk;
mod harness;
mod hostile;
mod ladder;
#[path = "../common/net.rs"]
mod network;
mod ns2;
mod properties;
mod rules;
#[path = "../common/schema.rs"]
mod schema;
