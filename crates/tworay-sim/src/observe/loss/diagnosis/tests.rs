use super::*;
use tworay_base::{Died, NodeId, SimDuration};
use tworay_tcp::Phase;

fn at(seconds: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_secs(seconds)
}

/// Uid of the next packet at the time of the guess, 10 s.
const SENT: u64 = 100;
const AGAIN: Seq32 = Seq32(1001);

/// First byte or acknowledgment number, uid, time at which the root struck in seconds, cause.
type Row = (u32, u64, u64, LossCause);

fn losses(data: &[Row], acks: &[Row]) -> Losses {
    let mut losses = Losses::default();
    for (carries, rows) in [(Carries::Data, data), (Carries::Ack, acks)] {
        for &(seq, uid, s, cause) in rows {
            losses.add(carries, Seq32(seq), uid, Struck { since: at(s), until: None, cause });
        }
    }
    losses
}

/// A guess about segment 1001 at 10 s, after packet 99 was sent.
#[test]
fn which_loss_a_guess_is_about() {
    use LossCause::{Channel, Congestion, Contention, LinkFailure};
    type Case<'a> = (&'a str, &'a [Row], &'a [Row], &'a [(Seq32, u64)], Option<LossCause>);
    let table: [Case; 14] = [
        ("nothing was lost", &[], &[], &[], None),
        ("the segment was", &[(1001, 7, 5, Channel)], &[], &[], Some(Channel)),
        ("another one was", &[(2001, 8, 5, Channel)], &[], &[], None),
        (
            "it was lost, sent again and lost again: the first loss was the matter of an earlier guess",
            &[(1001, 7, 5, Channel), (1001, 50, 8, LinkFailure)],
            &[],
            &[(AGAIN, 50)],
            Some(LinkFailure),
        ),
        ("what was sent again arrived", &[(1001, 7, 5, Channel)], &[], &[(AGAIN, 50)], None),
        ("it is lost only after the guess", &[(1001, 7, 11, Channel)], &[], &[], None),
        (
            "it was lost, sent again and is lost again only after the guess",
            &[(1001, 7, 5, Channel), (1001, 50, 11, LinkFailure)],
            &[],
            &[(AGAIN, 50)],
            None,
        ),
        (
            "it arrived, its ACK was lost",
            &[(1001, 7, 5, Channel)],
            &[(2001, 60, 9, Contention)],
            &[(AGAIN, 50)],
            Some(Contention),
        ),
        ("its ACK is lost only after the guess", &[], &[(2001, 60, 11, Contention)], &[], None),
        ("a lost ACK of less says nothing", &[], &[(1001, 60, 9, Contention)], &[], None),
        (
            "the earliest lost ACK counts, whichever was sent first",
            &[],
            &[(2001, 60, 9, Contention), (3001, 61, 8, Congestion)],
            &[],
            Some(Congestion),
        ),
        (
            "an ACK lost before the segment was sent again was the matter of an earlier guess",
            &[],
            &[(2001, 40, 6, Contention), (2001, 60, 9, Congestion)],
            &[(AGAIN, 50)],
            Some(Congestion),
        ),
        (
            "the lost segment before its ACKs",
            &[(1001, 7, 5, Channel)],
            &[(3001, 61, 4, Congestion)],
            &[],
            Some(Channel),
        ),
        (
            "what was sent later can't be meant",
            &[(1001, SENT, 10, Channel)],
            &[(2001, SENT + 1, 10, Congestion)],
            &[(AGAIN, SENT)],
            None,
        ),
    ];
    let guess = (at(10), AGAIN, SENT);
    for (what, data, acks, resent, cause) in table {
        let again = |&(seq, uid)| Resent { at: at(0), from: NodeId(0), seq, uid, phase: Phase::Recovery };
        let resent: Vec<Resent> = resent.iter().map(again).collect();
        for view in [View::AtTheTime, View::ByOutcome] {
            assert_eq!(losses(data, acks).cause(guess, &resent, view), cause, "{what}, {view:?}");
        }
    }
}

/// ```text
/// 5 s   the MAC gives up the segment, AODV buffers it and searches for a route
/// 7 s   the timer expires: a guess            ◀── nothing is lost yet, but the guess is about the break
/// 20 s  the buffering time expires: the ledger books the loss, with its root at 5 s
/// ```
/// A guess at 4 s comes too early. If AODV finds a route at 20 s and the packet arrives, a guess at 7 s was still
/// right about the break when it was made; by outcome nothing was lost. A guess at 20 s meets no break.
#[test]
fn a_packet_that_waits_has_met_its_root() {
    let record = LossRecord {
        at: at(20),
        from: NodeId(0),
        node: NodeId(0),
        flow: FlowId(0),
        carries: Carries::Data,
        seq: AGAIN,
        uid: 7,
        cause: LossCause::LinkFailure,
        died: Died::BufferTimeout,
        since: at(5),
        root_node: NodeId(0),
        next_hop: Some(NodeId(1)),
        attempts: 7,
        interferer: None,
    };
    let held = Hold {
        flow: FlowId(0),
        carries: Carries::Data,
        seq: AGAIN,
        uid: 7,
        cause: LossCause::LinkFailure,
        since: at(5),
        until: at(20),
    };
    let (lost, saved) = (gather(1, &[record], &[]), gather(1, &[], &[held]));
    let guess = |of: &[Losses], s, view| of[0].cause((at(s), AGAIN, SENT), &[], view);
    let broken = Some(LossCause::LinkFailure);
    for (s, while_lost, while_held, by_outcome) in
        [(4, None, None, None), (7, broken, broken, None), (20, broken, None, None)]
    {
        assert_eq!(guess(&lost, s, View::AtTheTime), while_lost, "{s} s");
        assert_eq!(guess(&lost, s, View::ByOutcome), while_lost, "{s} s");
        assert_eq!(guess(&saved, s, View::AtTheTime), while_held, "{s} s");
        assert_eq!(guess(&saved, s, View::ByOutcome), by_outcome, "{s} s");
    }
}

#[test]
fn the_matrix_counts_each_guess_once() {
    let guess = |guess, cause| Diagnosed {
        at: SimTime::ZERO,
        flow: FlowId(0),
        seq: Seq32(1),
        guess,
        cause,
        by_outcome: None,
    };
    let guesses = [
        guess("congestion", Some(LossCause::Congestion)),
        guess("congestion", Some(LossCause::Congestion)),
        guess("congestion", None),
        guess("channel", Some(LossCause::Contention)),
    ];
    let table = count(&guesses, Diagnosed::cause_name);
    assert_eq!(table["congestion"], BTreeMap::from([("congestion".into(), 2), ("none".into(), 1)]));
    assert_eq!(table["channel"], BTreeMap::from([("contention".into(), 1)]));
    let table = count(&guesses, Diagnosed::outcome_name);
    assert_eq!(table["congestion"], BTreeMap::from([("none".into(), 3)]));
}
