use super::*;

/// Segments every 10 ms: `A` where one is acknowledged at once.
fn rhythm(daa: &mut Daa, cfg: &DaaConfig, from: &mut u64, n: u64) -> String {
    (0..n)
        .map(|_| {
            *from += 10;
            let now = SimTime::ZERO + SimDuration::from_millis(*from);
            if daa.in_order(cfg, now).is_none() { 'A' } else { '.' }
        })
        .collect()
}

#[test]
fn the_window_grows_to_four_and_falls_to_two() {
    let (cfg, mut now) = (DaaConfig::default(), 0);
    let mut daa = Daa::new();
    // Start-up: 1, 1.3, 1.6, 1.9, 2.2, 2.5, 2.8, 3.1, 3.4, 3.7, 4.
    assert_eq!(rhythm(&mut daa, &cfg, &mut now, 4), "AAAA");
    assert_eq!(rhythm(&mut daa, &cfg, &mut now, 6), ".A.A.A");
    assert_eq!(rhythm(&mut daa, &cfg, &mut now, 9), "..A..A..A");
    assert_eq!(rhythm(&mut daa, &cfg, &mut now, 8), "...A...A");
    daa.disturbed(&cfg);
    // After start-up it grows by whole segments: 2, 3, 4.
    assert_eq!(rhythm(&mut daa, &cfg, &mut now, 9), ".A..A...A");
}

/// The thesis counts from one: an ACK for one segment less each time, and no more than three segments.
#[test]
fn counted_from_one_an_ack_answers_one_segment_less() {
    let (cfg, mut now) = (DaaConfig { count_from: 1, ..DaaConfig::default() }, 0);
    let mut daa = Daa::new();
    // Start-up: an ACK for each segment until the window is 3.1, then for two, then for three.
    assert_eq!(rhythm(&mut daa, &cfg, &mut now, 7), "AAAAAAA");
    assert_eq!(rhythm(&mut daa, &cfg, &mut now, 6), ".A.A.A");
    assert_eq!(rhythm(&mut daa, &cfg, &mut now, 6), "..A..A");
}

#[test]
fn the_timer_follows_the_gaps() {
    let cfg = DaaConfig::default();
    let mut daa = Daa::new();
    daa.disturbed(&DaaConfig { max: 4, ..cfg.clone() });
    let ms = SimDuration::from_millis;
    let at = |n| SimTime::ZERO + ms(n);
    // (arrival, wait); (2 + 0.2) x gap once two gaps are known.
    for (arrival, wait) in [
        (0, Some(ms(100))),
        (20, None),
        (100, Some(ms(100))),
        (120, Some(ms(44))),
        (140, None),
        (200, Some(ms(44))),
        (1200, Some(ms(500))),
    ] {
        assert_eq!(daa.in_order(&cfg, at(arrival)), wait, "segment at {arrival} ms");
    }
}
