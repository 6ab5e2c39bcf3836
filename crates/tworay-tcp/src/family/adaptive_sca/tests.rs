#[allow(unused_imports)]
use super::*;
use crate::family::tests::*;

#[test]
fn adaptive_sca_takes_theta_from_the_hops() {
    let [aodv, dsr] = TABLES;
    // hops, table B.1 (AODV), table 4.4 (DSR)
    for (hops, with_aodv, with_dsr) in
        [(0, 0, 0), (3, 0, 0), (4, 48, 42), (9, 48, 29), (12, 37, 10), (15, 39, 10), (30, 39, 10)]
    {
        assert_eq!((theta(aodv, hops), theta(dsr, hops)), (with_aodv, with_dsr), "{hops} hops");
    }
    let mut part = part(&ENTRY, &[1.0]);
    let twelve = SenderView { hops: 12, ..view(10.0, 10.0) };
    assert_eq!(growth(&mut *part, &twelve, 12), "+..........+");
}
