use super::*;
use crate::scenario::Scenario;

#[test]
fn every_built_in_scenario_is_valid_and_named_as_it_is_called() {
    for info in builtin_list() {
        let scenario =
            Scenario::load(&info.example, &[]).unwrap_or_else(|error| panic!("{}: {error}", info.name));
        assert_eq!(scenario.name(), info.example);
        assert!(!info.summary.is_empty() && !info.summary.contains('{'), "{}", info.summary);
        assert!(!builtin_text(&info.name).unwrap().contains('{'), "{}", info.name);
    }
}

#[test]
fn numbers_in_the_name_make_the_network() {
    let table = [
        ("string-1", 2),
        ("string-64", 65),
        ("grid-5x5", 25),
        ("grid-2x7", 14),
        ("cross", 9),
        ("strip-50", 50),
        ("route-break", 6),
        ("bottleneck-2", 6),
        ("dumbbell-10", 22),
        ("dumbbell-decrease-7", 16),
        ("split-dumbbell-100", 203),
        ("freeze-probing-field", 30),
        ("string-4x3", 5),
        ("mesh-6", 25),
        ("street-n", 8),
        ("mesh-ac-25", 25),
        ("hidden-n", 3),
        ("strip-50-5", 50),
    ];
    for (name, nodes) in table {
        let scenario = Scenario::load(name, &[]).unwrap();
        assert_eq!(scenario.node_count(), nodes, "{name}");
    }
    let grid = Scenario::load("grid-2x7", &[]).unwrap();
    assert_eq!((grid.flows[0].from.0, grid.flows[0].to.0), (0, 13));
    let ends = |name: &str| {
        let flows = Scenario::load(name, &[]).unwrap().flows;
        flows.iter().map(|flow| (flow.from.0, flow.to.0)).collect::<Vec<_>>()
    };
    assert_eq!(ends("string-7x3"), [(0, 7); 3]);
    assert_eq!(ends("square-50-3"), [(0, 1), (2, 3), (4, 5)]);
    assert_eq!(ends("mesh-6").len(), 6);
}

#[test]
fn wrong_names_say_what_there_is() {
    let list = "Built in: string-HxN, string-N, grid-RxC, cross, mesh-3, mesh-6, strip-50-N, square-50-N, strip-50, square-50, route-break, energy-field, energy-field-lost-link, channel-errors, congestion, interference, link-failure, link-failure-shorter, signal-loss, bottleneck-N, dumbbell-decrease-N, dumbbell-increase-N, dumbbell-N, split-dumbbell-decrease-N, split-dumbbell-increase-N, split-dumbbell-N, street-n, mesh-ac-25, hidden-n, freeze-probing-field, freeze-probing-field-udp. The name of a file of your own ends in \".toml\".";
    let table = [
        ("strnig-4", format!("\"strnig-4\" is neither a file nor a built-in scenario\nDid you mean \"string-4\"? {list}")),
        ("manet", format!("\"manet\" is neither a file nor a built-in scenario\n{list}")),
        (
            "string-N",
            "\"string-N\" is not a scenario of the family string-N\nWrite a number from 1 to 64 in place of N, as in \"string-4\".".into(),
        ),
        (
            "string-0",
            "\"string-0\" is not a scenario of the family string-N\nWrite a number from 1 to 64 in place of N, as in \"string-4\".".into(),
        ),
        (
            "grid-3x101",
            "\"grid-3x101\" is not a scenario of the family grid-RxC\nWrite a number from 1 to 100 in place of C, as in \"grid-5x5\".".into(),
        ),
        ("grid-1x1", "\"grid-1x1\" has one node: nothing can be sent\nTake a larger one, such as \"grid-5x5\".".into()),
    ];
    for (name, message) in table {
        assert_eq!(Scenario::load(name, &[]).unwrap_err().to_string(), message);
    }
}

#[test]
fn every_built_in_scenario_says_where_its_bottleneck_is() {
    for info in builtin_list() {
        let text = builtin_text(&info.name).unwrap();
        let said = text.lines().filter(|line| line.starts_with("# Bottleneck: ")).count();
        assert_eq!(said, 1, "{}", info.name);
    }
}
