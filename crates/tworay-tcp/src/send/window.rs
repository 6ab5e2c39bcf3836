//! The congestion window, and its last reduction.

use crate::config::TcpConfig;

/// Congestion window and slow-start threshold, segments.
#[derive(Debug)]
pub(crate) struct CongestionWindow {
    pub cwnd: f64,
    pub ssthresh: f64,
    /// The window after the handshake.
    pub initial: f64,
    /// Inflation by duplicate ACKs, each of which stands for a segment that left the network.
    pub inflation: f64,
}

impl CongestionWindow {
    pub fn new(cfg: &TcpConfig) -> Self {
        Self {
            cwnd: 1.0,
            ssthresh: cfg.initial_ssthresh.unwrap_or_else(|| cfg.window_segments()).max(2.0),
            initial: cfg.initial_window_segments(),
            inflation: 0.0,
        }
    }
}

/// Cause of the last window reduction, and whether its recovery is over.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum CutBy {
    /// No reduction yet, or one without a recovery.
    Nothing,
    /// Duplicate ACKs; recovery is in progress.
    DupAcks,
    /// Duplicate ACKs; recovery is over.
    Recovered,
    /// The retransmission timer.
    Timeout,
}

/// The last reduction of the window.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Cut {
    /// The highest offset sent when it happened (RFC 6582's `recover`).
    pub point: u64,
    pub by: CutBy,
}
