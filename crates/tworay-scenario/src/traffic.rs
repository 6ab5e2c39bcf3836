//! Settings of applications over a TCP connection that stays open: transfers one after another, video, and
//! the packets of a trace.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use tworay_base::{BitRate, Bytes, ConfigProblem, RngStream, SimDuration};
use tworay_wire::packet_trace::TracePacket;

/// Transfers over one connection.
#[derive(Clone, Debug, PartialEq)]
pub struct Transfers {
    /// Bytes that the receiver sends to ask for a transfer; with 0 the sender begins by itself.
    pub request: u64,
    /// Their sizes.
    pub sizes: Sizes,
    /// When the next one begins.
    pub next: NextTransfer,
    /// Their number, at least one; `None` never ends.
    pub count: Option<u64>,
}

/// When the next transfer begins.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum NextTransfer {
    /// As a Poisson process with this mean interval, whether or not earlier ones are done.
    Poisson(SimDuration),
    /// After the one before is done, and an exponential pause with this mean (a closed loop).
    After(SimDuration),
}

/// Distribution of the sizes of transfers; each is at least 1B.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Sizes {
    /// Every transfer has the same size.
    Fixed {
        /// The size.
        size: Bytes,
    },
    /// Exponential.
    Exponential {
        /// Mean size.
        mean: Bytes,
    },
    /// Bounded Pareto: many small transfers and few large ones, as on the web (Crovella and Bestavros 1997).
    Pareto {
        /// Smallest size.
        least: Bytes,
        /// Largest size, above the smallest.
        most: Bytes,
        /// Shape, 0.1 to 10; the smaller, the more of the bytes are in large transfers. Crovella and Bestavros 1997
        /// measured 1.0 to 1.3.
        #[serde(default = "usual_shape")]
        shape: f64,
    },
    /// Drawn from a list, each entry with the same probability; a size may occur several times.
    Listed {
        /// The sizes.
        sizes: Vec<Bytes>,
    },
}

fn usual_shape() -> f64 {
    1.2
}

impl Sizes {
    /// Draws a size, bytes.
    pub fn draw(&self, rng: &mut RngStream) -> u64 {
        match self {
            Self::Fixed { size } => size.0,
            Self::Exponential { mean } => (rng.exponential(mean.0 as f64) as u64).max(1),
            &Self::Pareto { least, most, shape } => Pareto::new(least, most, shape).size_at(rng.unit()),
            // A list has at least one size and at most 2³² of them.
            Self::Listed { sizes } => sizes[rng.below(sizes.len() as u32) as usize].0,
        }
    }

    /// Mean size, bytes.
    pub fn mean(&self) -> f64 {
        match self {
            Self::Fixed { size: mean } | Self::Exponential { mean } => mean.0 as f64,
            &Self::Pareto { least, most, shape } => Pareto::new(least, most, shape).mean(),
            Self::Listed { sizes } => {
                sizes.iter().map(|size| size.0 as f64).sum::<f64>() / sizes.len() as f64
            }
        }
    }

    /// Checks ranges.
    ///
    /// # Errors
    /// A size of 0, an empty list, a Pareto distribution without room or with a shape out of range.
    pub fn validate(&self) -> Result<(), ConfigProblem> {
        let refuse = |key: &str, problem: &str, remedy: &str| Err(ConfigProblem::new(key, problem, remedy));
        let some = |key: &str, size: Bytes| match size.0 {
            0 => refuse(key, "a transfer has at least a byte", "Give a size such as \"20kB\"."),
            _ => Ok(()),
        };
        match self {
            Self::Fixed { size } => some("size", *size),
            Self::Exponential { mean } => some("mean", *mean),
            Self::Listed { sizes } if sizes.is_empty() => {
                refuse("sizes", "the list is empty", "Give sizes such as [\"10kB\", \"100kB\"].")
            }
            Self::Listed { sizes } => {
                sizes.iter().enumerate().try_for_each(|(i, size)| some(&format!("sizes.{i}"), *size))
            }
            Self::Pareto { least, most, shape } => {
                some("least", *least)?;
                if most <= least {
                    let problem = format!("{most} is not above least = {least}");
                    return refuse("most", &problem, "Give a larger size, such as \"10MB\".");
                }
                // Also refuses NaN.
                if !(0.1..=10.0).contains(shape) {
                    return refuse(
                        "shape",
                        &format!("{shape} is out of range"),
                        "Give 0.1 to 10, such as 1.2.",
                    );
                }
                Ok(())
            }
        }
    }
}

/// A bounded Pareto distribution: sizes from L to H with shape a.
struct Pareto {
    low: f64,
    high: f64,
    shape: f64,
}

impl Pareto {
    fn new(least: Bytes, most: Bytes, shape: f64) -> Self {
        Self { low: least.0 as f64, high: most.0 as f64, shape }
    }

    /// 1 − (L/H)^a
    fn span(&self) -> f64 {
        1.0 - libm::pow(self.low / self.high, self.shape)
    }

    /// The size below which the share `u` of the sizes is, by the inverse of the distribution function
    /// F(x) = (1 − (L/x)^a) / (1 − (L/H)^a).
    fn size_at(&self, u: f64) -> u64 {
        let size = self.low / libm::pow(1.0 - u * self.span(), 1.0 / self.shape);
        size.clamp(self.low, self.high) as u64
    }

    fn mean(&self) -> f64 {
        let &Self { low, high, shape: a } = self;
        let density = a * libm::pow(low, a) / self.span();
        // ∫ x^(−a) dx from L to H.
        let integral = if a == 1.0 {
            libm::log(high / low)
        } else {
            (libm::pow(high, 1.0 - a) - libm::pow(low, 1.0 - a)) / (1.0 - a)
        };
        density * integral
    }
}

/// Video in chunks, as players over HTTP fetch it.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Video {
    /// Its rate.
    pub rate: BitRate,
    /// Playing time of a chunk.
    pub chunk: SimDuration,
    /// Playing time that the player keeps at most; it asks for a chunk when there is room for it.
    pub buffer: SimDuration,
    /// Playing time that it needs to start, and to go on after a stall.
    pub startup: SimDuration,
}

impl Video {
    /// Bytes of a chunk.
    pub fn chunk_bytes(&self) -> u64 {
        (u128::from(self.rate.as_bps()) * u128::from(self.chunk.as_nanos()) / 8_000_000_000) as u64
    }
}

/// Packets of a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// The trace's file.
    pub file: PathBuf,
    /// Only packets of this host.
    pub source: Option<IpAddr>,
    /// The packets, at least one, in order of time.
    pub packets: Arc<[TracePacket]>,
}

/// Transport of a replayed trace.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Over {
    /// A datagram for each packet, as long as the packet.
    #[default]
    Udp,
    /// Each packet's payload is written to a TCP connection at the packet's time.
    Tcp,
}

#[cfg(test)]
mod tests;
