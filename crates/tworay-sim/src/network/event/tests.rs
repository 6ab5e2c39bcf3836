use super::*;
use proptest::prelude::*;

fn event() -> impl Strategy<Value = Event> {
    let what =
        prop_oneof![Just(AppEvent::Start), Just(AppEvent::Stop), Just(AppEvent::Tick), Just(AppEvent::On),];
    let hop = (0u32..1 << PACKET_BITS, any::<u16>(), any::<u16>())
        .prop_map(|(p, a, b)| (PacketId(p), NodeId(a), NodeId(b)));
    prop_oneof![
        any::<u32>().prop_map(|slot| Event::Timer(Firing { slot })),
        any::<u32>().prop_map(Event::Begin),
        any::<u32>().prop_map(Event::End),
        hop.clone().prop_map(|(packet, node, from)| Event::Up { packet, node, from }),
        hop.clone().prop_map(|(packet, node, next_hop)| Event::Down { packet, node, next_hop }),
        hop.clone().prop_map(|(packet, node, next_hop)| Event::Forward { packet, node, next_hop }),
        hop.clone().prop_map(|(packet, node, _)| Event::Launch { packet, node }),
        hop.prop_map(|(packet, wire, _)| Event::WireArrival { wire: wire.0, packet }),
        (any::<u16>(), what).prop_map(|(flow, what)| Event::App { flow, what }),
        any::<u16>().prop_map(Event::WireFree),
        any::<u16>().prop_map(Event::Switch),
        any::<u16>().prop_map(Event::Cut),
        any::<u16>().prop_map(Event::Mend),
        Just(Event::Warm),
    ]
}

proptest! {
    #[test]
    fn every_event_comes_back_as_it_was(event in event()) {
        prop_assert_eq!(Event::unpack(event.pack()), event);
    }
}
