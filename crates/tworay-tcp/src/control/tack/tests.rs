use super::*;

#[test]
fn the_receiver_and_the_time_stamps_are_switched() {
    let variant: crate::Variant = "newreno+sca(4)+cwl(6)+tack(4,16)".parse().expect("a combination with all");
    let config = variant.configured(&TcpConfig::default());
    assert_eq!(config.receiver.acks, AckPolicy::Tack);
    assert_eq!(config.receiver.tack, TackConfig { beta: 4, most: 16 });
    assert!(config.timestamps);
}

#[test]
fn two_receivers_are_refused() {
    let error = "newreno+daa+tack".parse::<crate::Variant>().expect_err("both say when to acknowledge");
    assert_eq!(&*error.problem, "daa and tack take the same decision");
}
