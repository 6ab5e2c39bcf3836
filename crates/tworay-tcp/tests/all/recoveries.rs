//! The four recoveries as specifications: one file each, one table per rule, with the section of the RFC.

mod newreno;
mod reno;
mod sack;
mod table;
mod tahoe;
mod threshold;
mod timers;
