//! AODV in a small network of ideal links.

mod config;
mod desk;
mod harness;
mod hostile;
mod ladder;
mod liar;
mod neighbours;
use crate::common::net as network;
mod ns2;
mod properties;
mod rules;
use crate::common::schema;
