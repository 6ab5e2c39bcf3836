use super::DuplicateFilter;
use tworay_base::NodeId;

/// Frames (sender, number, retry) and whether each counts as a duplicate, `by_number_only` off and on.
#[test]
fn what_is_a_duplicate() {
    let frames = [
        // sender, number, retry, standard, ns-2
        (1, 5, false, false, false),
        (1, 5, true, true, true),
        (1, 5, false, false, true), // the number wrapped around: only the retry bit can tell
        (2, 5, true, false, false), // another sender's 5
        (1, 6, true, false, false), // its first attempt was lost
        (1, 5, true, false, false), // only the last number is kept
        (1, 0, false, false, false),
        (1, 0, true, true, false), // ns-2 takes 0 for "nothing heard yet"
    ];
    let (mut standard, mut ns2) = (DuplicateFilter::new(false), DuplicateFilter::new(true));
    for (i, (from, number, retry, a, b)) in frames.into_iter().enumerate() {
        let got = (
            standard.is_duplicate(NodeId(from), number, retry),
            ns2.is_duplicate(NodeId(from), number, retry),
        );
        assert_eq!(got, (a, b), "frame {i}");
    }
}
