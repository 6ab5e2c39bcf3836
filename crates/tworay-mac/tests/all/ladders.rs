//! Frame exchanges as ladder diagrams: time in µs, station, action. Neighbours are 1 µs (300 m) apart.

use crate::air::{Air, Lose, at, us};
use tworay_base::{BitRate, Bytes};
use tworay_mac::FrameKind::{Ack, Cts, Data};
use tworay_mac::MacConfig;

/// ACKs at 1 Mb/s, as long as CTSs; the expected times assume it.
fn standard() -> MacConfig {
    MacConfig { ack_rate: Some(BitRate::from_bps(1_000_000)), ..MacConfig::default() }
}

fn line(stations: usize, reach: usize, config: &MacConfig) -> Air {
    Air::line(stations, reach, config, config.quirks())
}

/// Runs for one second and compares the whole ladder.
#[track_caller]
fn expect(mut air: Air, ladder: &str) -> Air {
    air.run(at(1_000_000));
    let lines = |text: &str| text.trim().lines().map(|l| l.trim().to_owned()).collect::<Vec<_>>();
    assert_eq!(lines(&air.ladder), lines(ladder), "\n{}", air.ladder);
    air
}

#[test]
fn a_packet_crosses_an_idle_medium_with_rts_and_cts() {
    // DIFS 50, RTS 352, SIFS 10, CTS 304, DATA 192 + 1536 bytes at 2 Mb/s, ACK 304. At 2 Mb/s, the rate of
    // the data that it answers, the ACK takes 248.
    for (config, end) in [(standard(), 7380), (MacConfig::default(), 7324)] {
        let mut air = line(2, 1, &config);
        air.send(at(0), 0, 1, 1, 1500);
        let ladder = "50 0 Rts to 1
            413 1 Cts to 0
            728 0 Data to 1
            7065 1 got packet 1 from 0
            7075 1 Ack to 0";
        expect(air, &format!("{ladder}\n{end} 0 sent packet 1"));
    }
}

#[test]
fn ns2_draws_a_backoff_even_then_and_has_two_bytes_less() {
    let mut air = line(2, 1, &MacConfig::ns2());
    air.send(at(0), 0, 1, 1, 1500);
    expect(
        air,
        "590 0 Rts to 1
        953 1 Cts to 0
        1268 0 Data to 1
        7597 1 got packet 1 from 0
        7607 1 Ack to 0
        7912 0 sent packet 1",
    );
}

#[test]
fn below_the_threshold_data_goes_at_once() {
    let mut air = line(2, 1, &MacConfig { rts_threshold: Bytes(3000), ..standard() });
    air.send(at(0), 0, 1, 1, 1500);
    expect(
        air,
        "50 0 Data to 1
        6387 1 got packet 1 from 0
        6397 1 Ack to 0
        6702 0 sent packet 1",
    );
}

#[test]
fn a_broadcast_goes_once_at_the_basic_rate() {
    let mut air = line(3, 1, &standard());
    air.send(at(0), 1, 99, 1, 500);
    expect(
        air,
        "50 1 Data to *
        4530 1 sent packet 1
        4531 0 got packet 1 from 1
        4531 2 got packet 1 from 1",
    );
}

#[test]
fn a_lost_cts_is_followed_by_another_rts() {
    // Timeout SIFS + slot + CTS = 334 after the RTS at 402; then DIFS and 56 slots from a window of 64.
    let mut air = line(2, 1, &standard()).losing(&[Lose(Cts, 1, 1)]);
    air.send(at(0), 0, 1, 1, 1500);
    let air = expect(
        air,
        "50 0 Rts to 1
        413 1 Cts to 0 (lost)
        1906 0 Rts to 1
        2269 1 Cts to 0
        2584 0 Data to 1
        8921 1 got packet 1 from 0
        8931 1 Ack to 0
        9236 0 sent packet 1",
    );
    assert_eq!(air.mac(0).counters().rts_failures, 1);
}

#[test]
fn a_lost_ack_makes_a_duplicate_that_is_acknowledged_but_not_delivered() {
    let mut air = line(2, 1, &standard()).losing(&[Lose(Ack, 1, 1)]);
    air.send(at(0), 0, 1, 1, 1500);
    let air = expect(
        air,
        "50 0 Rts to 1
        413 1 Cts to 0
        728 0 Data to 1
        7065 1 got packet 1 from 0
        7075 1 Ack to 0 (lost)
        8568 0 Rts to 1
        8931 1 Cts to 0
        9246 0 Data to 1 again
        15593 1 Ack to 0
        15898 0 sent packet 1",
    );
    assert_eq!((air.mac(0).counters().ack_failures, air.mac(1).counters().duplicates), (1, 1));
}

#[test]
fn hidden_stations_collide_with_their_rtss_and_then_heed_the_others_cts() {
    // 0 and 2 do not hear each other. After 2's CTS, 0 defers until the ACK is over.
    let mut air = line(3, 1, &standard());
    air.send(at(0), 0, 1, 1, 1500);
    air.send(at(100), 2, 1, 2, 1500);
    expect(
        air,
        "50 0 Rts to 1
        100 2 Rts to 1
        1136 2 Rts to 1
        1499 1 Cts to 2
        1814 2 Data to 1
        8151 1 got packet 2 from 2
        8161 1 Ack to 2
        8466 2 sent packet 2
        8936 0 Rts to 1
        9299 1 Cts to 0
        9614 0 Data to 1
        15951 1 got packet 1 from 0
        15961 1 Ack to 0
        16266 0 sent packet 1",
    );
}

#[test]
fn stations_that_hear_each_other_take_turns() {
    // 2 has a packet during 0's exchange: DIFS after its end at 7379 (ACK plus 1 µs), then 7 slots.
    let mut air = line(3, 2, &standard());
    air.send(at(0), 0, 1, 1, 1500);
    air.send(at(1000), 2, 1, 2, 1500);
    expect(
        air,
        "50 0 Rts to 1
        413 1 Cts to 0
        728 0 Data to 1
        7065 1 got packet 1 from 0
        7075 1 Ack to 0
        7380 0 sent packet 1
        7570 2 Rts to 1
        7933 1 Cts to 2
        8248 2 Data to 1
        14585 1 got packet 2 from 2
        14595 1 Ack to 2
        14900 2 sent packet 2",
    );
}

#[test]
fn nobody_answers_seven_rts() {
    let mut air = line(1, 1, &standard());
    air.send(at(0), 0, 1, 1, 1500);
    let air = expect(
        air,
        "50 0 Rts to 1
        1906 0 Rts to 1
        3642 0 Rts to 1
        9038 0 Rts to 1
        15874 0 Rts to 1
        17510 0 Rts to 1
        35606 0 Rts to 1
        36292 0 gave up packet 1 (Rts)",
    );
    assert!(air.mac(0).is_free());
}

#[test]
fn four_lost_data_frames_are_enough() {
    let lost: Vec<Lose> = (1..=4).map(|n| Lose(Data, 0, n)).collect();
    let mut air = line(2, 1, &standard()).losing(&lost);
    air.send(at(0), 0, 1, 1, 1500);
    expect(
        air,
        "50 0 Rts to 1
        413 1 Cts to 0
        728 0 Data to 1 (lost)
        8568 0 Rts to 1
        8931 1 Cts to 0
        9246 0 Data to 1 again (lost)
        16966 0 Rts to 1
        17329 1 Cts to 0
        17644 0 Data to 1 again (lost)
        29024 0 Rts to 1
        29387 1 Cts to 0
        29702 0 Data to 1 again (lost)
        36372 0 gave up packet 1 (Data)",
    );
}

/// The mean cycle time of a single saturated station is known in closed form.
#[test]
fn a_saturated_station_has_the_closed_form_cycle_time() {
    const PACKETS: u32 = 20_000;
    // (dialect, mean backoff slots, DATA airtime µs): slots 0..=31 and 36 bytes of overhead; 0..31 and 34.
    for (config, slots, data) in [(standard(), 15.5, 6336.0), (MacConfig::ns2(), 15.0, 6328.0)] {
        let mut air =
            Air::new(2, vec![vec![None, Some(us(0))], vec![Some(us(0)), None]], &config, config.quirks());
        for packet in 0..PACKETS {
            air.send(at(0), 0, 1, packet, 1500);
        }
        while air.done < PACKETS as u64 {
            let later = air.now + us(1_000_000);
            air.run(later);
        }
        let last = air.ladder.lines().last().and_then(|l| l.split_whitespace().next()?.parse::<f64>().ok());
        let measured = last.unwrap() / PACKETS as f64;
        let predicted = 50.0 + slots * 20.0 + 352.0 + 10.0 + 304.0 + 10.0 + data + 10.0 + 304.0;
        let off = (measured - predicted).abs() / predicted;
        assert!(off < 0.005, "{:?}: {measured} µs, predicted {predicted} µs", config.dialect);
    }
}
