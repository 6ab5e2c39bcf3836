//! The device of virtual time: tells when all other programs sleep, and until when.

use crate::clock::Clock;
use std::fs::File;
use std::io::{self, Read};
use tworay_base::SimTime;

/// Made by a patch of the kernel that `tworay live kernel build` builds; no other machine has it.
const DEVICE: &str = "/dev/tworay-idle";

/// The device.
#[derive(Debug)]
pub(crate) struct Idle(File);

/// A moment in which all other programs sleep.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Quiet {
    pub now: SimTime,
    /// The next timer of the kernel. Before that time programs only do what packets make them do.
    pub until: SimTime,
}

impl Idle {
    /// Opens the device; `None` on a machine in real time.
    pub fn open() -> Option<Self> {
        File::open(DEVICE).ok().map(Self)
    }

    /// Waits until all other programs sleep.
    pub fn wait(&self, clock: &Clock) -> io::Result<Quiet> {
        let mut times = [[0; 8]; 2];
        (&self.0).read_exact(times.as_flattened_mut())?;
        let [now, until] = times.map(u64::from_ne_bytes);
        Ok(Quiet { now: clock.at(now), until: clock.at(until) })
    }
}
