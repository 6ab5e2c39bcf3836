//! Named random streams: one generator per (run seed, node, purpose).
//!
//! No stream depends on another, so an added node or an extra draw elsewhere leaves it unchanged, and two TCP
//! variants see the same movement and the same errors (common random numbers). The generator (Xoshiro256++),
//! the seed derivation and every sampler below determine results: any change needs a "Changed results" entry.

use crate::{NodeId, SimDuration};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The use of a stream. The numbers are fixed because the seed derivation uses them.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum Purpose {
    /// 802.11 backoff.
    Backoff = 1,
    /// Routing jitter.
    RoutingJitter = 2,
    /// Movement: destinations, speeds, pauses.
    Mobility = 3,
    /// Initial positions of nodes.
    Placement = 4,
    /// Application start jitter and on/off times.
    Traffic = 5,
    /// Bit and packet errors.
    ChannelError = 6,
    /// Fading and shadowing.
    Fading = 7,
    /// A TCP endpoint's draws (tick phase, probe ids).
    Tcp = 8,
    /// RED in interface queues and in the queues of wires.
    Queue = 9,
    /// Handoff and node failure times.
    Events = 10,
    /// Offset of a node's clock.
    ClockOffset = 11,
    /// Processing time of packets that a node originates.
    Processing = 12,
    /// Jitter of broadcasts that a node originates.
    BroadcastJitter = 13,
    /// Losses on measured radio links.
    LinkLoss = 14,
    /// Drops by link-RED.
    LinkRed = 15,
    /// Samples of rate control.
    RateControl = 16,
    /// Test inputs.
    Test = 99,
}

/// A seeded generator with the samplers that the simulator uses.
#[derive(Clone, Debug)]
pub struct RngStream(Xoshiro256PlusPlus);

/// SplitMix64's output function: a fixed 64-bit mixer.
const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl RngStream {
    /// The stream of `node` for `purpose` in the run with `seed`.
    pub fn new(seed: u64, node: NodeId, purpose: Purpose) -> Self {
        Self::numbered(seed, node.0 as u64, purpose)
    }

    /// As [`RngStream::new`], for numbered things other than nodes (wires, flows).
    pub fn numbered(seed: u64, index: u64, purpose: Purpose) -> Self {
        let a = mix(seed.wrapping_add(0x9e37_79b9_7f4a_7c15));
        let b = mix(a ^ index.wrapping_mul(0xd1b5_4a32_d192_ed03).wrapping_add(0x8cb9_2ba7_2f3d_8dd7));
        let c = mix(b ^ (purpose as u64).wrapping_mul(0xaef1_7502_108e_f2d9));
        Self(Xoshiro256PlusPlus::seed_from_u64(c))
    }

    /// 64 uniform bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A uniform integer in `0..n` without bias (Lemire 2019); `n` must not be zero.
    #[inline]
    pub fn below(&mut self, n: u32) -> u32 {
        debug_assert!(n > 0);
        let mut m = (self.bits() >> 32) * n as u64;
        if (m as u32) < n {
            let threshold = n.wrapping_neg() % n;
            while (m as u32) < threshold {
                m = (self.bits() >> 32) * n as u64;
            }
        }
        (m >> 32) as u32
    }

    /// A uniform real in `[0, 1)` with 53 bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A uniform real in `[lo, hi)`.
    #[inline]
    pub fn uniform(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.unit()
    }

    /// An exponential real with the given mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log(1.0 - self.unit())
    }

    /// A standard normal real (Box-Muller; the second value of each pair is discarded).
    pub fn normal(&mut self) -> f64 {
        let u = 1.0 - self.unit();
        let v = self.unit();
        libm::sqrt(-2.0 * libm::log(u)) * libm::cos(core::f64::consts::TAU * v)
    }

    /// True with probability `p`.
    #[inline]
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// A uniform duration in `[0, max)`; zero if `max` is zero.
    pub fn jitter(&mut self, max: SimDuration) -> SimDuration {
        SimDuration::from_nanos((self.unit() * max.as_nanos() as f64) as u64)
    }
}

#[cfg(test)]
mod tests;
