//! Probing: when a cycle starts, and which outcome two round trips select.
//!
//! The simulated variant sends probes; the core uses the round trips it is given. Both get the same two
//! round trips after the same loss. Exact ties are excluded, because there the rounding of the simulator's
//! floating point decides.

use super::drive::{Clock, as_rust, close, config, halved};
use super::native::{self, Core, Decision, Window};
use proptest::collection::vec;
use proptest::prelude::*;
use tworay_base::{Seq32, SimDuration};
use tworay_tcp::{
    CongestionControl, Effect, Effects, LossEvent, ProbeEvent, ProbeVerdict, RtoEvent, RttEvent, TcpConfig,
    Variant,
};
use tworay_wire::{ProbeKind, ProbeOption};

/// A loss and the round trips of its probes.
#[derive(Copy, Clone, Debug)]
struct Cycle {
    timeout: bool,
    window: Window,
    /// Round trips of data before the loss, microseconds.
    data: (u32, u32),
    probes: (u32, u32),
}

fn cycles() -> impl Strategy<Value = Vec<Cycle>> {
    let rtt = || 1_000..200_000u32;
    let cycle = (any::<bool>(), 2..64u32, 2..64u32, (rtt(), rtt()), (rtt(), rtt())).prop_map(
        |(timeout, cwnd, ssthresh, data, probes)| Cycle {
            timeout,
            window: Window { cwnd, ssthresh },
            data,
            probes,
        },
    );
    vec(cycle, 1..12).prop_map(|mut cycles| {
        // The first cycle has one odd and one even value, so that the average of quarters never equals the
        // middle.
        let (first, second) = &mut cycles[0].probes;
        (*first, *second) = (*first | 1, *second & !1);
        cycles
    })
}

fn guess(effects: &Effects) -> Option<&'static str> {
    effects.iter().find_map(|e| if let Effect::Guess { guess, .. } = e { Some(*guess) } else { None })
}

/// The probe requested by the variant.
fn asked(effects: &Effects) -> Option<ProbeOption> {
    effects.iter().find_map(|e| if let Effect::Probe(probe) = e { *probe } else { None })
}

fn answer(
    part: &mut dyn CongestionControl,
    clock: &Clock,
    window: Window,
    probe: ProbeOption,
) -> Result<Effects, TestCaseError> {
    let kind = match probe.kind {
        ProbeKind::Probe1 => ProbeKind::Pr1Ack,
        _ => ProbeKind::Pr2Ack,
    };
    let mut effects = Effects::new();
    let view = clock.rust_view(as_rust(window));
    let verdict = part.on_probe_answer(&view, &ProbeEvent { kind, id: probe.id }, &mut effects);
    prop_assert_eq!(verdict, ProbeVerdict::Expected);
    Ok(effects)
}

fn probing(cycles: &[Cycle]) -> Result<(), TestCaseError> {
    let variant: Variant = "probing".parse().expect("a variant");
    let mut part = variant.only_part(&TcpConfig::default()).expect("one part");
    let mut core = Core::default();
    let mut clock = Clock { now: 1_000_000, rtt: 0, srtt: 50_000, advertised: 40 };
    let mut best = u32::MAX;
    for cycle in cycles {
        for rtt in [cycle.data.0, cycle.data.1] {
            native::probing_rtt(&mut core, rtt);
            let exact = SimDuration::from_micros(rtt.into());
            let view = clock.rust_view(as_rust(cycle.window));
            part.on_rtt(&view, &RttEvent { exact, ticked: exact }, &mut Effects::new());
            best = best.min(rtt);
        }
        let last = cycle.data.1;
        let in_use = cycle.window.cwnd.min(clock.advertised);
        prop_assume!(u64::from(in_use) * u64::from(last - best) != 4 * u64::from(last));
        let view = clock.view(cycle.window);
        let standard = halved(view.flight);
        let (seq, mut effects) = (Seq32(1), Effects::new());
        let rust_view = clock.rust_view(as_rust(cycle.window));
        let (decision, window) = if cycle.timeout {
            let event = RtoEvent { seq, consecutive: 1, opening: false, standard: as_rust(standard) };
            let decided = part.on_rto(&rust_view, &event, &mut effects);
            (native::probing_rto(&mut core, &view, &standard), decided.window)
        } else {
            let event = LossEvent { seq, standard: as_rust(standard) };
            let decided = part.on_loss(&rust_view, &event, &mut effects);
            (native::probing_loss(&mut core, &view, &standard), decided)
        };
        prop_assert_eq!(decision.guess(), guess(&effects));
        close(decision.window, window)?;
        let Some(first) = asked(&effects) else {
            // Contention: the variant sends no probe, and the core expects no round trip.
            prop_assert!(native::probing_sample(&mut core, &view, 1).is_none());
            continue;
        };
        clock.now += u64::from(cycle.probes.0);
        let effects = answer(&mut *part, &clock, cycle.window, first)?;
        let second = asked(&effects).expect("the second probe");
        prop_assert!(native::probing_sample(&mut core, &clock.view(cycle.window), cycle.probes.0).is_none());
        clock.now += u64::from(cycle.probes.1);
        let effects = answer(&mut *part, &clock, cycle.window, second)?;
        let outcome: Option<Decision> =
            native::probing_sample(&mut core, &clock.view(cycle.window), cycle.probes.1);
        let outcome = outcome.expect("an outcome after two round trips");
        prop_assert_eq!(outcome.guess(), guess(&effects));
        let window = effects.iter().find_map(|e| match e {
            Effect::Recover(window) | Effect::GoBack(window) => Some(*window),
            _ => None,
        });
        close(outcome.window, window.expect("a window"))?;
        clock.now += 10_000;
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn probing_of_the_kernel_is_that_of_the_simulator(cycles in cycles()) {
        probing(&cycles)?;
    }
}
