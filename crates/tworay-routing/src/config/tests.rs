use super::*;

fn refusal(protocol: Protocol, metres: f64) -> Option<String> {
    let config = RoutingConfig { protocol, longest_hop: Some(Metres(metres)), ..RoutingConfig::default() };
    config.validate().err().map(|problem| format!("{}: {}; {}", problem.key, problem.problem, problem.remedy))
}

#[test]
fn a_longest_hop_is_for_static_routes() {
    assert_eq!(refusal(Protocol::Static, 30.0), None);
    assert_eq!(
        refusal(Protocol::Static, 0.0).as_deref(),
        Some("routing.longest_hop: 0m leaves no hop; use it with `static`, more than 0m")
    );
    assert_eq!(
        refusal(Protocol::Aodv, 30.0).as_deref(),
        Some("routing.longest_hop: `aodv` finds its own routes; use it with `static`, more than 0m")
    );
}
