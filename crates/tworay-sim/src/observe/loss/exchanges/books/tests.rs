use super::*;

const TO: NodeId = NodeId(1);
const AGGREGATE: TrialKind = TrialKind::Data { asks: true };

fn at(ms: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_millis(ms)
}

fn packets(count: u32) -> Vec<PacketId> {
    (0..count).map(PacketId).collect()
}

/// Begins a frame with these packets that nothing keeps from its receiver.
fn begin(books: &mut Books, ms: u64, kind: TrialKind, count: u32) -> Option<Lost> {
    books.begin(at(ms), (kind, TO), Failure::Busy, packets(count).into_iter())
}

/// Time lost by bit errors in an exchange of which each packet took `each`, and in the wait after it.
fn lost(ms: u64, each: u64) -> Option<Lost> {
    Some(Lost { each: Some(SimDuration::from_millis(each)), ..waited(ms)? })
}

fn waited(ms: u64) -> Option<Lost> {
    Some(Lost { time: SimDuration::from_millis(ms), failure: Failure::Errors, to: TO, each: None })
}

/// RTS at 1 ms, DATA at 2 ms, which is lost; that is known at 8 ms, and the next exchange begins at 10 ms.
#[test]
fn a_lost_frame_costs_its_rts_and_its_backoff() {
    let mut books = Books::default();
    assert_eq!(begin(&mut books, 1, TrialKind::Rts, 0), None);
    assert_eq!(begin(&mut books, 2, TrialKind::Data { asks: false }, 1), None);
    books.frame_lost(Failure::Errors, None);
    assert_eq!(books.missed(at(8), &packets(1)), lost(7, 7));
    assert_eq!(begin(&mut books, 10, TrialKind::Rts, 0), waited(2));
    // An RTS without CTS belongs to no later exchange.
    books.frame_lost(Failure::Errors, None);
    assert_eq!(books.missed(at(11), &packets(1)), lost(1, 0));
    assert_eq!(begin(&mut books, 13, TrialKind::Data { asks: false }, 1), waited(2));
    assert_eq!(books.missed(at(14), &packets(1)), None, "load");
    assert_eq!(begin(&mut books, 16, TrialKind::Rts, 0), None, "load");
}

/// Of four subframes in 8 ms one has bit errors, and one has collided: a quarter is lost, and of the wait, too.
#[test]
fn lost_subframes_cost_their_share() {
    let mut books = Books::default();
    begin(&mut books, 0, AGGREGATE, 4);
    books.frame_arrived(&[None, Some(Failure::Errors), None, Some(Failure::Collided)], None);
    assert_eq!(books.missed(at(8), &[packets(4)[1], packets(4)[3]]), lost(2, 2));
    assert_eq!(begin(&mut books, 12, AGGREGATE, 4), waited(1));
}

/// All subframes arrive, and the BlockAck is lost: they need not be repeated, if the station asks for it. That is known at
/// 8 ms; the BlockAckReq lasts from 10 ms until the next exchange at 13 ms.
#[test]
fn a_lost_block_ack_costs_the_request() {
    let mut books = Books::default();
    begin(&mut books, 0, AGGREGATE, 4);
    books.frame_arrived(&[None; 4], None);
    books.answer_lost(Failure::Errors, None);
    assert_eq!(books.missed(at(8), &packets(4)), None);
    assert_eq!(begin(&mut books, 10, TrialKind::Request, 0), waited(2));
    books.frame_arrived(&[], None);
    assert_eq!(begin(&mut books, 13, AGGREGATE, 4), waited(3));
    // A station that doesn't ask repeats them all.
    begin(&mut books, 20, TrialKind::Data { asks: false }, 4);
    books.frame_arrived(&[None; 4], None);
    books.answer_lost(Failure::Errors, None);
    assert_eq!(books.missed(at(28), &packets(4)), lost(8, 2));
}

/// A station that has nothing to send loses no time.
#[test]
fn a_station_at_rest_loses_nothing() {
    let mut books = Books::default();
    begin(&mut books, 0, TrialKind::Data { asks: false }, 1);
    books.frame_lost(Failure::Errors, None);
    books.missed(at(2), &packets(1));
    books.rest();
    assert_eq!(begin(&mut books, 100, AGGREGATE, 2), None);
}

/// A packet collides six times, and the neighbour answers for other subframes meanwhile. Then it is switched off, and seven
/// exchanges remain unanswered: because of these it counts as gone. Outside an agreement all attempts with a packet count.
#[test]
fn a_neighbour_is_gone_because_of_the_exchanges_that_it_has_not_answered() {
    let root = |gone: Option<NodeId>| {
        let mut books = Books::default();
        for exchange in 0..8 {
            begin(&mut books, 10 * exchange, AGGREGATE, 2);
            books.frame_arrived(&[Some(Failure::Collided), None], None);
            books.answered(TO);
            books.missed(at(10 * exchange + 5), &packets(1));
        }
        for exchange in 10..17 {
            books.begin(at(10 * exchange), (AGGREGATE, TO), Failure::NodeDown, packets(1).into_iter());
            books.missed(at(10 * exchange + 5), &packets(1));
        }
        let attempts = books.take_given_up(PacketId(0), gone).expect("attempts");
        let root = attempts.root_of(at(170), (NodeId(0), TO), FrameKind::Data);
        // Whoever comes back begins anew.
        begin(&mut books, 180, AGGREGATE, 1);
        books.missed(at(185), &packets(1));
        let later = books.take_given_up(PacketId(0), gone).expect("attempts");
        assert_eq!(later.root_of(at(190), (NodeId(0), TO), FrameKind::Data).attempts, 1);
        (root.cause, root.attempts, root.at)
    };
    assert_eq!(root(Some(TO)), (Some(LossCause::NodeDown), 7, at(100)));
    assert_eq!(root(None), (Some(LossCause::Contention), 15, at(170)));
}

/// A BlockAckReq without an answer counts, and so does an RTS without a CTS; an RTS with one is part of its exchange.
#[test]
fn each_exchange_without_an_answer_counts_once() {
    let mut books = Books::default();
    begin(&mut books, 0, TrialKind::Rts, 0);
    begin(&mut books, 1, AGGREGATE, 1);
    books.missed(at(5), &packets(1));
    begin(&mut books, 10, TrialKind::Request, 0);
    begin(&mut books, 20, TrialKind::Rts, 0);
    books.missed(at(21), &packets(1));
    let attempts = books.take_given_up(PacketId(0), Some(TO)).expect("attempts");
    assert_eq!(attempts.root_of(at(30), (NodeId(0), TO), FrameKind::Data).attempts, 3);
}

/// Bit errors destroy every subframe of an aggregate, though its preamble arrives: the receiver has nothing to answer, and nothing
/// has collided. A collision destroys one subframe of three, errors the others: errors count.
#[test]
fn an_aggregate_without_any_subframe_is_lost_to_what_destroyed_them() {
    let mut books = Books::default();
    for exchange in 0..7 {
        begin(&mut books, 10 * exchange, AGGREGATE, 3);
        let first = if exchange < 6 { Failure::Errors } else { Failure::Collided };
        books.frame_arrived(&[Some(first), Some(Failure::Errors), Some(Failure::Errors)], None);
        books.missed(at(10 * exchange + 5), &packets(3));
    }
    let attempts = books.take_given_up(PacketId(0), Some(TO)).expect("attempts");
    let root = attempts.root_of(at(70), (NodeId(0), TO), FrameKind::Data);
    assert_eq!((root.cause, root.attempts), (Some(LossCause::Channel), 7));
}
