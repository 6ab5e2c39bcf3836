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
    let calm = found.undisturbed();
    assert_eq!(calm.disturbances(), []);
    assert_eq!(calm.flows.len(), found.flows.len());
}
