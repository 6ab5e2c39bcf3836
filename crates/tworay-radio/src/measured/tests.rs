use crate::{Propagation, RadioConfig};

fn radio(links: &str) -> Result<RadioConfig, serde_json::Error> {
    serde_json::from_str(&format!(r#"{{ "propagation": "measured", "link": [{links}] }}"#))
}

#[test]
fn a_link_without_a_level_is_twenty_decibels_above_the_threshold() {
    let radio =
        radio(r#"{ "from": 0, "to": 1, "loss": 0.25 }, { "from": 1, "to": 0, "level": "-60dBm" }"#).unwrap();
    assert_eq!(radio.validate(), Ok(()));
    let power = |i: usize| radio.links[i].power(radio.rx_threshold.get());
    assert!((power(0) / (100.0 * 3.652e-10) - 1.0).abs() < 1e-12, "{}", power(0));
    assert!((power(1) / 1e-9 - 1.0).abs() < 1e-12, "-60 dBm is 1 nW, not {}", power(1));
    assert_eq!(radio.links[1].loss, 0.0);
}

#[test]
fn what_cannot_be_is_refused_by_its_key() {
    for (links, key) in [
        ("", "propagation"),
        (r#"{ "from": 0, "to": 0 }"#, "link.0.to"),
        (r#"{ "from": 0, "to": 1, "loss": 1.0 }"#, "link.0.loss"),
        (r#"{ "from": 0, "to": 1, "loss": -0.1 }"#, "link.0.loss"),
        (r#"{ "from": 0, "to": 1, "level": "-78.1dBm" }"#, "link.0.level"),
        (r#"{ "from": 0, "to": 1, "level": "40dBm" }"#, "link.0.level"),
        (r#"{ "from": 0, "to": 1 }, { "from": 1, "to": 0 }, { "from": 0, "to": 1 }"#, "link.2.to"),
    ] {
        assert_eq!(radio(links).unwrap().validate().unwrap_err().key, key, "{links}");
    }
    let two_ray =
        RadioConfig { propagation: Propagation::TwoRayGround, ..radio(r#"{ "from": 0, "to": 1 }"#).unwrap() };
    assert_eq!(two_ray.validate().unwrap_err().key, "link");
    let fading =
        RadioConfig { fading: Some(Default::default()), ..radio(r#"{ "from": 0, "to": 1 }"#).unwrap() };
    assert_eq!(fading.validate().unwrap_err().key, "fading");
}
