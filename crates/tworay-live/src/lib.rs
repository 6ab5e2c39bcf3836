//! Real kernels over a simulated wireless network.
//!
//! Every station is a network namespace with a TUN (layer 3) or TAP (layer 2) device, and has a host name and files of
//! its own. Packets from its
//! kernel enter the simulated network at the station's node and leave at their destination, in real time.
//! The simulator is not aware of this: [`session`] drives [`tworay_sim::Live`] event by event against the
//! monotonic clock.
//!
//! Namespaces have no names and devices are not persistent: both exist only as long as the process that
//! holds them, so nothing is left behind however it ends.

mod ahead;
mod breaks;
mod clock;
mod connections;
mod device;
mod diag;
mod engine;
mod freeze;
mod home;
mod idle;
mod keeper;
mod late;
mod lateness;
mod namespace;
mod packet;
mod processes;
mod rights;
pub mod session;
mod steering;

pub use freeze::Freeze;
pub use late::LateSpan;
pub use lateness::Lateness;
pub use namespace::{Child, Places, join_namespace, join_station};
pub use processes::end_left_over;
pub use rights::missing;
pub use session::{ConnectionEnd, Ended, Error, Session, SessionSettings, Status};
pub use steering::{FlowView, Steered, Watched};
