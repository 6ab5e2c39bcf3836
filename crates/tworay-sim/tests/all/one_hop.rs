//! One saturated hop against the closed form of the theoretical maximum throughput.
//!
//! A single sender never collides, so every cycle takes (IEEE 802.11-1999 §9.2; the form of Jun,
//! Peddabachagari and Sichitiu, "Theoretical maximum throughput of IEEE 802.11", NCA 2003):
//!
//! ```text
//!   T = DIFS + CWmin/2 · slot + [RTS + SIFS + CTS + SIFS] + DATA + SIFS + ACK
//!   goodput = 8 · payload / T
//! ```
//!
//! with 192 µs of long preamble before every frame, RTS 20 B and CTS 14 B at 1 Mb/s, and DATA =
//! payload + 28 (UDP/IP) + 36 (MAC header 24, FCS 4, LLC/SNAP 8) bytes and ACK = 14 bytes at 2 Mb/s.

use crate::common::{load, parse, run_once};

const PLCP: f64 = 192.0;

fn closed_form_bps(payload: f64, rts: bool) -> f64 {
    let (slot, sifs, difs) = (20.0, 10.0, 50.0);
    let control = |bytes: f64| PLCP + bytes * 8.0;
    let data = PLCP + (payload + 28.0 + 36.0) * 8.0 / 2.0;
    let handshake = if rts { control(20.0) + sifs + control(14.0) + sifs } else { 0.0 };
    let cycle = difs + 31.0 / 2.0 * slot + handshake + data + sifs + PLCP + 14.0 * 8.0 / 2.0;
    8.0 * payload / (cycle * 1e-6)
}

#[test]
fn saturated_hop_reaches_the_theoretical_maximum_within_one_percent() {
    for payload in [512.0, 1460.0] {
        for (rts, threshold) in [(true, "0B"), (false, "3000B")] {
            let scenario = parse(&format!(
                r#"
                name = "one-hop"
                duration = "60s"
                topology = {{ kind = "string", hops = 1, spacing = "200m" }}
                routing = {{ protocol = "static" }}
                mac = {{ rts_threshold = "{threshold}" }}
                [[flow]]
                from = 0
                to = 1
                app = "cbr"
                rate = "2Mbps"
                size = "{payload}B"
                "#
            ));
            let goodput = run_once(&scenario, 7).document.flows[0].goodput_bps;
            let limit = closed_form_bps(payload, rts);
            let off = goodput / limit - 1.0;
            println!(
                "payload {payload}, RTS {rts}: {goodput:.0} b/s, closed form {limit:.0} ({:+.2} %)",
                100.0 * off
            );
            assert!(off.abs() < 0.01, "payload {payload}, RTS {rts}: {goodput:.0} against {limit:.0}");
        }
    }
}

/// Propagation takes time: at 250 m every exchange is 4 × 0.83 µs longer. Beyond 250 m nothing arrives.
#[test]
fn the_hop_ends_at_250_metres() {
    let at = |metres: &str| {
        let spacing = format!("topology.spacing={metres}");
        run_once(&load("string-1", &["routing.protocol=static", "duration=10s", &spacing]), 1).document.flows
            [0]
        .acked_segments
    };
    assert!(at("249m") > 900);
    assert_eq!(at("251m"), 0);
}
