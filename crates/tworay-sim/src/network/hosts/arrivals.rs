//! Datagrams that a flow's sink has received: each counts once, also one that others have overtaken, as where DSR leads the
//! datagrams behind a break over another path.
//!
//! A window of the latest numbers tells a repeated one, as in the anti-replay service of RFC 4303 §3.4.3. A datagram that
//! [`WINDOW`] or more others have overtaken is not counted.

/// Numbers that are remembered.
const WINDOW: u64 = 1024;

/// The latest datagrams received.
#[derive(Clone, Debug)]
pub(crate) struct Arrivals {
    /// One above the largest number received.
    next: u64,
    /// A bit for each of the `WINDOW` numbers below `next`, at its remainder: true if it was received.
    received: Box<[u64; WINDOW as usize / 64]>,
}

impl Arrivals {
    pub fn new() -> Self {
        Self { next: 0, received: Box::new([0; WINDOW as usize / 64]) }
    }

    /// A datagram arrives. True if it is the first one with this number, as far as is known.
    pub fn is_first(&mut self, number: u64) -> bool {
        if number >= self.next {
            for missing in self.next.max(number.saturating_sub(WINDOW))..number {
                *self.word(missing) &= !bit(missing);
            }
            self.next = number + 1;
        } else if number + WINDOW < self.next || *self.word(number) & bit(number) != 0 {
            return false;
        }
        *self.word(number) |= bit(number);
        true
    }

    fn word(&mut self, number: u64) -> &mut u64 {
        &mut self.received[(number % WINDOW) as usize / 64]
    }
}

fn bit(number: u64) -> u64 {
    1 << (number % 64)
}

#[cfg(test)]
mod tests;
