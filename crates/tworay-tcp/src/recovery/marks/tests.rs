use super::*;
use proptest::prelude::*;

fn picture(marks: &Marks) -> String {
    let letter = |m: &Mark| match m {
        Mark::Out => '.',
        Mark::Sacked => 's',
        Mark::Lost => 'L',
        Mark::Again(()) => 'R',
    };
    marks.iter().map(letter).collect()
}

/// Five segments; the first is lost and sent again, two are SACKed.
#[test]
fn marks_follow_the_segments() {
    let mut marks = Marks::default();
    (0..5).for_each(|place| marks.on_sent(place));
    assert!(marks.is_plain() && marks.in_flight() == 5);
    for (place, mark) in [(0, Mark::Lost), (1, Mark::Lost), (2, Mark::Sacked), (3, Mark::Sacked)] {
        marks.set(place, mark);
    }
    assert_eq!((picture(&marks).as_str(), marks.in_flight()), ("LLss.", 1));
    assert_eq!((marks.next_lost(0), marks.next_lost(1), marks.next_lost(2)), (Some(0), Some(1), None));
    marks.on_sent(0);
    marks.on_sent(4);
    assert_eq!((picture(&marks).as_str(), marks.in_flight()), ("RLss.", 2));
    assert_eq!(marks.pop(), Some(Mark::Again(())));
    marks.replace(|mark| mark == Mark::Sacked, Mark::Out);
    assert_eq!((picture(&marks).as_str(), marks.sacked(), marks.lost()), ("L...", 0, 1));
}

/// RFC 6675 §4, IsLost: with a threshold of 3, what has three SACKed segments above it.
#[test]
fn what_lies_below_sacked_segments() {
    let mut marks = Marks::default();
    marks.extend_to(7);
    for (place, below) in [(6, 0), (4, 0), (3, 3), (1, 3), (2, 3)] {
        marks.set(place, Mark::<()>::Sacked);
        assert_eq!(marks.below_sacked(3), below, "{}", picture(&marks));
    }
}

proptest! {
    /// The counters are those of the marks.
    #[test]
    fn counters_count(steps in prop::collection::vec((0usize..12, 0u8..5), 0..60)) {
        let mut marks = Marks::default();
        for (place, what) in steps {
            match what {
                0 => marks.on_sent(place.min(marks.len())),
                1 => _ = marks.pop(),
                _ if place >= marks.len() => marks.extend_to(place),
                2 => marks.set(place, Mark::Sacked),
                3 => marks.set(place, Mark::Lost),
                _ => marks.replace(|mark| mark == Mark::Lost, Mark::Out),
            }
            let count = |wanted: Mark| marks.iter().filter(|m| **m == wanted).count();
            prop_assert_eq!((count(Mark::Sacked), count(Mark::Lost)), (marks.sacked(), marks.lost()));
            prop_assert_eq!(marks.in_flight(), count(Mark::Out) + count(Mark::Again(())));
            prop_assert_eq!(marks.is_plain(), count(Mark::Out) == marks.len());
        }
    }
}
