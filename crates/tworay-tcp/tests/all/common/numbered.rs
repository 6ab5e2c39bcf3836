//! A sender whose segments are numbered from 1 and have 1000 bytes, with the ACKs that it receives.

use tworay_base::{NodeId, Purpose, RngStream, Seq32};
use tworay_tcp::{Connection, Handshake, Ports, SegmentKind, Side, TcpAction, TcpConfig, WindowSize};
use tworay_wire::{SackBlock, TcpFlags, TcpOptions, TcpSegment};

pub const MSS: u32 = 1000;

/// An open connection; other settings follow the RFCs.
pub fn config() -> TcpConfig {
    TcpConfig {
        mss: tworay_base::Bytes(u64::from(MSS)),
        handshake: Handshake::None,
        window: WindowSize::Segments(100),
        ..TcpConfig::default()
    }
}

pub fn sender(variant: &str, config: &TcpConfig) -> Connection {
    let rng = RngStream::new(1, NodeId(0), Purpose::Test);
    let ports = Ports { local: 1, remote: 2 };
    Connection::new(config, &variant.parse().expect(variant), Side::Active, ports, rng)
}

/// An ACK of everything up to segment `n`, with SACK blocks of whole segments, first and last.
pub fn ack(n: u32, blocks: &[(u32, u32)], config: &TcpConfig) -> TcpSegment {
    let block = |&(first, last): &(u32, u32)| SackBlock {
        left: Seq32(1 + (first - 1) * MSS),
        right: Seq32(1 + last * MSS),
    };
    TcpSegment {
        src_port: 2,
        dst_port: 1,
        seq: Seq32(1),
        ack: Seq32(1 + n * MSS),
        flags: TcpFlags::ACK,
        window: config.window_bytes() as u32,
        payload: 0,
        options: TcpOptions { sack: blocks.iter().map(block).collect(), ..TcpOptions::default() },
    }
}

/// The segments with data among these actions, by number.
pub fn sent(actions: &[TcpAction]) -> Vec<u32> {
    let number = |action: &TcpAction| match action {
        TcpAction::Send { segment, kind: SegmentKind::Data { .. }, .. } => {
            Some((segment.seq.0 - 1) / MSS + 1)
        }
        _ => None,
    };
    actions.iter().filter_map(number).collect()
}
