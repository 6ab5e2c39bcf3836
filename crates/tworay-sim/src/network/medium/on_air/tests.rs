use super::*;
use tworay_base::{Position, Ratio};
use tworay_mac::FrameKind;
use tworay_radio::{FadingConfig, RadioConfig, ShadowingConfig};

const N: u64 = 20_000;

/// Fraction of frames that a station at `metres` can decode.
fn read(radio: &RadioConfig, metres: f64) -> f64 {
    let mut tracks = [Track::fixed(Position::new(0.0, 0.0)), Track::fixed(Position::new(metres, 0.0))];
    let mut medium = Medium::new(Channel::new(radio), radio.fader(7), &mut tracks);
    let frame = Frame {
        kind: FrameKind::Rts,
        from: NodeId(0),
        to: NodeId(1),
        duration: SimDuration::ZERO,
        number: 0,
        retry: false,
        protected: false,
        packet: None,
        bytes: 20,
        airtime: SimDuration::from_micros(352),
    };
    let threshold = medium.channel().rx_threshold();
    let mut good = 0;
    for i in 0..N {
        let tx = medium.transmit(SimTime::from_nanos(1_000_000 * i), &frame, &mut tracks);
        good += u64::from(medium.hearers(tx).iter().any(|h| h.power >= threshold));
        medium.retire(tx);
    }
    good as f64 / N as f64
}

#[test]
fn shadowing_blurs_the_edge_of_the_range() {
    let radio = RadioConfig {
        shadowing: Some(ShadowingConfig { sigma: Ratio(4.0), ..ShadowingConfig::default() }),
        ..RadioConfig::default()
    };
    let edge = Channel::new(&radio).range_of(3.652e-10);
    for metres in [150.0, 200.0, edge, 300.0, 400.0] {
        // Two-ray ground: 40 dB per decade beyond the crossover distance.
        let margin = 40.0 * (edge / metres).log10();
        let expected = 0.5 * libm::erfc(-margin / (4.0 * std::f64::consts::SQRT_2));
        let found = read(&radio, metres);
        assert!((found - expected).abs() < 0.012, "{metres} m: {found}, expected {expected}");
    }
}

#[test]
fn rayleigh_fading_loses_frames_at_any_distance() {
    let radio = RadioConfig { fading: Some(FadingConfig::default()), ..RadioConfig::default() };
    let edge = Channel::new(&radio).range_of(3.652e-10);
    for metres in [100.0, 200.0, edge, 400.0] {
        let expected = libm::exp(-(metres / edge).powi(4));
        let found = read(&radio, metres);
        assert!((found - expected).abs() < 0.012, "{metres} m: {found}, expected {expected}");
    }
    assert_eq!(read(&RadioConfig::default(), 249.0), 1.0);
    assert_eq!(read(&RadioConfig::default(), 251.0), 0.0);
}
