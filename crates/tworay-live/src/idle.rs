//! The device of virtual time: tells when all other programs sleep, and until when.

use crate::clock::Clock;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use tworay_base::SimTime;

/// Made by a patch of the kernel that `tworay live kernel build` builds; no other machine has it.
const DEVICE: &str = "/dev/tworay-idle";

/// The device.
#[derive(Debug)]
pub(crate) struct Idle {
    patient: File,
    hasty: File,
}

/// State of the other programs at a moment: busy, or asleep until a time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Quiet {
    pub now: SimTime,
    /// The next timer of the kernel, if all programs sleep: before that time they only do what packets make
    /// them do. `None` if one of them runs.
    pub until: Option<SimTime>,
}

impl Idle {
    /// Opens the device; `None` on a machine in real time.
    pub fn open() -> Option<Self> {
        let patient = File::open(DEVICE).ok()?;
        let hasty = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(DEVICE).ok()?;
        Some(Self { patient, hasty })
    }

    /// Waits until all other programs sleep, or one of them runs for long.
    pub fn wait(&self, clock: &Clock) -> io::Result<Quiet> {
        read(&self.patient, clock)
    }

    /// Tells at once if another program runs.
    pub fn look(&self, clock: &Clock) -> io::Result<Quiet> {
        read(&self.hasty, clock)
    }
}

fn read(mut device: &File, clock: &Clock) -> io::Result<Quiet> {
    let mut times = [[0; 8]; 2];
    device.read_exact(times.as_flattened_mut())?;
    let [now, until] = times.map(u64::from_ne_bytes);
    Ok(Quiet { now: clock.at(now), until: (until > now).then(|| clock.at(until)) })
}
