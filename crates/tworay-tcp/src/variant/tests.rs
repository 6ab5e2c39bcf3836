use super::*;
use crate::config::IdleRestart;
use crate::parts::{Event, Meaning};

#[test]
fn names_are_read_back_in_canonical_form() {
    for (text, name, recovery) in [
        ("tahoe", "tahoe", RecoveryKind::Tahoe),
        (" NewReno ", "newreno", RecoveryKind::NewReno),
        ("sack+RACK-TLP+prr", "sack+rack-tlp+prr", RecoveryKind::Sack),
        ("rack", "rack", RecoveryKind::Sack),
        ("f-rto", "f-rto", RecoveryKind::NewReno),
        ("linux+cubic", "linux+cubic", RecoveryKind::Sack),
        // No recovery is named: the first that suits all.
        ("cubic+prr", "sack+cubic+prr", RecoveryKind::Sack),
        ("hystart++(0)+rack", "sack+hystart++(0)+rack", RecoveryKind::Sack),
        ("newreno+hystart+++eifel", "newreno+hystart+++eifel", RecoveryKind::NewReno),
        ("reno", "reno", RecoveryKind::Reno),
        ("sack", "sack", RecoveryKind::Sack),
    ] {
        let variant: Variant = text.parse().expect(text);
        assert_eq!((variant.name(), variant.recovery()), (name, recovery));
    }
}

#[test]
fn wrong_names_say_what_is_wrong_and_what_is_near() {
    for (text, message) in [
        ("neweno", "\"neweno\": there is no variant neweno; did you mean newreno?"),
        (
            "kernel:cubic",
            "\"kernel:cubic\": there is no variant kernel:cubic; kernels send all flows of an arm: `tworay compare --tcp \
             kernel:cubic,newreno`; one run is `tworay live run --virtual --congestion cubic`",
        ),
        ("sac", "\"sac\": there is no variant sac; did you mean sack?"),
        ("reno+tahoe", "\"reno+tahoe\": reno and tahoe are both recoveries; keep one of them"),
        (
            "newreno+rack",
            "\"newreno+rack\": rack cannot be combined with newreno: it needs to know which segments have arrived; \
             combine it with sack",
        ),
        ("linux+prr", "\"linux+prr\": prr is in linux already; leave prr out"),
        ("rack+rack-tlp", "\"rack+rack-tlp\": rack-tlp is in sack+rack already; leave rack-tlp out"),
        ("linux+sack", "\"linux+sack\": linux and sack are both recoveries; keep one of them"),
        ("newreno(3)", "\"newreno(3)\": newreno takes no parameter and got 1; remove the extra ones"),
        ("reno(", "\"reno(\": the parenthesis of reno( is not closed; write reno()"),
    ] {
        assert_eq!(text.parse::<Variant>().expect_err(text).to_string(), message);
    }
    assert!("".parse::<Variant>().is_err());
}

#[test]
fn every_entry_is_described() {
    for info in registry() {
        assert!(!info.summary.is_empty() && !info.source.is_empty(), "{}", info.name);
        assert!(info.name.parse::<Variant>().is_ok() || info.parameters.iter().any(|p| p.default.is_none()));
        for p in info.parameters {
            assert!(
                p.min <= p.max && p.default.is_none_or(|d| (p.min..=p.max).contains(&d)),
                "{}",
                info.name
            );
        }
    }
}

/// Rules cover what a variant asks for: whoever needs an event has a rule for it, and nobody has a rule for an
/// event that it never gets.
#[test]
fn every_variant_says_what_it_does() {
    for entry in registry::ENTRIES {
        let (name, rules) = (entry.info.name, entry.info.rules);
        let has = |event: Event| rules.iter().any(|rule| rule.event == event);
        assert!(!rules.is_empty(), "{name} has no rule");
        for rule in rules {
            let lengths = (rule.action.len(), rule.source.len());
            assert!((10..=160).contains(&lengths.0) && (5..=80).contains(&lengths.1), "{name}: {rule:?}");
        }
        match entry.meaning {
            Meaning::Recovery(_) => {
                assert!([Event::Ack, Event::Loss, Event::Timeout].into_iter().all(has), "{name}");
            }
            Meaning::Part(part) => {
                for (need, event) in [
                    (Needs::NOTICES, Event::Notice),
                    (Needs::ROUTES, Event::Route),
                    (Needs::WINDOWS, Event::PeerWindow),
                    (Needs::PROBES, Event::Probe),
                ] {
                    assert_eq!(part.needs.contains(need), has(event), "{name}: {event:?}");
                }
                if part.needs.contains(Needs::REPORTS) {
                    assert!(has(Event::Report) || has(Event::Receiver), "{name}");
                }
                let decides = match part.role {
                    Role::Growth | Role::Start => has(Event::Ack) || has(Event::Round),
                    Role::Reduction | Role::Whole | Role::Avoidance => {
                        has(Event::Loss)
                            || has(Event::Timeout)
                            || has(Event::Notice)
                            || has(Event::PeerWindow)
                    }
                    Role::Limit => has(Event::Send) || has(Event::Hops),
                    Role::Pace => has(Event::Send),
                    Role::Acks => has(Event::Receiver),
                    Role::LimitAndAcks => has(Event::Send) && has(Event::Receiver),
                };
                assert!(decides, "{name} has no rule for what it decides");
                assert_eq!(recoveries(name), part.with, "{name}");
            }
            Meaning::Repair(_) | Meaning::Preset(_) => {}
        }
    }
}

#[test]
fn a_variant_is_spelt_out_alike_however_it_is_written() {
    for (spellings, whole) in [
        (&["newreno", "NewReno", " newreno "][..], "newreno"),
        (&["sca", "sca(10)", "newreno+sca(10)", "SCA(10)"], "newreno+sca"),
        (&["newreno+cwl(5)+elfn", "newreno+elfn+cwl(n=5)", "NewReno+elfn+cwl(5)"], "newreno+cwl(5)+elfn"),
        (&["westwood", "newreno+westwood"], "newreno+westwood"),
        (&["vegas"], "vegas"),
        (&["rack", "sack+rack"], "sack+rack"),
        (&["linux+cubic"], "linux+cubic"),
    ] {
        for spelling in spellings {
            assert_eq!(spelling.parse::<Variant>().expect(spelling).spelt_out(), whole, "{spelling}");
        }
    }
    assert_ne!("sca(10)".parse::<Variant>().unwrap().spelt_out(), "reno+sca(10)");
}

/// No preset or part decays the window after idle times where the scenario keeps it.
#[test]
fn what_a_scenario_keeps_over_idle_times_every_variant_keeps() {
    let keeps = TcpConfig { idle_restart: IdleRestart::Off, ..TcpConfig::default() };
    for info in registry() {
        let values: Vec<String> =
            info.parameters.iter().filter(|p| p.default.is_none()).map(|p| p.min.to_string()).collect();
        let text = if values.is_empty() {
            info.name.to_owned()
        } else {
            format!("{}({})", info.name, values.join(","))
        };
        let variant: Variant = text.parse().expect(&text);
        assert_eq!(variant.configured(&keeps).idle_restart, IdleRestart::Off, "{text}");
    }
}
