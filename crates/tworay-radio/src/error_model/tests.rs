use super::*;
use proptest::prelude::*;
use tworay_base::Purpose;

fn model(config: ErrorModelConfig, seed: u64) -> ErrorModel {
    ErrorModel::new(config, RngStream::numbered(seed, 0, Purpose::ChannelError))
}

/// The corrupted fraction of `n` packets.
fn loss(config: ErrorModelConfig, bits: u32, n: u32) -> f64 {
    let mut model = model(config, 1);
    let lost = (0..n).filter(|_| model.corrupts(bits)).count();
    lost as f64 / f64::from(n)
}

fn gilbert(unit: ErrorUnit, good_to_bad: f64, bad_to_good: f64) -> ErrorModelConfig {
    ErrorModelConfig::GilbertElliott { unit, good_to_bad, bad_to_good, good_error: 0.0, bad_error: 1.0 }
}

#[test]
fn none_corrupts_nothing_and_certainty_everything() {
    assert_eq!(loss(ErrorModelConfig::None, 8000, 1000), 0.0);
    for unit in [ErrorUnit::Packet, ErrorUnit::Bit] {
        assert_eq!(loss(ErrorModelConfig::Bernoulli { unit, rate: 0.0 }, 8000, 1000), 0.0);
        assert_eq!(loss(ErrorModelConfig::Bernoulli { unit, rate: 1.0 }, 8000, 1000), 1.0);
    }
}

/// A rate per packet ignores the size; a rate per bit gives 1 - (1 - p)^n.
#[test]
fn bernoulli_rates() {
    let n = 200_000;
    let ladder = [
        (ErrorUnit::Packet, 0.1, 12_000, 0.1),
        (ErrorUnit::Packet, 0.1, 1, 0.1),
        (ErrorUnit::Bit, 1e-5, 12_000, 0.113_080),
        (ErrorUnit::Bit, 1e-4, 12_000, 0.698_824),
        (ErrorUnit::Bit, 1e-9, 12_000, 1.2e-5),
        (ErrorUnit::Bit, 0.5, 1, 0.5),
    ];
    for (unit, rate, bits, expected) in ladder {
        let found = loss(ErrorModelConfig::Bernoulli { unit, rate }, bits, n);
        let sigma = f64::sqrt(expected * (1.0 - expected) / f64::from(n));
        assert!((found - expected).abs() < 4.0 * sigma, "{unit:?} {rate} {bits}: {found} for {expected}");
    }
}

/// Per packet with errors in the bad state only: the loss rate is the bad state's share, and the mean burst
/// is 1/bad_to_good packets.
#[test]
fn gilbert_elliott_loses_in_bursts() {
    let config = gilbert(ErrorUnit::Packet, 0.01, 0.2);
    let mut model = model(config, 7);
    let fates: Vec<bool> = (0..400_000).map(|_| model.corrupts(8000)).collect();
    let lost = fates.iter().filter(|&&lost| lost).count() as f64;
    let bursts = fates.windows(2).filter(|w| !w[0] && w[1]).count() as f64;
    assert!((config.mean_rate() - 1.0 / 21.0).abs() < 1e-12);
    assert!((lost / 400_000.0 / config.mean_rate() - 1.0).abs() < 0.05, "{lost}");
    assert!((lost / bursts - 5.0).abs() < 0.25, "{}", lost / bursts);
}

/// Per bit, a packet of n bits survives if its first bit is good and the chain stays good for the other
/// n - 1: P = good share · (1 - good_to_bad)^(n-1).
#[test]
fn bitwise_gilbert_elliott_has_the_chains_packet_loss() {
    for (good_to_bad, bad_to_good, bits) in [(1e-4, 1e-2, 1000), (1e-3, 0.5, 500), (0.01, 0.01, 3)] {
        let good = bad_to_good / (good_to_bad + bad_to_good);
        let expected = 1.0 - good * f64::powi(1.0 - good_to_bad, bits as i32 - 1);
        let found = loss(gilbert(ErrorUnit::Bit, good_to_bad, bad_to_good), bits, 200_000);
        assert!((found / expected - 1.0).abs() < 0.04, "{good_to_bad} {bits}: {found} for {expected}");
    }
}

/// With equal error rates in both states, the chain is Bernoulli per bit.
#[test]
fn gilbert_elliott_with_equal_states_is_bernoulli() {
    let config = ErrorModelConfig::GilbertElliott {
        unit: ErrorUnit::Bit,
        good_to_bad: 0.001,
        bad_to_good: 0.001,
        good_error: 1e-4,
        bad_error: 1e-4,
    };
    let found = loss(config, 8000, 100_000);
    assert!((found - 0.550_689).abs() < 0.007, "{found}");
}

#[test]
fn configuration_reads_and_is_checked() {
    let read = |text: &str| serde_json::from_str::<ErrorModelConfig>(text);
    assert_eq!(read(r#""none""#).unwrap(), ErrorModelConfig::None);
    assert_eq!(
        read(r#"{ "bernoulli": { "unit": "bit", "rate": 1e-5 } }"#).unwrap(),
        ErrorModelConfig::Bernoulli { unit: ErrorUnit::Bit, rate: 1e-5 }
    );
    let burst = read(r#"{ "gilbert-elliott": { "good_to_bad": 0.01, "bad_to_good": 0.2 } }"#).unwrap();
    assert_eq!(burst, gilbert(ErrorUnit::Packet, 0.01, 0.2));
    assert_eq!(burst.validate(), Ok(()));
    assert!(read(r#"{ "bernoulli": { "p": 0.1 } }"#).is_err());

    let bad = ErrorModelConfig::Bernoulli { unit: ErrorUnit::Packet, rate: 1.5 };
    assert_eq!(bad.validate().unwrap_err().key, "bernoulli.rate");
    let stuck = gilbert(ErrorUnit::Packet, 0.01, 0.0);
    assert_eq!(stuck.validate().unwrap_err().key, "gilbert-elliott.bad_to_good");
}

proptest! {
    /// For any sizes and any valid chain, the model terminates, and the same seed gives the same answers.
    #[test]
    fn the_same_seed_gives_the_same_fates(
        seed: u64,
        p in 1e-6..1.0f64,
        r in 1e-6..1.0f64,
        sizes in prop::collection::vec(0u32..5_000, 1..20),
    ) {
        let (mut a, mut b) = (model(gilbert(ErrorUnit::Bit, p, r), seed), model(gilbert(ErrorUnit::Bit, p, r), seed));
        for bits in sizes {
            prop_assert_eq!(a.corrupts(bits), b.corrupts(bits));
        }
    }
}
