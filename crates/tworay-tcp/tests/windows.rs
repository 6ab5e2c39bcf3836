//! The window step by step: RFC 5681, 6582, 6675 and 3042 as tables. Segments are numbered from 1; an
//! ACK of n acknowledges everything up to segment n.

use smallvec::SmallVec;
use tworay_base::{NodeId, Purpose, RngStream, Seq32, SimDuration, SimTime};
use tworay_tcp::{
    Amount, Arrival, Connection, Handshake, Ports, SegmentKind, Side, TcpAction, TcpConfig, TcpTimer,
    WindowSize,
};
use tworay_wire::{SackBlock, TcpFlags, TcpOptions, TcpSegment};

const MSS: u32 = 1000;

/// What happens to the sender.
#[derive(Clone, Debug)]
enum Do {
    /// Acknowledge up to this segment.
    Ack(u32),
    /// The same with SACK blocks of whole segments, first and last.
    Sack(u32, &'static [(u32, u32)]),
    /// The retransmission timer expires.
    Timeout,
}
use Do::{Ack, Sack, Timeout};

/// A step; the segments sent in answer; cwnd and ssthresh afterwards, segments.
type Row = (Do, &'static [u32], f64, f64);

fn config() -> TcpConfig {
    TcpConfig {
        mss: tworay_base::Bytes(u64::from(MSS)),
        handshake: Handshake::None,
        window: WindowSize::Segments(100),
        limited_transmit: false,
        ..TcpConfig::default()
    }
}

fn play(variant: &str, config: &TcpConfig, table: &[Row]) {
    let rng = RngStream::new(1, NodeId(0), Purpose::Test);
    let ports = Ports { local: 1, remote: 2 };
    let mut end = Connection::new(config, &variant.parse().expect(variant), Side::Active, ports, rng);
    let mut now = SimTime::ZERO;
    let mut out = Vec::new();
    end.open(now, &mut out);
    end.write(now, Amount::Endless, &mut out);
    for (i, (step, sent, cwnd, ssthresh)) in table.iter().enumerate() {
        now += SimDuration::from_millis(10);
        out.clear();
        match step {
            Timeout => end.on_timer(now, TcpTimer::Retransmit, &mut out),
            Ack(n) => end.on_segment(now, &ack(*n, &[], config), Arrival::default(), &mut out),
            Sack(n, blocks) => end.on_segment(now, &ack(*n, blocks, config), Arrival::default(), &mut out),
        }
        let numbers: Vec<u32> = out
            .iter()
            .filter_map(|a| match a {
                TcpAction::Send { segment, kind: SegmentKind::Data { .. }, .. } => {
                    Some((segment.seq.0 - 1) / MSS + 1)
                }
                _ => None,
            })
            .collect();
        let s = end.snapshot();
        let at = format!("{variant}, step {} ({step:?})", i + 1);
        assert_eq!(numbers, *sent, "{at}: segments sent");
        assert!((s.cwnd - cwnd).abs() < 1e-3, "{at}: cwnd {}, expected {cwnd}", s.cwnd);
        assert!((s.ssthresh - ssthresh).abs() < 1e-9, "{at}: ssthresh {}, expected {ssthresh}", s.ssthresh);
    }
}

fn ack(n: u32, blocks: &[(u32, u32)], config: &TcpConfig) -> TcpSegment {
    let sack: SmallVec<[SackBlock; 4]> = blocks
        .iter()
        .map(|(first, last)| SackBlock { left: Seq32(1 + (first - 1) * MSS), right: Seq32(1 + last * MSS) })
        .collect();
    TcpSegment {
        src_port: 2,
        dst_port: 1,
        seq: Seq32(1),
        ack: Seq32(1 + n * MSS),
        flags: TcpFlags::ACK,
        window: config.window_bytes() as u32,
        payload: 0,
        options: TcpOptions { sack, ..TcpOptions::default() },
    }
}

/// Slow start: one segment per ACK. Congestion avoidance: 1/cwnd per ACK.
#[test]
fn growth_of_rfc_5681() {
    let config = TcpConfig { initial_ssthresh: Some(4.0), ..config() };
    let table: [Row; 6] = [
        (Ack(1), &[3, 4], 3.0, 4.0),
        (Ack(2), &[5, 6], 4.0, 4.0),
        (Ack(3), &[7], 4.25, 4.0),
        (Ack(4), &[8], 4.4853, 4.0),
        (Ack(5), &[9], 4.7083, 4.0),
        (Ack(8), &[10, 11, 12], 4.9206, 4.0),
    ];
    play("reno", &config, &table);
}

/// A window of 10: ten segments in flight, the first lost.
fn ten() -> TcpConfig {
    TcpConfig {
        initial_window: tworay_tcp::InitialWindow::Segments(10),
        initial_ssthresh: Some(10.0),
        ..config()
    }
}

#[test]
fn fast_recovery_of_reno_rfc_5681() {
    // Segments 1 and 5 are lost: the first new ACK ends recovery, three more duplicates start another.
    let table: [Row; 14] = [
        (Ack(0), &[], 10.0, 10.0),
        (Ack(0), &[], 10.0, 10.0),
        (Ack(0), &[1], 5.0, 5.0),
        (Ack(0), &[], 5.0, 5.0),
        (Ack(0), &[], 5.0, 5.0),
        (Ack(0), &[11], 5.0, 5.0),
        (Ack(0), &[12], 5.0, 5.0),
        (Ack(0), &[13], 5.0, 5.0),
        (Ack(4), &[], 5.0, 5.0),
        (Ack(4), &[], 5.0, 5.0),
        (Ack(4), &[], 5.0, 5.0),
        (Ack(4), &[5], 4.5, 4.5),
        (Ack(13), &[14, 15, 16, 17], 4.5, 4.5),
        (Ack(14), &[18], 4.7222, 4.5),
    ];
    play("reno", &ten(), &table);
}

#[test]
fn partial_acks_of_rfc_6582() {
    // Segments 1 and 5 are lost: one recovery repairs both.
    let table: [Row; 12] = [
        (Ack(0), &[], 10.0, 10.0),
        (Ack(0), &[], 10.0, 10.0),
        (Ack(0), &[1], 5.0, 5.0),
        (Ack(0), &[], 5.0, 5.0),
        (Ack(0), &[], 5.0, 5.0),
        (Ack(0), &[11], 5.0, 5.0),
        (Ack(0), &[12], 5.0, 5.0),
        (Ack(0), &[13], 5.0, 5.0),
        // Inflation 8 - 4 + 1 = 5: a window of 10 above segment 4.
        (Ack(4), &[5, 14], 5.0, 5.0),
        (Ack(4), &[15], 5.0, 5.0),
        // Everything up to 10 is acknowledged: cwnd = min(ssthresh, FlightSize + 1).
        (Ack(13), &[16], 3.0, 5.0),
        (Ack(14), &[17, 18], 4.0, 5.0),
    ];
    play("newreno", &ten(), &table);
}

#[test]
fn the_careful_newreno_ignores_duplicates_of_old_data() {
    // A timeout, and then duplicates from segments sent before it.
    let table: [Row; 6] = [
        (Timeout, &[1], 1.0, 5.0),
        (Ack(1), &[2, 3], 2.0, 5.0),
        (Ack(1), &[], 2.0, 5.0),
        (Ack(1), &[], 2.0, 5.0),
        (Ack(1), &[], 2.0, 5.0),
        (Ack(10), &[11, 12, 13], 3.0, 5.0),
    ];
    play("newreno", &ten(), &table);
}

#[test]
fn tahoe_goes_back_to_the_loss() {
    let table: [Row; 6] = [
        (Ack(0), &[], 10.0, 10.0),
        (Ack(0), &[], 10.0, 10.0),
        (Ack(0), &[1], 1.0, 5.0),
        (Ack(0), &[], 1.0, 5.0),
        (Ack(4), &[5, 6], 2.0, 5.0),
        (Ack(10), &[11, 12, 13], 3.0, 5.0),
    ];
    play("tahoe", &ten(), &table);
}

#[test]
fn timeouts_of_rfc_5681() {
    // ssthresh is set once per segment, and 2 at least.
    let table: [Row; 5] = [
        (Timeout, &[1], 1.0, 5.0),
        (Timeout, &[1], 1.0, 5.0),
        (Ack(1), &[2, 3], 2.0, 5.0),
        (Timeout, &[2], 1.0, 2.0),
        (Ack(10), &[11, 12], 2.0, 2.0),
    ];
    play("reno", &ten(), &table);
    // ns-2 halves its window at every timeout.
    let ns2 = TcpConfig { halving: tworay_tcp::Halving::Window, ..ten() };
    play("reno", &ns2, &[(Timeout, &[1], 1.0, 5.0), (Timeout, &[1], 1.0, 2.0)]);
}

#[test]
fn limited_transmit_of_rfc_3042() {
    let config = TcpConfig { limited_transmit: true, ..ten() };
    for variant in ["tahoe", "reno", "newreno"] {
        let first: [Row; 2] = [(Ack(0), &[11], 10.0, 10.0), (Ack(0), &[12], 10.0, 10.0)];
        play(variant, &config, &first);
    }
    // Its two segments don't count as flight (RFC 5681 §3.2 step 2).
    let table: [Row; 3] =
        [(Ack(0), &[11], 10.0, 10.0), (Ack(0), &[12], 10.0, 10.0), (Ack(0), &[1], 5.0, 5.0)];
    play("newreno", &config, &table);
}

#[test]
fn sack_recovery_of_rfc_6675() {
    // Segments 1, 4 and 5 are lost.
    let table: [Row; 9] = [
        (Sack(0, &[(2, 2)]), &[], 10.0, 10.0),
        (Sack(0, &[(2, 3)]), &[], 10.0, 10.0),
        // Ten outstanding, 3 SACKed, 1 lost and sent again: pipe 7, window 5.
        (Sack(0, &[(6, 6), (2, 3)]), &[1], 5.0, 5.0),
        // 4 and 5 aren't lost yet: two segments SACKed above them.
        (Sack(0, &[(6, 7), (2, 3)]), &[], 5.0, 5.0),
        // Now they are: pipe = 1, 9 and 10.
        (Sack(0, &[(6, 8), (2, 3)]), &[4, 5], 5.0, 5.0),
        (Sack(0, &[(6, 9), (2, 3)]), &[11], 5.0, 5.0),
        (Sack(0, &[(6, 10), (2, 3)]), &[12], 5.0, 5.0),
        (Sack(3, &[(6, 10)]), &[13], 5.0, 5.0),
        (Ack(10), &[14, 15], 5.0, 5.0),
    ];
    play("sack", &ten(), &table);
}

#[test]
fn sack_blocks_survive_a_timeout() {
    let table: [Row; 6] = [
        (Sack(0, &[(3, 4)]), &[], 10.0, 10.0),
        (Timeout, &[1], 1.0, 5.0),
        // 3 and 4 arrived: they aren't sent again.
        (Sack(1, &[(3, 4)]), &[2, 5], 2.0, 5.0),
        (Ack(4), &[6, 7], 3.0, 5.0),
        (Ack(5), &[8, 9], 4.0, 5.0),
        (Ack(10), &[11, 12, 13, 14, 15], 5.0, 5.0),
    ];
    play("sack", &ten(), &table);
    // A repeated SACK without anything new is no duplicate ACK (RFC 6675 §2).
    let same: [Row; 4] = [
        (Sack(0, &[(3, 4)]), &[], 10.0, 10.0),
        (Sack(0, &[(3, 4)]), &[], 10.0, 10.0),
        (Sack(0, &[(3, 4)]), &[], 10.0, 10.0),
        (Sack(0, &[(3, 4)]), &[], 10.0, 10.0),
    ];
    play("sack", &ten(), &same);
}
