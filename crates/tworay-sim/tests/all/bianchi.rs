//! Saturation throughput of one cell against Bianchi's model (IEEE JSAC 18(3), 2000).
//!
//! n stations on a circle send to a sink in its middle without RTS/CTS. The model's fixed point
//!
//! ```text
//!   τ = 2(1−2p) / ((1−2p)(W+1) + pW(1−(2p)^m)),   p = 1 − (1−τ)^(n−1)
//!   S = Ps·Ptr·payload / ((1−Ptr)·slot + Ptr·Ps·Ts + Ptr·(1−Ps)·Tc)
//! ```
//!
//! with W = 32, m = 5, Ts = DATA + SIFS + ACK + DIFS; ACKs are sent at 2 Mb/s as data is. A collision costs
//! the bystanders DATA + EIFS, which is computed with an ACK at 1 Mb/s (IEEE 802.11-1999 §9.2.10), and the
//! senders DATA + their ACK timeout + DIFS; Tc takes the bystanders' value.
//!
//! In Bianchi's model a collision destroys every frame. With cumulative interference, one of two frames of
//! equal power that overlap is sometimes decoded: despreading leaves Eb/N0 = 11 at 2 Mb/s in 22 MHz, where
//! DQPSK errs in one bit of five thousand, so the frame that arrived first survives with a probability of
//! 19 %. Of three frames none survives. The model includes these survivors: they add to Ps, and a station
//! fails less often.

use crate::common::{mean_over, parse};

const SLOT: f64 = 20.0;
/// Bytes of IP, UDP and MAC headers around the payload, sent at 2 Mb/s.
const HEADERS: f64 = 28.0 + 36.0;

/// Probability that the first of two frames of equal power is decoded (Ferrari and Corazza 2004, DQPSK).
fn survival(payload: f64) -> f64 {
    let eb_n0 = 22.0 / 2.0;
    let root2 = std::f64::consts::SQRT_2;
    let scale = (root2 + 1.0) / (8.0 * std::f64::consts::PI * root2).sqrt();
    let bit_errors = scale / f64::sqrt(eb_n0) * f64::exp(-(2.0 - root2) * eb_n0);
    (1.0 - bit_errors).powf((payload + HEADERS) * 8.0)
}

fn bianchi_bps(n: f64, payload: f64) -> f64 {
    let (w, m) = (32.0_f64, 5);
    let survival = survival(payload);
    let tau_of =
        |p: f64| 2.0 * (1.0 - 2.0 * p) / ((1.0 - 2.0 * p) * (w + 1.0) + p * w * (1.0 - (2.0 * p).powi(m)));
    // Probability that one other station transmits as well, and this one's frame is first and survives.
    let beside_one = |tau: f64| (n - 1.0) * tau * (1.0 - tau).powf(n - 2.0) * survival / 2.0;
    // p − (1 − (1−τ(p))^(n−1) − survivors) increases with p: bisection.
    let (mut lo, mut hi) = (0.0, 0.499_999);
    for _ in 0..200 {
        let p = 0.5 * (lo + hi);
        let tau = tau_of(p);
        if p > 1.0 - (1.0 - tau).powf(n - 1.0) - beside_one(tau) { hi = p } else { lo = p }
    }
    let tau = tau_of(lo);
    let ptr = 1.0 - (1.0 - tau).powf(n);
    let ps = n * tau * ((1.0 - tau).powf(n - 1.0) + beside_one(tau)) / ptr;
    let data = 192.0 + (payload + HEADERS) * 8.0 / 2.0;
    let (sifs, difs, ack, slow_ack) = (10.0, 50.0, 248.0, 304.0);
    let ts = data + sifs + ack + difs;
    let tc = data + sifs + slow_ack + difs;
    ps * ptr * 8.0 * payload / ((1.0 - ptr) * SLOT + ptr * ps * ts + ptr * (1.0 - ps) * tc) * 1e6
}

#[test]
fn one_cell_saturates_as_bianchi_says_within_one_percent() {
    for n in [5, 10, 20] {
        let mut text = String::from(
            "name = \"cell\"\nduration = \"60s\"\nrouting = { protocol = \"static\" }\nmac = { rts = \"none\", arp = false }\n[topology]\nkind = \"explicit\"\npositions = [[50.0, 50.0]",
        );
        for i in 0..n {
            let angle = std::f64::consts::TAU * f64::from(i) / f64::from(n);
            text += &format!(", [{:.3}, {:.3}]", 50.0 + 20.0 * angle.cos(), 50.0 + 20.0 * angle.sin());
        }
        text += "]\n";
        for i in 1..=n {
            text +=
                &format!("[[flow]]\nfrom = {i}\nto = 0\napp = \"cbr\"\nrate = \"2Mbps\"\nsize = \"1000B\"\n");
        }
        let scenario = parse(&text);
        let sum = |r: &tworay_sim::RunReport| r.document.flows.iter().map(|f| f.goodput_bps).sum::<f64>();
        let measured = mean_over(&scenario, 2, sum);
        let model = bianchi_bps(f64::from(n), 1000.0);
        let off = measured / model - 1.0;
        println!("{n} stations: {measured:.0} b/s, model {model:.0} ({:+.2} %)", 100.0 * off);
        assert!(off.abs() < 0.01, "{n} stations: {measured:.0} against {model:.0}");
    }
}
