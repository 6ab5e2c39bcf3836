//! The four recoveries as specifications: one file each, one table for each rule, with the RFC's section.

#![allow(unreachable_pub)]

mod newreno;
mod reno;
mod sack;
mod table;
mod tahoe;
