//! Vectors from a second implementation of the generators in Python, checked there against the authors' own
//! (SplitMix64 of seed 1234567; xoshiro256++ of state 1, 2, 3, 4), and the samplers' distributions.

use super::*;

#[test]
fn the_mixer_is_splitmix64s() {
    let outputs: Vec<u64> = (1..=3)
        .map(|n: u64| mix(1_234_567_u64.wrapping_add(n.wrapping_mul(0x9e37_79b9_7f4a_7c15))))
        .collect();
    assert_eq!(outputs, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
}

#[test]
fn the_generator_is_xoshiro256_plus_plus() {
    let mut state = [0; 32];
    for (i, word) in state.chunks_mut(8).enumerate() {
        word.copy_from_slice(&(i as u64 + 1).to_le_bytes());
    }
    let mut stream = RngStream(Xoshiro256PlusPlus::from_seed(state));
    let outputs: Vec<u64> = (0..4).map(|_| stream.bits()).collect();
    assert_eq!(outputs, [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386]);
}

/// A stream is named by seed, node and purpose; a change of any of the three gives another.
#[test]
fn streams_are_derived_from_their_names() {
    for ((seed, node, purpose), outputs) in [
        ((1, 0, Purpose::Backoff), [0xe1b1_3540_bf2a_114e, 0x651d_cc2d_c48d_5479, 0xe9a9_64ea_8201_8f4d]),
        ((1, 7, Purpose::Backoff), [0x587f_f651_d3de_fa7e, 0x979f_2b4a_533d_0866, 0xf2a4_08bb_d622_dbc2]),
        (
            (1, 7, Purpose::ChannelError),
            [0x7e5c_daed_3437_b57e, 0xd009_ef58_a03f_ea0a, 0x2654_2fda_be3f_ce92],
        ),
        ((2, 7, Purpose::Backoff), [0x5c13_aa90_6ff1_088b, 0xd3d7_e91d_5aad_52b5, 0xb62e_da93_7ac0_4e14]),
        (
            (u64::MAX, 65_534, Purpose::LinkLoss),
            [0x24f5_e3e6_1138_1169, 0x18dc_2d5e_8293_648e, 0xd27c_65d9_09c7_d045],
        ),
    ] {
        let mut stream = RngStream::new(seed, NodeId(node), purpose);
        let drawn = [stream.bits(), stream.bits(), stream.bits()];
        assert_eq!(drawn, outputs, "seed {seed}, node {node}, {purpose:?}");
        let mut numbered = RngStream::numbered(seed, node.into(), purpose);
        assert_eq!(numbered.bits(), outputs[0]);
    }
}

fn stream() -> RngStream {
    RngStream::new(1, NodeId(0), Purpose::Test)
}

#[test]
fn samplers_give_the_vectors() {
    let mut s = stream();
    assert_eq!([(); 12].map(|()| s.below(6)), [1, 2, 0, 3, 2, 4, 3, 1, 3, 5, 2, 3]);
    let mut s = stream();
    // A range near 2^32, in which many draws are rejected.
    assert_eq!(
        [(); 4].map(|()| s.below(3_000_000_000)),
        [1_371_137_827, 173_619_284, 1_877_495_417, 967_940_441]
    );
    let mut s = stream();
    assert_eq!(
        [(); 3].map(|()| s.unit()),
        [0.260_535_964_204_456_35, 0.457_045_942_669_273_8, 0.057_873_095_085_715_14]
    );
    let mut s = stream();
    let lengths = [(); 3].map(|()| s.jitter(SimDuration::from_millis(50)).as_nanos());
    assert_eq!(lengths, [13_026_798, 22_852_297, 2_893_654]);
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} is not {b}");
    let mut s = stream();
    for x in [0.603_659_262_300_863_3, 1.221_461_143_190_194_5, 0.119_230_589_773_699_17] {
        near(s.exponential(2.0), x);
    }
    let mut s = stream();
    for x in [-0.748_829_878_257_915_2, -0.344_291_244_033_764_93, 0.360_456_835_253_187_4] {
        near(s.normal(), x);
    }
}

/// Sums over many draws against the closed forms, within four standard errors.
#[test]
fn distributions_have_their_moments() {
    const N: u32 = 100_000;
    let mut s = stream();
    // name, draw, mean, standard deviation
    type Draw = fn(&mut RngStream) -> f64;
    let cases: [(&str, Draw, f64, f64); 5] = [
        ("unit", |s| s.unit(), 0.5, 1.0 / 12.0_f64.sqrt()),
        ("uniform", |s| s.uniform(-1.0, 5.0), 2.0, 6.0 / 12.0_f64.sqrt()),
        ("exponential", |s| s.exponential(3.0), 3.0, 3.0),
        ("normal", |s| s.normal(), 0.0, 1.0),
        ("chance", |s| f64::from(u8::from(s.chance(0.2))), 0.2, 0.4),
    ];
    for (name, draw, mean, deviation) in cases {
        let sum: f64 = (0..N).map(|_| draw(&mut s)).sum();
        let off = (sum / f64::from(N) - mean).abs();
        assert!(off < 4.0 * deviation / f64::from(N).sqrt(), "{name}: {off}");
    }
    // Each face of a die: binomial with p = 1/6.
    let mut faces = [0_u32; 6];
    (0..N).for_each(|_| faces[s.below(6) as usize] += 1);
    let spread = 4.0 * (f64::from(N) * 5.0 / 36.0).sqrt();
    for count in faces {
        assert!((f64::from(count) - f64::from(N) / 6.0).abs() < spread, "{faces:?}");
    }
}

#[test]
fn edges_of_the_samplers() {
    let mut s = stream();
    assert_eq!(s.below(1), 0);
    assert_eq!(s.jitter(SimDuration::ZERO), SimDuration::ZERO);
    assert!(!s.chance(0.0) && s.chance(1.0));
    assert!((0..1000).all(|_| s.jitter(SimDuration::from_nanos(3)) < SimDuration::from_nanos(3)));
}
