use super::*;

const AT: u64 = 100;

fn losses(data: &[(u32, u64, LossCause)], acks: &[(u32, u64, LossCause)]) -> Losses {
    Losses {
        data: data.iter().map(|&(seq, uid, cause)| ((seq, uid), cause)).collect(),
        acks: acks.iter().map(|&(ack, uid, cause)| (uid, (Seq32(ack), cause))).collect(),
    }
}

/// A guess about segment 1001, made after uid 99 was sent.
#[test]
fn which_loss_a_guess_is_about() {
    use LossCause::{Channel, Congestion, Contention, LinkFailure};
    type Row<'a> = (
        &'a str,
        &'a [(u32, u64, LossCause)],
        &'a [(u32, u64, LossCause)],
        &'a [(Seq32, u64)],
        Option<LossCause>,
    );
    let again = Seq32(1001);
    let table: [Row; 10] = [
        ("nothing was lost", &[], &[], &[], None),
        ("the segment was", &[(1001, 7, Channel)], &[], &[], Some(Channel)),
        ("another one was", &[(2001, 8, Channel)], &[], &[], None),
        (
            "it was lost twice: the newer counts",
            &[(1001, 7, Channel), (1001, 50, LinkFailure)],
            &[],
            &[(again, 50)],
            Some(LinkFailure),
        ),
        ("what was sent again arrived", &[(1001, 7, Channel)], &[], &[(again, 50)], None),
        (
            "it arrived, its ACK was lost",
            &[(1001, 7, Channel)],
            &[(2001, 60, Contention)],
            &[(again, 50)],
            Some(Contention),
        ),
        ("a lost ACK of less says nothing", &[], &[(1001, 60, Contention)], &[], None),
        (
            "the newest lost ACK counts",
            &[],
            &[(2001, 60, Contention), (3001, 61, Congestion)],
            &[],
            Some(Congestion),
        ),
        (
            "the lost segment before its ACKs",
            &[(1001, 7, Channel)],
            &[(3001, 61, Congestion)],
            &[],
            Some(Channel),
        ),
        (
            "what was sent later can't be meant",
            &[(1001, AT, Channel)],
            &[(2001, AT + 1, Congestion)],
            &[(again, AT)],
            None,
        ),
    ];
    for (what, data, acks, resent, cause) in table {
        assert_eq!(losses(data, acks).cause(again, AT, resent), cause, "{what}");
    }
}

#[test]
fn the_matrix_counts_each_guess_once() {
    let guess = |guess, cause| Diagnosed { at: SimTime::ZERO, flow: FlowId(0), seq: Seq32(1), guess, cause };
    let table = count(&[
        guess("congestion", Some(LossCause::Congestion)),
        guess("congestion", Some(LossCause::Congestion)),
        guess("congestion", None),
        guess("channel", Some(LossCause::Contention)),
    ]);
    assert_eq!(table["congestion"], BTreeMap::from([("congestion".into(), 2), ("none".into(), 1)]));
    assert_eq!(table["channel"], BTreeMap::from([("contention".into(), 1)]));
}
