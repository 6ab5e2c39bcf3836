//! Integration tests of the routing protocols, in one program: linking one takes a fraction of the time of
//! many.

mod aodv;
mod common;
mod dsr;
mod fixed;
mod olsr;
