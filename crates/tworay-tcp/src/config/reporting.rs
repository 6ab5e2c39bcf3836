//! The receiver's reports about the path.

use tworay_base::SimDuration;

/// Reports about the path that the receiver echoes in its pure ACKs. Variants set them; a scenario cannot.
#[derive(Copy, Clone, PartialEq, Debug)]
pub enum Reporting {
    /// A verdict on each gap in the data (Cen, Cosman, Voelker 2003), in the ACKs sent while there is a gap.
    Gaps(GapRule),
    /// The state of the path in every ACK (ADTCP; Fu, Meng, Lu 2002).
    State(StateRule),
    /// A flag in the ACK of a segment that arrives after one sent later (TCP-DOOR; Wang, Zhang 2002).
    Order,
}

/// Loss differentiation algorithms: they decide at the first segment after a gap.
#[derive(Copy, Clone, PartialEq, Debug)]
pub enum GapRule {
    /// Relative one-way trip times in a spike indicate congestion (Tobe et al. 2000).
    Spike(SpikeRule),
    /// Trip times above the average, by the number of segments lost (Cen et al. 2003).
    ZigZag(ZigZagRule),
    /// Times between arrivals (Biaz and Vaidya 1999).
    Biaz(BiazRule),
    /// Selects one of the three (ZBS, Cen et al. 2003).
    Hybrid(HybridRule),
}

/// Thresholds of Spike, as parts of the way from the shortest trip time to the longest, 0 to 1.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct SpikeRule {
    /// A spike begins above this one.
    pub start: f64,
    /// It ends below this one.
    pub end: f64,
}

/// Weights of ZigZag.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct ZigZagRule {
    /// Weight of a new trip time in the mean, 0 to 0.5; the deviation has twice this weight.
    pub weight: f64,
}

/// The interval of Biaz' rule.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct BiazRule {
    /// A wireless loss delays the next arrival by less than this many shortest times between arrivals. Above
    /// 0.
    pub slack: f64,
}

/// The rules among which ZBS selects.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct HybridRule {
    /// Spike's thresholds.
    pub spike: SpikeRule,
    /// ZigZag's weight.
    pub zigzag: ZigZagRule,
    /// The interval of Biaz' rule.
    pub biaz: BiazRule,
}

/// ADTCP's identification of the path's state.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct StateRule {
    /// Throughput, reordering and losses are counted over this time. Above 0.
    pub interval: SimDuration,
    /// Samples of each metric that are remembered, and that are needed before the first report. At least 2.
    pub samples: usize,
    /// A sample is high or low if it is in this part of the remembered ones, at the top or at the bottom. 0
    /// to 0.5.
    pub share: f64,
}
