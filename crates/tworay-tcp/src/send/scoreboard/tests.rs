//! The functions of RFC 6675 against a model that examines every byte separately.

use super::*;
use proptest::prelude::*;

const MSS: u64 = 4;

/// One entry per outstanding byte, as in the text of the RFC.
struct Model {
    una: u64,
    sacked: Vec<bool>,
    high_rxt: u64,
}

impl Model {
    fn sacked(&self, offset: u64) -> bool {
        offset >= self.una && self.sacked.get((offset - self.una) as usize).copied().unwrap_or(false)
    }
    fn max(&self) -> u64 {
        self.una + self.sacked.len() as u64
    }
    /// Three discontiguous SACKed sequences, or more bytes than two segments, SACKed above.
    fn is_lost(&self, offset: u64) -> bool {
        let above: Vec<u64> = (offset + 1..self.max()).filter(|o| self.sacked(*o)).collect();
        let sequences = above.iter().filter(|o| !self.sacked(**o - 1)).count();
        sequences >= 3 || above.len() as u64 > 2 * MSS
    }
    fn pipe(&self) -> u64 {
        (self.una..self.max())
            .filter(|o| !self.sacked(*o))
            .map(|o| u64::from(!self.is_lost(o)) + u64::from(o < self.high_rxt))
            .sum()
    }
    fn highest_sacked(&self) -> Option<u64> {
        (self.una..self.max()).rev().find(|o| self.sacked(*o))
    }
    /// Rules 1 and 3 return the first byte; rule 2 returns none.
    fn next_seg(&self, new_data: bool) -> Option<Option<u64>> {
        let hole = (self.high_rxt.max(self.una)..self.max())
            .find(|o| !self.sacked(*o))
            .filter(|o| self.highest_sacked().is_some_and(|h| *o < h));
        if let Some(hole) = hole.filter(|h| self.is_lost(*h)) {
            return Some(Some(hole));
        }
        if new_data {
            return Some(None);
        }
        hole.map(Some)
    }
}

fn both(una: u64, len: u64, blocks: &[(u64, u64)], rxt: u64) -> (Scoreboard, Outstanding, Model) {
    let mut board = Scoreboard::default();
    let mut model = Model { una, sacked: vec![false; len as usize], high_rxt: una + rxt };
    board.start_recovery(una);
    for &(at, n) in blocks {
        let (left, right) = ((una + 1 + at).min(una + len), (una + 1 + at + n).min(una + len));
        board.add(left, right);
        for o in left..right {
            model.sacked[(o - una) as usize] = true;
        }
    }
    board.mark_retransmitted(una + rxt);
    (board, Outstanding { una, max: una + len, mss: MSS, dup_threshold: 3 }, model)
}

proptest! {
    #[test]
    fn is_lost_pipe_and_next_seg_agree_with_the_model(
        una in 1u64..50,
        len in 1u64..80,
        blocks in prop::collection::vec((0u64..80, 1u64..9), 0..7),
        rxt in 0u64..40,
        new_data: bool,
    ) {
        let (board, q, model) = both(una, len, &blocks, rxt.min(len));
        for o in una..una + len {
            if !model.sacked(o) {
                prop_assert_eq!(board.is_lost(o, &q), model.is_lost(o), "byte {}", o);
            }
        }
        prop_assert_eq!(board.pipe(&q), model.pipe());
        match (board.next_seg(&q, new_data), model.next_seg(new_data)) {
            (NextSeg::Hole(hole), Some(Some(start))) => {
                prop_assert_eq!(hole.start, start);
                prop_assert!(hole.len() >= 1 && hole.len() <= MSS);
                prop_assert!((hole.start..hole.end).all(|o| !model.sacked(o)));
            }
            (NextSeg::New, Some(None)) => {}
            (NextSeg::Rescue(part), None) => {
                let highest = (una..una + len).rev().find(|o| !model.sacked(*o));
                prop_assert_eq!(Some(part.end - 1), highest, "rule 4: the highest unSACKed byte");
                prop_assert!(part.len() <= MSS && (part.start..part.end).all(|o| !model.sacked(o)));
            }
            (NextSeg::Nothing, None) => {
                let all = (una..una + len).all(|o| model.sacked(o));
                prop_assert!(all || model.highest_sacked().is_none());
            }
            other => prop_assert!(false, "{:?}", other),
        }
    }
}

#[test]
fn only_one_rescue_per_recovery() {
    let (mut board, q, _) = both(10, 20, &[(3, 4)], 20);
    assert_eq!(board.next_seg(&q, false), NextSeg::Rescue(Range { start: 26, end: 30 }));
    board.mark_rescue(30);
    assert_eq!(board.next_seg(&q, false), NextSeg::Nothing);
}
