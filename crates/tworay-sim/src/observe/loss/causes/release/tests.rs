use super::*;

/// Seven packets, a buffer of five and a queue of two: the buffer has dropped the first two.
#[test]
fn a_buffer_loses_the_oldest_and_a_queue_what_comes_last() {
    let lost = |newest_first: bool| -> Vec<usize> {
        let waiting = Waiting { holds: 5, newest_first };
        (0..7).filter(|earlier| drops(waiting, *earlier, 7, 2)).collect()
    };
    assert_eq!(lost(false), [0, 1, 4, 5, 6]);
    assert_eq!(lost(true), [0, 1, 2, 3, 4]);
}

/// A search of which nothing overflows loses nothing.
#[test]
fn few_packets_find_places() {
    for newest_first in [false, true] {
        let waiting = Waiting { holds: 5, newest_first };
        assert!((0..3).all(|earlier| !drops(waiting, earlier, 3, 3)));
    }
}

/// Packets of one search are counted until another one begins.
#[test]
fn a_new_search_counts_anew() {
    let at = |s: u64| SimTime::from_nanos(s * 1_000_000_000);
    let mut search = Search::default();
    search.note_wait(at(1));
    search.note_wait(at(2));
    search.restart();
    assert_eq!(search.waits, [at(1), at(2)]);
    search.note_wait(at(3));
    assert_eq!(search.waits, [at(3)]);
}
