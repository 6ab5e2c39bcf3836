//! The opening of a connection, and the sizes of its segments without data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The handshake that opens a connection.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Handshake {
    /// Three-way: SYN, SYN-ACK, ACK (RFC 9293 §3.5).
    ThreeWay,
    /// A SYN answered by a bare ACK (ns-2's one-way TCP).
    OneWay,
    /// No handshake: both ends are open from the start.
    None,
}

/// Sizes of ACKs and SYNs.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AckSize {
    /// As encoded, with options padded to four bytes.
    Encoded,
    /// 40 bytes plus 8 per SACK block; timestamps add 10 bytes, and only to data (ns-2's one-way TCP).
    Ns2,
}
