//! The least time of a packet, by hand.
//!
//! A packet of 1,500 bytes is a frame of 1,538. Symbols of 4 µs carry 260 bits at MCS 7, after a preamble of 36 µs; those of 24 Mb/s carry
//! 96, after 20 µs. 22 bits come on top (§19.3.11). AIFS is 43 µs, half a window of 15 slots 67.5 µs.

use super::{RngStream, config};
use crate::hcf::{Hcf, HcfConfig, LeastTime, RateChoice};
use crate::rate::MinstrelConfig;
use std::sync::Arc;
use tworay_base::{NodeId, Purpose, SimDuration};

fn least(config: HcfConfig, packets: u16, sinr: f64) -> SimDuration {
    let node = NodeId(0);
    let hcf = Hcf::new(Arc::new(config), node, RngStream::new(1, node, Purpose::Backoff));
    let LeastTime { exchange, backoff } = hcf.least_time(1500, packets, |_| sinr);
    exchange + backoff
}

fn micros(time: f64) -> SimDuration {
    SimDuration::from_nanos((1000.0 * time) as u64)
}

#[test]
fn a_frame_alone_takes_its_whole_exchange() {
    // 12,326 bits are 48 symbols; the ACK has 134 bits, 2 symbols.
    let exchange = 43.0 + 67.5 + (36.0 + 192.0) + 16.0 + 28.0;
    assert_eq!(least(config(0, u32::MAX), 64, 1e6), micros(exchange));
    assert_eq!(least(config(u32::MAX, u32::MAX), 1, 1e6), micros(exchange));
    // RTS and CTS have 182 and 134 bits, 2 symbols each.
    assert_eq!(least(config(0, 1000), 64, 1e6), micros(exchange + 28.0 + 16.0 + 28.0 + 16.0));
}

#[test]
fn frames_of_an_aggregate_share_one_access() {
    // Delimiters of 4 bytes and 2 of padding: 3,086 bytes, 24,710 bits, 96 symbols. The BlockAck has 278 bits, 3 symbols.
    let exchange = 43.0 + 67.5 + (36.0 + 384.0) + 16.0 + 32.0;
    assert_eq!(least(config(u32::MAX, u32::MAX), 2, 1e6), micros(exchange / 2.0));
}

/// No signal chooses among rates better than the one that carries most.
#[test]
fn a_rate_control_counts_at_the_best_rate() {
    let minstrel =
        || HcfConfig { rate: RateChoice::MinstrelHt(MinstrelConfig::LINUX), ..config(0, u32::MAX) };
    assert_eq!(least(minstrel(), 1, 1e6), least(config(0, u32::MAX), 1, 1e6));
    assert!(least(minstrel(), 1, 30.0) > least(minstrel(), 1, 1e6), "15 dB are too little for MCS 7");
}
