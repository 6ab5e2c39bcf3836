//! Integration tests of the TCP endpoints, in one program: linking one takes a fraction of the time of many.

mod attacks;
mod common;
mod daa;
mod freeze_tcp;
mod garbage;
mod handshake;
mod kept_windows;
mod ns2_validation;
mod ns2_windows;
mod pacing;
mod recoveries;
mod repairs;
mod scripts;
mod stopping;
mod transfers;
mod vegas;
mod welcome;
mod window_scale;
