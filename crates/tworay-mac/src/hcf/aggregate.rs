//! Packing of frames into an A-MPDU (§9.7).

use super::WINDOW;
use smallvec::SmallVec;
use tworay_base::SimDuration;
use tworay_radio::phy::{Airtime, MAX_PPDU, Mode};

/// MPDU delimiter before each frame, bytes (§9.7.1).
const DELIMITER: u32 = 4;
/// Subframes but the last are padded to a multiple of this.
const ALIGN: u32 = 4;

/// Limits of an aggregate.
#[derive(Copy, Clone, Debug)]
pub struct AssemblyLimits {
    /// Frames; at most 64 count.
    pub frames: u16,
    /// Bytes of the PSDU; at most what the mode allows counts.
    pub bytes: u32,
    /// Duration of the PPDU: what the TXOP leaves; at most 5.484 ms count.
    pub time: SimDuration,
}

impl Default for AssemblyLimits {
    /// As much as the standard allows.
    fn default() -> Self {
        Self { frames: WINDOW, bytes: u32::MAX, time: MAX_PPDU }
    }
}

/// A frame's place in an aggregate.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Subframe {
    /// Where its delimiter begins in the PSDU, bytes.
    pub offset: u32,
    /// Length of the frame (MAC header to FCS), bytes; delimiter and padding not included.
    pub bytes: u32,
}

impl Subframe {
    /// End of the frame in the PSDU, before any padding, bytes.
    pub const fn end(&self) -> u32 {
        self.offset + DELIMITER + self.bytes
    }
}

/// An aggregate that is being filled.
#[derive(Clone, Debug)]
pub struct Assembly {
    subframes: SmallVec<[Subframe; 64]>,
    frames: u16,
    bytes: u32,
}

impl Assembly {
    /// An empty aggregate for `mode`, which must be HT or VHT.
    pub fn new(mode: Mode, airtime: &Airtime, limits: AssemblyLimits) -> Self {
        let in_time = airtime.longest(mode, limits.time.min(MAX_PPDU)).unwrap_or(0);
        Self {
            subframes: SmallVec::new(),
            frames: limits.frames.min(WINDOW),
            bytes: limits.bytes.min(in_time),
        }
    }

    /// Adds a frame of `bytes` (MAC header to FCS) at the end. Returns false, and changes nothing, if a limit
    /// forbids it. The first frame always fits, since a single frame may exceed the limits of aggregates.
    pub fn add(&mut self, bytes: u32) -> bool {
        let fits = self.fits(bytes);
        if fits {
            self.subframes.push(self.next(bytes));
        }
        fits
    }

    /// True if [`Assembly::add`] would add a frame of `bytes`.
    pub fn fits(&self, bytes: u32) -> bool {
        let full = self.subframes.len() >= usize::from(self.frames) || self.next(bytes).end() > self.bytes;
        !full || self.subframes.is_empty()
    }

    fn next(&self, bytes: u32) -> Subframe {
        let offset = self.subframes.last().map_or(0, |last| last.end().next_multiple_of(ALIGN));
        Subframe { offset, bytes }
    }

    /// The frames, in order.
    pub fn subframes(&self) -> &[Subframe] {
        &self.subframes
    }

    /// Length of the PSDU in bytes; 0 without frames.
    pub fn bytes(&self) -> u32 {
        self.subframes.last().map_or(0, Subframe::end)
    }
}

#[cfg(test)]
mod tests;
