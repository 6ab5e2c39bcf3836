use super::*;

fn ms(milliseconds: u64) -> SimTime {
    SimTime::from_nanos(milliseconds * 1_000_000)
}

#[test]
fn one_stall_is_one_span_and_its_worst_lateness() {
    let mut late = LateSpans::default();
    // Events due at 100, 101 and 150 ms are processed at 180, 181 and 182 ms.
    for (due, at) in [(100, 180), (101, 181), (150, 182)] {
        late.note(ms(due), ms(at), (at - due) as f64 / 1e3);
    }
    assert_eq!(late.0, [LateSpan { from: ms(100), to: ms(182), seconds: 0.08 }]);
}

#[test]
fn stalls_a_second_apart_are_two_spans() {
    let mut late = LateSpans::default();
    late.note(ms(100), ms(130), 0.03);
    late.note(ms(1100), ms(1150), 0.05);
    assert_eq!(late.0.len(), 2);
    assert_eq!(late.0[1], LateSpan { from: ms(1100), to: ms(1150), seconds: 0.05 });
}

#[test]
fn their_number_is_bounded() {
    let mut late = LateSpans::default();
    for second in 0..MOST as u64 + 50 {
        late.note(ms(1000 * second), ms(1000 * second + 30), 0.03);
    }
    assert_eq!(late.0.len(), MOST);
    assert_eq!(late.0[MOST - 1].to, ms(1000 * (MOST as u64 + 49) + 30));
}
