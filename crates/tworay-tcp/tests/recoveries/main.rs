//! The four recoveries as specifications: one file each, one table per rule, with the section of the RFC.

#![allow(unreachable_pub)]

mod newreno;
#[path = "../common/numbered.rs"]
mod numbered;
mod reno;
mod sack;
mod table;
mod tahoe;
