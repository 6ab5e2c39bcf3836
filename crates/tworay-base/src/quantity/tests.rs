use super::*;

#[test]
fn airtime_is_rounded_up() {
    for (rate, bytes, nanos) in [
        (2_000_000, 512, 2_048_000),
        (1_000_000, 14, 112_000),
        (11_000_000, 1, 728),
        (3, 1, 2_666_666_667),
        (1, 65_535, 524_280_000_000_000),
    ] {
        assert_eq!(BitRate::from_bps(rate).airtime(bytes).as_nanos(), nanos, "{bytes} B at {rate} bit/s");
    }
    assert_eq!(BitRate::from_bps(0).as_bps(), 1, "no rate stands still");
}

#[test]
fn powers_and_levels_are_converted() {
    let near = |a: f64, b: f64| assert!((a - b).abs() <= 1e-9 * b.abs(), "{a} is not {b}");
    // 10 log10(P / 1 mW) by hand.
    for (dbm, watts) in [(0.0, 1e-3), (30.0, 1.0), (-30.0, 1e-6), (20.0, 0.1)] {
        near(Dbm(dbm).to_watts().get(), watts);
        assert!((Watts(watts).to_dbm().get() - dbm).abs() < 1e-9);
    }
    // ns-2's transmit power is 24.5 dBm.
    assert!((Watts(0.281_838_15).to_dbm().get() - 24.5).abs() < 1e-5);
    assert_eq!(Watts(0.0).to_dbm().get(), f64::NEG_INFINITY);
    near(Ratio(10.0).factor(), 10.0);
    near(Ratio(-3.0).factor(), 0.501_187_233_627_272_3);
}

/// Text and value of each kind; the text is what is shown.
#[test]
fn quantities_are_shown_and_read_back() {
    fn both<T: FromStr<Err = UnitError> + fmt::Display + PartialEq + fmt::Debug>(text: &str, value: T) {
        assert_eq!(text.parse::<T>().as_ref(), Ok(&value));
        assert_eq!(value.to_string(), text);
    }
    both("2Mbps", BitRate::from_bps(2_000_000));
    both("5.5Mbps", BitRate::from_bps(5_500_000));
    both("200kbps", BitRate::from_bps(200_000));
    both("7bps", BitRate::from_bps(7));
    both("1460B", Bytes(1460));
    both("250m", Metres(250.0));
    both("1.5m/s", Speed(1.5));
    both("914000000Hz", Hertz(914e6));
    both("0.28183815W", Watts(0.281_838_15));
    both("-64dBm", Dbm(-64.0));
    both("10dB", Ratio(10.0));
    both("10J", Joules(10.0));
}

#[test]
fn other_units_are_read() {
    assert_eq!("2Mbit/s".parse(), Ok(BitRate::from_bps(2_000_000)));
    assert_eq!("64KiB".parse(), Ok(Bytes(65_536)));
    assert_eq!("1MB".parse(), Ok(Bytes(1_000_000)));
    assert_eq!("1.5km".parse(), Ok(Metres(1500.0)));
    assert_eq!("36km/h".parse(), Ok(Speed(10.0)));
    assert_eq!("914MHz".parse(), Ok(Hertz(914e6)));
    assert_eq!("30mW".parse(), Ok(Watts(0.03)));
    assert_eq!("1Wh".parse(), Ok(Joules(3600.0)));
    assert_eq!("+3dB".parse(), Ok(Ratio(3.0)));
}

/// A refusal says what is wrong, what was found and how to write it.
#[test]
fn wrong_quantities_are_refused() {
    fn says<T: FromStr<Err = UnitError> + fmt::Debug>(text: &str, what: &str) {
        let error = text.parse::<T>().expect_err(text).to_string();
        assert!(error.starts_with(&format!("\"{text}\": ")) && error.contains(what), "{error}");
        assert!(error.contains("; write it like "), "{error}");
    }
    says::<BitRate>("2", "the unit is missing (one of bps, kbps");
    says::<BitRate>("2MBps", "\"MBps\" is not a unit of a rate");
    says::<BitRate>("0.2bps", "at least 1 bit/s");
    says::<BitRate>("1e9Gbps", "at most 10 Tbit");
    says::<Bytes>("1.5B", "whole number");
    says::<Bytes>("-1B", "not negative");
    says::<Bytes>("1e9GB", "at most 1000 TB");
    says::<Metres>("-3m", "negative");
    says::<Watts>("much", "this is not a power");
    says::<Dbm>("5W", "\"W\" is not a unit of a power level");
    says::<Joules>("NaNJ", "this is not an energy");
}

/// Files carry quantities as texts; anything else is refused with an example.
#[test]
fn toml_holds_quantities_as_texts() {
    #[derive(serde::Deserialize, Debug)]
    struct Table {
        size: Bytes,
    }
    let read = toml::from_str::<Table>;
    assert_eq!(read("size = \"512B\"").expect("a size").size, Bytes(512));
    let error = read("size = 512").expect_err("a number").to_string();
    assert!(error.contains("a size with its unit, such as"), "{error}");
}
