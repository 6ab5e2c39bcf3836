use super::*;

/// Advice about other flows is for scenarios that have some, and a longer queue helps no packet that waits for an address.
#[test]
fn advice_names_only_what_the_scenario_has() {
    for cause in [LossCause::Congestion, LossCause::Contention] {
        for arp in [false, true] {
            let alone = remedy(cause, Load { alone: true, arp });
            assert!(!alone.contains("other"), "{cause:?}, {arp}: {alone}");
        }
    }
    for alone in [false, true] {
        let advice = remedy(LossCause::Congestion, Load { alone, arp: true });
        assert!(advice.contains("ARP") && !advice.contains("queue"), "{advice}");
    }
}
