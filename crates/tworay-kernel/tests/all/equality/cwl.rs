//! The window limit by hops, for every possible hop limit of an arriving packet.

use super::native;
use tworay_base::SimTime;
use tworay_tcp::{Arrival, Effects, PathEvent, TcpConfig, Variant};

#[test]
fn the_limit_by_ttl_is_that_of_the_simulator() {
    let variant: Variant = "adaptive-cwl".parse().expect("a variant");
    let mut part = variant.only_part(&TcpConfig::default()).expect("one part");
    let view = super::drive::Clock { now: 1, rtt: 1, srtt: 1, advertised: 64 };
    let view = view.rust_view(tworay_tcp::Window { cwnd: 2.0, ssthresh: 64.0 });
    assert_eq!(view.now, SimTime::from_nanos(1000));
    let mut limits = std::collections::BTreeSet::new();
    for ttl in 1..=255u8 {
        let hops = Arrival { ttl_left: ttl, hops: 0 }.path_hops().expect("a known path");
        assert_eq!(native::hops_of(ttl.into()), u32::from(hops), "ttl {ttl}");
        part.on_path_event(&view, PathEvent::Hops(hops), &mut Effects::new());
        let limit = part.limit().expect("a limit");
        assert_eq!(f64::from(native::cwl_limit(hops.into())), limit, "{hops} hops");
        limits.insert(limit as u32);
    }
    assert_eq!(limits.into_iter().collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert_eq!((native::hops_of(0), native::cwl_limit(0)), (0, 0));
}
