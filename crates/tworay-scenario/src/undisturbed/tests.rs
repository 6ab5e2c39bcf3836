use super::*;
use std::path::Path;

fn scenario(more: &str) -> Scenario {
    let text = format!(
        "duration = \"9s\"\ntopology = {{ kind = \"string\", hops = 2 }}\n\
         [[flow]]\nfrom = 0\nto = 2\napp = \"cbr\"\nrate = \"10kbps\"\n{more}"
    );
    Scenario::from_toml(&text, "test.toml", Path::new(""), &[]).expect("a scenario")
}

#[test]
fn errors_and_events_disturb_and_movement_does_not() {
    assert_eq!(scenario("").disturbances(), []);
    let found = scenario(
        "[errors]\nframe_err = { bernoulli = { rate = 0.1 } }\n\
         [[event]]\nat = \"2s\"\nnode = 1\nwhat = \"loss\"\nrate = 0.5\n\
         [[event]]\nat = \"3s\"\nnode = 1\nwhat = \"loss\"\nrate = 0.0\n\
         [[event]]\nat = \"4s\"\nnode = 2\nwhat = \"down\"\n\
         [[event]]\nat = \"5s\"\nnode = 2\nwhat = \"up\"\n",
    );
    let causes: Vec<_> = found
        .disturbances()
        .iter()
        .map(|d| {
            (d.at.as_secs_f64(), (d.until != SimTime::NEVER).then(|| d.until.as_secs_f64()), d.node, d.cause)
        })
        .collect();
    let expected = [
        (0.0, None, None, LossCause::Channel),
        (2.0, Some(3.0), Some(NodeId(1)), LossCause::Channel),
        (4.0, Some(5.0), Some(NodeId(2)), LossCause::NodeDown),
    ];
    assert_eq!(causes, expected);
    let calm = found.undisturbed_by(&Partings::default());
    assert_eq!(calm.disturbances(), []);
    assert_eq!(calm.flows.len(), found.flows.len());
}

/// A cut waits for a packet of its flow, so that nobody knows beforehand when it begins.
#[test]
fn cuts_have_no_time_of_their_own() {
    let found = scenario("[[event]]\nat = \"2s\"\nwhat = \"cut\"\nfor = \"3s\"\n");
    assert_eq!(found.disturbances_by(&Partings::default()), []);
    let seconds = |at| SimTime::ZERO + tworay_base::SimDuration::from_secs(at);
    assert_eq!(found.disturbances(), [Disturbance::cut(seconds(2), seconds(5))]);
}

/// Each kind of disturbance is one, and none is left without them.
#[test]
fn no_disturbance_is_left() {
    let wire = "[[wire]]\nfrom = 1\nto = 2\nrate = \"1Mbps\"\n";
    for (more, cause) in [
        ("[errors]\npkt_err = { bernoulli = { rate = 0.1 } }\n".to_string(), LossCause::Channel),
        (format!("{wire}errors = {{ bernoulli = {{ rate = 0.1 }} }}\n"), LossCause::Channel),
        (format!("{wire}errors_back = {{ bernoulli = {{ rate = 0.1 }} }}\n"), LossCause::Channel),
        (format!("{wire}drops = [3]\n"), LossCause::Channel),
        (format!("{wire}handoffs = {{ count = 1, length = \"1s\" }}\n"), LossCause::LinkFailure),
        ("[radio]\nfading = { k = 0, coherence = \"20ms\" }\n".to_string(), LossCause::Channel),
        ("[[event]]\nat = \"2s\"\nwhat = \"cut\"\nfor = \"1s\"\n".to_string(), LossCause::LinkFailure),
        (
            "[[event]]\nat = \"2s\"\nwhat = \"move\"\nnode = 1\nto = [9, 9]\n".to_string(),
            LossCause::LinkFailure,
        ),
    ] {
        let found = scenario(&more);
        assert_eq!(found.disturbances().iter().map(|d| d.cause).collect::<Vec<_>>(), [cause], "{more}");
        assert_eq!(found.undisturbed_by(&Partings::default()).disturbances(), [], "{more}");
    }
}

/// A wire that is down loses what it had to carry, and keeps nothing back; so do its errors. Nobody else's queue grows by that.
#[test]
fn what_happens_to_wires_slows_nobody_down() {
    let found = scenario(
        "[[wire]]\nfrom = 1\nto = 2\nrate = \"1Mbps\"\nerrors = { bernoulli = { rate = 0.1 } }\n\
         handoffs = { at = [\"3s\"], length = \"1s\" }\n",
    );
    let known: Vec<_> = found.disturbances().iter().map(|of| (of.node, of.cause, of.slows)).collect();
    let wire = Some(NodeId(2));
    assert_eq!(known, [(wire, LossCause::Channel, false), (wire, LossCause::LinkFailure, false)]);
}
