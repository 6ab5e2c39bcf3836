use super::*;
use crate::flow::FlowSetup;

fn flows(world: &Scenario) -> Vec<&Application> {
    world.flows.iter().map(|FlowSetup { application, .. }| application).collect()
}

/// 1460 + 12 bytes at 2 Mb/s take 5.888 ms.
#[test]
fn tcp_becomes_datagrams_as_fast_as_the_radio() {
    let world =
        Scenario::load("string-2", &["tcp.variant=vegas".into(), "energy.model=states".into()]).unwrap();
    let full = world.saturated();
    let interval = tworay_base::SimDuration::from_micros(5888);
    assert_eq!(flows(&full), [&Application::Cbr { interval, payload: 1472, packets: None }]);
    assert_eq!(full.settings.energy.model, EnergyModel::None);
    // The reference does not depend on the variant.
    assert_eq!(full.to_toml(), Scenario::load("string-2", &[]).unwrap().saturated().to_toml());
    assert_eq!(Scenario::from_toml(&full.to_toml(), "x.toml", std::path::Path::new(""), &[]).unwrap(), full);
}

/// A wired sender uses the rate of its fastest wire; other flows stay unchanged.
#[test]
fn wires_have_rates_of_their_own() {
    let world = Scenario::load("dumbbell-1", &[]).unwrap();
    let from = world.flows[0].from;
    let fastest = world
        .settings
        .wires
        .iter()
        .filter(|l| [l.from, l.to].contains(&from.0))
        .map(|l| l.rate)
        .max()
        .unwrap();
    let full = world.saturated();
    assert!(
        matches!(flows(&full)[0], Application::Cbr { interval, .. } if *interval == fastest.airtime(world.settings.tcp.mss.0 as u32 + 12))
    );
    assert_eq!(flows(&full.saturated()), flows(&full));
}
