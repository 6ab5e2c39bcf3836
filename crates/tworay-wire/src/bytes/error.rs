//! Why bytes are no packet, or a packet can't become bytes.

use thiserror::Error;

/// Why bytes can't be read as what they should be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// The bytes end too early.
    #[error("{what} is cut off: it needs {need} bytes, there are {have}")]
    Truncated {
        /// What was being read.
        what: &'static str,
        /// Bytes it needs.
        need: usize,
        /// Bytes there are.
        have: usize,
    },
    /// A field has a value that is not allowed or not known.
    #[error("{what} is {found}; {allowed}")]
    Value {
        /// The field.
        what: &'static str,
        /// What it says.
        found: u64,
        /// What it may say.
        allowed: &'static str,
    },
    /// A length field contradicts its surroundings.
    #[error("{what} says {found} bytes; {allowed}")]
    Length {
        /// The field.
        what: &'static str,
        /// What it says.
        found: usize,
        /// What it may say.
        allowed: &'static str,
    },
    /// A checksum doesn't fit.
    #[error("the checksum of the {what} is {found:#x}, it should be {computed:#x}")]
    Checksum {
        /// Whose checksum.
        what: &'static str,
        /// What is written.
        found: u32,
        /// What the bytes give.
        computed: u32,
    },
    /// An address that belongs to no node.
    #[error("{what} is {found}, which is no node's address")]
    Foreign {
        /// The field.
        what: &'static str,
        /// The address in its usual notation.
        found: String,
    },
}

impl DecodeError {
    /// A short name to count by: `truncated`, `bad-value`, `bad-length`, `bad-checksum`,
    /// `foreign-address`.
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

/// Why a value has no place in its format.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{what} would be {value}; the format has room for at most {most}")]
pub struct EncodeError {
    /// What is too much.
    pub what: &'static str,
    /// How much it is.
    pub value: u64,
    /// The most there is room for.
    pub most: u64,
}

impl EncodeError {
    /// Refuses a `value` above `most`.
    pub(super) fn check(what: &'static str, value: u64, most: u64) -> Result<(), EncodeError> {
        if value <= most { Ok(()) } else { Err(EncodeError { what, value, most }) }
    }
}
