#[allow(unused_imports)]
use super::*;
use crate::control::tests::*;

#[test]
fn adaptive_sca_takes_theta_from_the_hops() {
    let [aodv, dsr] = TABLES;
    // hops, table B.1 (AODV), table 4.4 (DSR)
    for (hops, with_aodv, with_dsr) in
        [(0, 0, 0), (3, 0, 0), (4, 48, 42), (9, 48, 29), (12, 37, 10), (15, 39, 10), (30, 39, 10)]
    {
        assert_eq!((theta(aodv, hops), theta(dsr, hops)), (with_aodv, with_dsr), "{hops} hops");
    }
    let mut part = part(&ENTRY, &[2.0]);
    let twelve = SenderView { hops: 12, ..view(10.0, 10.0) };
    assert_eq!(growth(&mut *part, &twelve, 12), "+..........+");
}

#[test]
fn the_table_is_that_of_the_routing_protocol_unless_it_is_named() {
    // 12 hops: θ is 37 with AODV and 10 with DSR. Only DSR reports its source route to the sender.
    let twelve = SenderView { hops: 12, ..view(10.0, 10.0) };
    let period = |table: f64, told: PathEvent| {
        let mut part = part(&ENTRY, &[table]);
        part.on_path_event(&twelve, told, &mut Effects::new());
        growth(&mut *part, &twelve, 39)[1..].find('+').map(|skipped| skipped + 1)
    };
    let (arrived, route) = (PathEvent::Hops(12), PathEvent::SourceRoute(12));
    assert_eq!((period(0.0, arrived), period(0.0, route)), (Some(38), Some(11)), "by the protocol");
    assert_eq!((period(1.0, arrived), period(1.0, route)), (Some(38), Some(38)), "AODV's");
    assert_eq!((period(2.0, arrived), period(2.0, route)), (Some(11), Some(11)), "DSR's");
}
