use super::Fed;

/// Five packets come early. The station before sends two of them later; three it has rejected.
#[test]
fn what_comes_early_counts_once() {
    let (mut here, mut before) = (Fed::up_to(20), Fed::up_to(20));
    here.early(5, 0, &mut before);
    before.sent_before();
    before.sent_before();
    here.early(0, 2, &mut before);
    assert_eq!(here.more(), 3);
    // Nothing is left to be sent of what came early.
    (0..9).for_each(|_| before.sent_before());
    here.early(0, 2, &mut before);
    assert_eq!(here.more(), 0);
}

#[test]
fn a_queue_takes_as_many_as_it_has_places() {
    let (mut here, mut before) = (Fed::up_to(20), Fed::default());
    here.early(50, 12, &mut before);
    assert_eq!(here.more(), 8);
    here.sent(3);
    here.fits(4);
    assert_eq!(here.more(), 4);
    here.rest();
    assert!(!here.any());
}
