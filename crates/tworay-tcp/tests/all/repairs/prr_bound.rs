//! Bounds of Proportional Rate Reduction in a recovery (RFC 9937 §6), over random losses of data and of ACKs.
//! The sender is seen from outside: by the ACKs that it got and the segments that it sent.

use super::network::{Fate, Pair, Trace};
use proptest::prelude::*;
use std::collections::BTreeMap;
use tworay_base::SimDuration;
use tworay_tcp::{Handshake, InitialWindow, TcpConfig, TcpNote};
use tworay_wire::TcpSegment;

const MSS: u64 = 1460;
/// SACKed segments above that show a loss (RFC 6675's DupThresh).
const THRESHOLD: usize = 3;

/// A sender's knowledge of a segment that is not acknowledged.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Mark {
    Out,
    Sacked,
    Lost,
    Again,
}

/// A scoreboard of the test's own, by RFC 6675 §4 in whole segments.
#[derive(Default)]
struct Book {
    /// By number, from 0.
    marks: BTreeMap<u64, Mark>,
    una: u64,
    duplicates: usize,
}

/// Contents of an ACK.
#[derive(Copy, Clone, Default, Debug)]
struct News {
    delivered: usize,
    advanced: bool,
    lost: bool,
}

impl Book {
    fn count(&self, mark: Mark) -> usize {
        self.marks.values().filter(|m| **m == mark).count()
    }

    /// RFC 6675's pipe.
    fn pipe(&self) -> usize {
        self.count(Mark::Out) + self.count(Mark::Again)
    }

    fn send(&mut self, segment: &TcpSegment) {
        let number = place(segment.seq.0);
        let mark = if self.marks.get(&number) == Some(&Mark::Lost) { Mark::Again } else { Mark::Out };
        self.marks.insert(number, mark);
    }

    fn take(&mut self, ack: &TcpSegment) -> News {
        let to = place(ack.ack.0);
        if to < self.una {
            return News::default();
        }
        let mut news = News { advanced: to > self.una, ..News::default() };
        let rest = self.marks.split_off(&to);
        let acked = std::mem::replace(&mut self.marks, rest);
        news.delivered += acked.values().filter(|m| **m != Mark::Sacked).count();
        for block in &ack.options.sack {
            for (_, mark) in self.marks.range_mut(place(block.left.0).max(to)..place(block.right.0).max(to)) {
                news.delivered += usize::from(*mark != Mark::Sacked);
                *mark = Mark::Sacked;
            }
        }
        if news.advanced {
            (self.una, self.duplicates) = (to, 0);
        } else if news.delivered > 0 {
            self.duplicates += 1;
        }
        news.lost = self.find_lost();
        news
    }

    /// IsLost(), and the third duplicate ACK. Returns whether anything more is lost.
    fn find_lost(&mut self) -> bool {
        let mut above = self.count(Mark::Sacked);
        let third = self.duplicates == THRESHOLD;
        let mut found = false;
        for (&number, mark) in &mut self.marks {
            above -= usize::from(*mark == Mark::Sacked);
            if *mark == Mark::Out && (above >= THRESHOLD || (third && number == self.una)) {
                *mark = Mark::Lost;
                found = true;
            }
        }
        found
    }

    fn time_out(&mut self) {
        self.duplicates = 0;
        for mark in self.marks.values_mut().filter(|m| **m != Mark::Sacked) {
            *mark = Mark::Lost;
        }
    }
}

/// The number of the segment that begins with this byte.
fn place(byte: u32) -> u64 {
    u64::from(byte - 1) / MSS
}

/// A fast recovery, and what RFC 9937 allows in it.
#[derive(Debug)]
struct Recovery {
    ssthresh: usize,
    /// RecoverFS: in flight when the recovery began.
    flight: usize,
    delivered: usize,
    out: usize,
    /// ACKs that allow a segment more than they deliver (SafeACK).
    safe: usize,
}

/// Sends judged, by which of PRR's two rules allowed them.
#[derive(Copy, Clone, Default, Debug)]
struct Judged {
    proportional: usize,
    bounded: usize,
}

/// Reads what a sender met and did. `knows_pipe`: it finds losses by RFC 6675, so that the test knows its
/// pipe.
fn judge(trace: &[Trace], knows_pipe: bool) -> Result<Judged, TestCaseError> {
    let (mut book, mut judged) = (Book::default(), Judged::default());
    let mut recovery: Option<Recovery> = None;
    let (mut news, mut before, mut pipe) = (News::default(), 0, 0);
    for (i, event) in trace.iter().enumerate() {
        match event {
            Trace::Heard(_, ack) => {
                before = book.marks.len() - book.count(Mark::Sacked);
                news = book.take(ack);
                pipe = book.pipe();
                if let Some(r) = recovery.as_mut().filter(|_| news.delivered > 0) {
                    r.delivered += news.delivered;
                    // Who finds losses otherwise may take an ACK for safe that is not.
                    r.safe += usize::from(news.advanced && !(knows_pipe && news.lost));
                }
            }
            Trace::Noted(_, TcpNote::FastRetransmit { .. }) => {
                let state =
                    trace[i..].iter().find_map(|t| if let Trace::State(s) = t { Some(s) } else { None });
                let ssthresh = state.expect("a state after each event").ssthresh as usize;
                // Time can show a loss at an ACK that delivers nothing; the first retransmission is sent
                // nevertheless.
                let safe = usize::from(news.delivered == 0);
                recovery =
                    Some(Recovery { ssthresh, flight: before, delivered: news.delivered, out: 0, safe });
            }
            Trace::Noted(_, TcpNote::RecoveryExit) => recovery = None,
            Trace::Noted(_, TcpNote::Timeout { .. }) => {
                recovery = None;
                book.time_out();
            }
            // Linux counts RACK's timer as one delivered segment.
            Trace::Timer(..) => {
                (before, news) = (book.pipe(), News { delivered: 1, ..News::default() });
                if let Some(r) = &mut recovery {
                    r.delivered += 1;
                }
            }
            Trace::Sent(_, segment, _) if segment.payload > 0 => {
                book.send(segment);
                let Some(r) = &mut recovery else { continue };
                r.out += 1;
                prop_assert!(r.out <= r.delivered + r.safe, "more goes in than comes out: {:?}", r);
                if !knows_pipe || r.out == 1 {
                    continue;
                }
                if pipe > r.ssthresh {
                    judged.proportional += 1;
                    let share = (r.delivered * r.ssthresh).div_ceil(r.flight);
                    prop_assert!(r.out <= share, "more than the share of {}: {:?}", share, r);
                } else {
                    judged.bounded += 1;
                    prop_assert!(book.pipe() <= r.ssthresh, "{} in flight: {:?}", book.pipe(), r);
                }
            }
            _ => {}
        }
    }
    Ok(judged)
}

/// A transfer of 100 segments; the packets meet these fates in the order in which they are sent.
fn transfer(variant: &str, window: u32, fates: Vec<Fate>) -> Pair {
    let config = TcpConfig {
        handshake: Handshake::None,
        initial_window: InitialWindow::Segments(window),
        fin: false,
        ..TcpConfig::default()
    };
    let mut pair = Pair::new(&config, &variant.parse().expect("a variant"), fates);
    pair.tracing = true;
    pair.start([100 * MSS, 0]);
    pair.run(100_000);
    assert_eq!(pair.seen[0].finished, 1, "{variant}: {:?}", pair.ends[0].snapshot());
    pair
}

fn fates() -> impl Strategy<Value = Vec<Fate>> {
    let late = (1u64..120).prop_map(|ms| Fate::Late(SimDuration::from_millis(ms)));
    let fate =
        prop_oneof![8 => Just(Fate::Arrives), 2 => Just(Fate::Lost), 1 => late, 1 => Just(Fate::Doubled)];
    prop::collection::vec(fate, 0..200)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// RFC 9937 §6: with more than ssthresh in flight, what is sent is to what is delivered as ssthresh is to
    /// the flight at the beginning; with less, the flight doesn't rise above ssthresh. An ACK lets out what
    /// it and the ACKs before it have delivered, and one segment more if it advances and shows no further
    /// loss.
    #[test]
    fn a_recovery_sends_what_the_rfc_allows(window in 1u32..60, fates in fates()) {
        judge(&transfer("sack+prr", window, fates).trace, true)?;
    }

    #[test]
    fn a_recovery_by_time_sends_no_more_than_is_delivered(window in 1u32..60, fates in fates()) {
        for variant in ["sack+rack+prr", "sack+rack-tlp+prr", "sack+rack-tlp+prr+f-rto"] {
            judge(&transfer(variant, window, fates.clone()).trace, false)?;
        }
    }
}

/// Both rules are at work in what the property sees: one loss of forty, and thirty of forty.
#[test]
fn both_rules_are_judged() {
    let first = |n| (0..40).map(|i| if i < n { Fate::Lost } else { Fate::Arrives }).collect::<Vec<_>>();
    let one = judge(&transfer("sack+prr", 40, first(1)).trace, true).expect("within the bounds");
    assert!(one.proportional > 15, "{one:?}");
    let thirty = judge(&transfer("sack+prr", 40, first(30)).trace, true).expect("within the bounds");
    assert!(thirty.bounded > 25, "{thirty:?}");
}
