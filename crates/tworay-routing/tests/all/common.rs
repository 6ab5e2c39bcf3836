//! Helpers of the tests of several protocols.

pub mod net;
pub mod schema;
