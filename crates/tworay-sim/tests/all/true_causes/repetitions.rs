//! Frames whose number the next hop's station has had.

use super::{Loss, losses};
use crate::common::{parse, run_once};

/// Node 0 sends one datagram in 16.38 s to node 1, and 4,095 in between to node 2: so all to node 1 have the same number of 12 bits. A
/// station discards a frame that is marked as repeated and has the number of the last one (IEEE 802.11-1999 §9.2.9). One of five frames is
/// lost: so are, on average, four of twenty datagrams, whose first frame node 1 has not had.
#[test]
fn a_datagram_that_is_taken_for_a_repetition_is_lost() {
    let report = run_once(
        &parse(
            "duration = \"330s\"\ntopology = { kind = \"explicit\", positions = [[0, 0], [100, 0], [0, 100]] }\n\
             radio.preset = \"b-11\"\nrouting.protocol = \"static\"\nmac = { arp = false, rts_threshold = \"3000B\" }\n\
             errors.frame_err = { bernoulli = { rate = 0.2 } }\n\
             [[flow]]\nfrom = 0\nto = 2\napp = \"cbr\"\ninterval = \"4ms\"\nsize = \"50B\"\nstart = \"1s\"\n\
             [[flow]]\nfrom = 0\nto = 1\napp = \"cbr\"\ninterval = \"16380ms\"\nsize = \"50B\"\nstart = \"1002ms\"\n",
        ),
        1,
    );
    let rare = &report.document.flows[1];
    let lost: Vec<Loss> = losses(&report).into_iter().filter(|l| l.flow == 1).collect();
    assert_eq!(rare.sent_segments - rare.acked_segments, lost.len() as u64);
    assert!((1..=9).contains(&lost.len()), "{} of {}", lost.len(), rare.sent_segments);
    for loss in lost {
        assert_eq!((loss.died.as_str(), loss.cause.as_str()), ("repetition", "channel"), "{loss:?}");
        assert_eq!((loss.node, loss.root_node, loss.next_hop), (1, 0, Some(1)), "{loss:?}");
    }
}
