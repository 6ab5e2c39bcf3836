//! Integration tests of the MAC, in one program: linking one takes a fraction of the time of many.

mod air;
mod bench;
mod contention;
mod ladders;
mod quirks;
mod saturated_hop;
