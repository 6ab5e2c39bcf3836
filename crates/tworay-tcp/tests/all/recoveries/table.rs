//! Checks a sender's window step by step against a table. `Ack(n)` acknowledges everything up to
//! segment n.

use crate::common::numbered::{ack, sender, sent};
use tworay_base::{SimDuration, SimTime};
use tworay_tcp::{Amount, Arrival, TcpAction, TcpConfig, TcpTimer};

/// One step.
#[derive(Clone, Debug)]
pub enum Do {
    /// Acknowledge up to this segment.
    Ack(u32),
    /// The same with SACK blocks of whole segments, first and last.
    Sack(u32, &'static [(u32, u32)]),
    /// The retransmission timer expires.
    Timeout,
}
/// A step; the segments sent in response; cwnd and ssthresh afterwards, in segments.
pub type Row = (Do, &'static [u32], f64, f64);

/// An open connection without limited transmit; other settings follow the RFCs.
pub fn config() -> TcpConfig {
    TcpConfig { limited_transmit: false, ..crate::common::numbered::config() }
}

/// A window of ten segments, all in flight, in congestion avoidance.
pub fn ten() -> TcpConfig {
    TcpConfig {
        initial_window: tworay_tcp::InitialWindow::Segments(10),
        initial_ssthresh: Some(10.0),
        ..config()
    }
}

/// Runs a table on a new sender.
pub fn play(variant: &str, config: &TcpConfig, table: &[Row]) {
    timers(variant, config, Amount::Endless, table);
}

/// The same with `amount` to send; returns the steps, numbered from 1, that restarted the retransmission
/// timer.
pub fn timers(variant: &str, config: &TcpConfig, amount: Amount, table: &[Row]) -> Vec<usize> {
    let mut restarted = Vec::new();
    let mut end = sender(variant, config);
    let mut now = SimTime::ZERO;
    let mut out = Vec::new();
    end.open(now, &mut out);
    end.write(now, amount, &mut out);
    for (i, (step, numbers, cwnd, ssthresh)) in table.iter().enumerate() {
        now += SimDuration::from_millis(10);
        out.clear();
        match step {
            Do::Timeout => end.on_timer(now, TcpTimer::Retransmit, &mut out),
            Do::Ack(n) => end.on_segment(now, &ack(*n, &[], config), Arrival::default(), &mut out),
            Do::Sack(n, blocks) => {
                end.on_segment(now, &ack(*n, blocks, config), Arrival::default(), &mut out)
            }
        }
        if out.iter().any(|a| matches!(a, TcpAction::Arm(TcpTimer::Retransmit, _))) {
            restarted.push(i + 1);
        }
        let s = end.snapshot();
        let at = format!("{variant}, step {} ({step:?})", i + 1);
        assert_eq!(sent(&out), *numbers, "{at}: segments sent");
        assert!((s.cwnd - cwnd).abs() < 1e-3, "{at}: cwnd {}, expected {cwnd}", s.cwnd);
        assert!((s.ssthresh - ssthresh).abs() < 1e-9, "{at}: ssthresh {}, expected {ssthresh}", s.ssthresh);
    }
    restarted
}
