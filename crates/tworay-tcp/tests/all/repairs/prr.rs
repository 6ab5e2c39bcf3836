//! Proportional Rate Reduction (RFC 9937; the first example of RFC 6937 §4).

use super::ladder::On::Ack;
use super::ladder::{Ladder, config};
use tworay_tcp::TcpConfig;

/// RFC 6937 §4, figure "PRR": twenty segments in flight, the first lost, each ACK SACKs one more. Two new
/// segments by limited transmit, the retransmission, and a new segment for every other ACK until ten are in
/// flight.
#[test]
fn one_loss_of_twenty() {
    let sizes: Vec<(u32, u32)> = (2..=20).map(|last| (2, last)).collect();
    for variant in ["sack+prr", "sack+rack+prr"] {
        let config = TcpConfig { initial_ssthresh: Some(20.0), ..config(20) };
        let (mut ladder, _) = Ladder::new(variant, &config, None);
        // The first ACK shows RACK a round trip; it moves the window by one segment.
        let mut sent = Vec::new();
        for (i, block) in sizes.iter().enumerate() {
            let blocks: &'static [(u32, u32)] = Vec::leak(vec![*block]);
            let now = ladder.step(100 + i as u64, &Ack(0, blocks));
            sent.push(match now[..] {
                [] => '.',
                [1] => 'R',
                [n] if n > 20 => 'N',
                _ => panic!("{variant}: ACK {} sends {now:?}", i + 1),
            });
        }
        let sent: String = sent.into_iter().collect();
        assert_eq!(sent, "NNR.N.N.N.N.N.N.N..", "{variant}");
        let state = ladder.state();
        assert_eq!(state.ssthresh, 10.0, "half of the 22 in flight, less the two of limited transmit");
    }
}
