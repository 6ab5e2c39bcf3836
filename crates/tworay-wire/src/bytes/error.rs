//! Errors of decoding bytes and of encoding packets.

use thiserror::Error;

/// Why bytes cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// The bytes end too early.
    #[error("{what} is cut off: it needs {need} bytes, there are {have}")]
    Truncated {
        /// Structure that was being read.
        what: &'static str,
        /// Bytes it needs.
        need: usize,
        /// Bytes available.
        have: usize,
    },
    /// A field has a value that is not allowed or not known.
    #[error("{what} is {found}; {allowed}")]
    Value {
        /// The field.
        what: &'static str,
        /// Its value.
        found: u64,
        /// The values allowed.
        allowed: &'static str,
    },
    /// A length field is inconsistent.
    #[error("{what} says {found} bytes; {allowed}")]
    Length {
        /// The field.
        what: &'static str,
        /// Its value.
        found: usize,
        /// The values allowed.
        allowed: &'static str,
    },
    /// A checksum is wrong.
    #[error("the checksum of the {what} is {found:#x}, it should be {computed:#x}")]
    Checksum {
        /// The header it belongs to.
        what: &'static str,
        /// The checksum in the packet.
        found: u32,
        /// The checksum computed from the bytes.
        computed: u32,
    },
    /// An address that belongs to no node.
    #[error("{what} is {found}, which is not the address of a node")]
    Foreign {
        /// The field.
        what: &'static str,
        /// The address in its usual notation.
        found: String,
    },
}

impl DecodeError {
    /// A short name for counters: `truncated`, `bad-value`, `bad-length`, `bad-checksum`, `foreign-address`.
    pub const fn reason(&self) -> &'static str {
        match self {
            DecodeError::Truncated { .. } => "truncated",
            DecodeError::Value { .. } => "bad-value",
            DecodeError::Length { .. } => "bad-length",
            DecodeError::Checksum { .. } => "bad-checksum",
            DecodeError::Foreign { .. } => "foreign-address",
        }
    }
}

/// A value that the format cannot represent.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{what} would be {value}; the format allows at most {most}")]
pub struct EncodeError {
    /// The field.
    pub what: &'static str,
    /// The value.
    pub value: u64,
    /// The maximum.
    pub most: u64,
}

impl EncodeError {
    /// Refuses a `value` above `most`.
    pub(super) fn check(what: &'static str, value: u64, most: u64) -> Result<(), EncodeError> {
        if value <= most { Ok(()) } else { Err(EncodeError { what, value, most }) }
    }
}
