#[allow(unused_imports)]
use super::*;
use crate::control::tests::*;

#[test]
fn window_limits() {
    assert_eq!(part(&CWL, &[3.0]).limit(), Some(3.0));
    assert_eq!(part(&ADAPTIVE, &[]).limit(), None, "an unknown path");
    // Papanastasiou 2006, table 4.2
    for (hops, limit) in [
        (1, 2.0),
        (2, 2.0),
        (3, 1.0),
        (4, 1.0),
        (5, 2.0),
        (6, 2.0),
        (7, 3.0),
        (10, 3.0),
        (11, 4.0),
        (13, 4.0),
        (14, 5.0),
        (20, 5.0),
    ] {
        for told in [PathEvent::Hops(hops), PathEvent::SourceRoute(hops)] {
            let mut adaptive = part(&ADAPTIVE, &[]);
            adaptive.on_path_event(&view(1.0, 2.0), told, &mut Effects::new());
            assert_eq!(adaptive.limit(), Some(limit), "{hops} hops");
        }
    }
}
