use super::*;
use tworay_base::Purpose;

const DRAWS: u32 = 200_000;

fn mean_of(sizes: &Sizes) -> f64 {
    let mut rng = RngStream::numbered(7, 0, Purpose::Traffic);
    (0..DRAWS).map(|_| sizes.draw(&mut rng) as f64).sum::<f64>() / f64::from(DRAWS)
}

#[test]
fn sizes_have_the_mean_of_their_distribution() {
    let kb = |n: u64| Bytes(1000 * n);
    assert_eq!(mean_of(&Sizes::Fixed { size: kb(20) }), 20e3);
    // The mean of N exponential draws scatters by its mean / √N = 0.22 %: five of these.
    assert!((mean_of(&Sizes::Exponential { mean: kb(20) }) / 20e3 - 1.0).abs() < 0.011);
    // 1, 1, 4: a third of the draws are 4 kB; the standard deviation is √2 kB, of the mean 0.16 %.
    assert!((mean_of(&Sizes::Listed { sizes: vec![kb(1), kb(1), kb(4)] }) / 2e3 - 1.0).abs() < 0.008);
    // Shape 2 from 1 to 10 kB by hand: a L^a / (1 − (L/H)^a) · (1/L − 1/H) = 2 · 10⁶ / 0.99 · 0.0009 = 1818 B;
    // the variance is 2 · 10⁶ / 0.99 · ln 10 − 1818² = 1.346 · 10⁶ B², so that the mean scatters by 0.14 %.
    let pareto = Sizes::Pareto { least: kb(1), most: kb(10), shape: 2.0 };
    assert!((pareto.mean() - 1818.18).abs() < 0.01);
    // Sizes are cut to whole bytes: half a byte less on average.
    assert!((mean_of(&pareto) / 1817.68 - 1.0).abs() < 0.007);
    // Shape 1 has a logarithm: 1000 / 0.9 · ln 10 = 2558.4 B.
    let flat = Pareto::new(kb(1), kb(10), 1.0);
    assert!((flat.mean() - 2558.43).abs() < 0.01);
}

#[test]
fn pareto_sizes_are_those_of_its_quantiles() {
    let pareto = Pareto::new(Bytes(1000), Bytes(10_000), 1.0);
    // F(2000) = (1 − 0.5) / (1 − 0.1) = 0.5556; F(5000) = 0.8 / 0.9.
    let (ends, inside) =
        ([pareto.size_at(0.0), pareto.size_at(1.0)], [pareto.size_at(0.555_556), pareto.size_at(0.888_889)]);
    assert_eq!(ends, [1000, 10_000]);
    assert!(inside[0].abs_diff(2000) <= 1 && inside[1].abs_diff(5000) <= 1, "{inside:?}");
}
