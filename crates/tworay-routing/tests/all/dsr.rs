//! DSR in a small network of ideal links.

mod config;
mod desk;
mod hostile;
mod ladder;
mod maintenance;
mod net;
use crate::common::net as network;
mod properties;
mod rules;
use crate::common::schema;
