//! Reads big-endian fields from a slice with bounds checks.

use super::address::{node_of_ipv4, node_of_mac};
use super::error::DecodeError;
use tworay_base::{NodeId, Seq32};

/// The unread part of `what`.
#[derive(Clone, Debug)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
    what: &'static str,
}

impl<'a> Reader<'a> {
    pub fn new(what: &'static str, bytes: &'a [u8]) -> Self {
        Self { rest: bytes, what }
    }

    /// Bytes left.
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// All unread bytes.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The next `n` bytes.
    pub fn take(&mut self, n: usize) -> Result<&'a [u8], DecodeError> {
        let Some((head, rest)) = self.rest.split_at_checked(n) else {
            return Err(DecodeError::Truncated { what: self.what, need: n, have: self.rest.len() });
        };
        self.rest = rest;
        Ok(head)
    }

    /// The next bytes, as they come.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let Some((head, rest)) = self.rest.split_first_chunk::<N>() else {
            return Err(DecodeError::Truncated { what: self.what, need: N, have: self.rest.len() });
        };
        self.rest = rest;
        Ok(*head)
    }

    pub fn u8(&mut self) -> Result<u8, DecodeError> {
        Ok(self.array::<1>()?[0])
    }
    pub fn u16(&mut self) -> Result<u16, DecodeError> {
        Ok(u16::from_be_bytes(self.array()?))
    }
    pub fn u32(&mut self) -> Result<u32, DecodeError> {
        Ok(u32::from_be_bytes(self.array()?))
    }
    /// IEEE 802.11 and radiotap send the low byte first.
    pub fn u16_le(&mut self) -> Result<u16, DecodeError> {
        Ok(u16::from_le_bytes(self.array()?))
    }
    pub fn u32_le(&mut self) -> Result<u32, DecodeError> {
        Ok(u32::from_le_bytes(self.array()?))
    }
    pub fn seq(&mut self) -> Result<Seq32, DecodeError> {
        Ok(Seq32(self.u32()?))
    }
    /// The IPv4 address of a node.
    pub fn ipv4(&mut self, field: &'static str) -> Result<NodeId, DecodeError> {
        node_of_ipv4(field, self.array()?)
    }
    /// The hardware address of a node.
    pub fn mac(&mut self, field: &'static str) -> Result<NodeId, DecodeError> {
        node_of_mac(field, self.array()?)
    }
}
