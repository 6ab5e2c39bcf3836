//! Under any sequence of inputs, no packet is stuck, lost or sent twice at once.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;
use tworay_base::Purpose;

const ME: NodeId = NodeId(0);

/// The next event around the station.
#[derive(Clone, Debug)]
enum Input {
    Busy(u64),
    Reserve(u64),
    Error(RxError),
    /// Kind, whether for this station, reservation in µs, number, retry, protected, whether the medium was
    /// busy before it.
    Hear(FrameKind, To, u64, u16, bool, bool, bool),
    Offer(To, u32),
}

#[derive(Copy, Clone, Debug, PartialEq)]
enum To {
    Me,
    Other,
    All,
}

fn to() -> impl Strategy<Value = To> {
    prop_oneof![4 => Just(To::Me), 1 => Just(To::Other), 1 => Just(To::All)]
}

fn input() -> impl Strategy<Value = Input> {
    use FrameKind::*;
    let kind = prop_oneof![2 => Just(Rts), 4 => Just(Cts), 4 => Just(Ack), 3 => Just(Data)];
    let hear = (kind, to(), 0u64..8000, 0u16..3, any::<bool>(), any::<bool>(), any::<bool>());
    prop_oneof![
        2 => (1u64..3000).prop_map(Input::Busy),
        1 => (0u64..3000).prop_map(Input::Reserve),
        1 => prop_oneof![Just(RxError::Corrupt), Just(RxError::Undecodable)].prop_map(Input::Error),
        6 => hear.prop_map(|(k, t, d, n, r, p, b)| Input::Hear(k, t, d, n, r, p, b)),
        4 => (to(), 20u32..1500).prop_map(|(t, bytes)| Input::Offer(t, bytes)),
    ]
}

/// Any combination of quirks.
fn quirks() -> impl Strategy<Value = MacQuirks> {
    let mixed = any::<u32>().prop_map(|bits| {
        let on = |i: u32| bits >> i & 1 == 1;
        MacQuirks {
            backoff_below_cw: on(0),
            backoff_always: on(1),
            eifs_is_nav: on(2),
            eifs_after_undecodable: on(3),
            cts_needs_idle_after_sifs: on(4),
            cts_waits_for_data: on(5),
            data_needs_cts: on(6),
            only_timeout_ends_wait: on(7),
            exact_response_timeout: on(8),
            duplicate_by_number_only: on(9),
            four_address_header: on(10),
            threshold_counts_plcp: on(11),
            queue_one_short: on(12),
            data_needs_idle_after_sifs: on(13),
            instant_carrier_sense: on(14),
            no_backoff_after_give_up: on(15),
            retries_outlive_packet: on(16),
            responses_at_basic_rate: on(17),
        }
    });
    prop_oneof![1 => Just(MacQuirks::STANDARD), 1 => Just(MacQuirks::NS2), 1 => mixed]
}

/// A station with its timers, and the outcome of each packet.
struct World {
    mac: Dcf,
    now: SimTime,
    timers: BTreeMap<u8, SimTime>,
    waiting: Vec<Outgoing>,
    offered: u32,
    done: Vec<PacketId>,
    readies: usize,
    /// Recursion depth: a station that becomes ready gets the next packet at once.
    depth: usize,
}

impl World {
    fn with(&mut self, input: impl FnOnce(&mut Dcf, SimTime, &mut Vec<MacAction>)) {
        let mut out = Vec::new();
        let sending = self.mac.tx_until;
        self.depth += 1;
        input(&mut self.mac, self.now, &mut out);
        self.arm();
        let mut sends = 0;
        for action in out {
            match action {
                MacAction::Transmit(frame) => {
                    sends += 1;
                    assert!(sending <= self.now && sends == 1, "sends {frame:?} while transmitting");
                    assert_eq!(self.mac.tx_until, self.now + frame.airtime);
                }
                MacAction::Deliver { .. } | MacAction::Unanswered { .. } => {}
                MacAction::Sent { packet } | MacAction::GaveUp(GiveUp { packet, .. }) => {
                    self.done.push(packet)
                }
                MacAction::Ready => {
                    self.readies += 1;
                    self.feed();
                }
            }
        }
        self.depth -= 1;
        if self.depth == 0 {
            self.check();
        }
    }

    /// Sets the timers to the station's deadlines.
    fn arm(&mut self) {
        let wanted = [
            (MacTimer::Contention, self.mac.contention_deadline()),
            (MacTimer::Exchange, self.mac.exchange_deadline()),
        ];
        for (timer, at) in wanted {
            if at == SimTime::NEVER {
                self.timers.remove(&(timer as u8));
            } else {
                assert!(at >= self.now, "{timer:?} armed for the past");
                self.timers.insert(timer as u8, at);
            }
        }
    }

    fn feed(&mut self) {
        if self.mac.is_free() && !self.waiting.is_empty() {
            let packet = self.waiting.remove(0);
            self.with(|mac, now, _| mac.offer(now, packet));
        }
    }

    fn check(&self) {
        let armed = |t: MacTimer| self.timers.get(&(t as u8)).copied();
        if self.mac.exchange != Exchange::None {
            assert!(armed(MacTimer::Exchange).is_some(), "nothing drives {:?}", self.mac.exchange);
        }
        if self.mac.current.is_some() && self.mac.exchange == Exchange::None {
            assert!(armed(MacTimer::Contention).is_some(), "a packet waits for nothing");
        }
        assert!((self.mac.cw_min..=self.mac.cw_max).contains(&self.mac.cw));
        assert!(self.mac.late_ack.is_none() || self.mac.exchange != Exchange::None, "an ACK is stuck");
    }

    fn advance(&mut self, until: SimTime) {
        while let Some((&timer, &at)) = self.timers.iter().min_by_key(|(timer, at)| (**at, **timer))
            && at <= until
        {
            self.timers.remove(&timer);
            self.now = at;
            let timer =
                if timer == MacTimer::Contention as u8 { MacTimer::Contention } else { MacTimer::Exchange };
            self.with(|mac, now, out| mac.on_timer(now, timer, out));
        }
        self.now = until;
    }

    fn busy(&mut self, micros: u64) {
        let (now, until) = (self.now, self.now + SimDuration::from_micros(micros));
        let before = self.mac.contention_deadline();
        self.mac.on_busy(now, until);
        assert!(self.mac.contention_deadline() >= before, "a busy medium can only put off");
        self.arm();
        self.check();
    }

    fn take(&mut self, input: Input) {
        let address = |to: To, other: u16| match to {
            To::Me => ME,
            To::Other => NodeId(other),
            To::All => NodeId::BROADCAST,
        };
        match input {
            Input::Busy(micros) => self.busy(micros),
            Input::Reserve(micros) => {
                let until = self.now + SimDuration::from_micros(micros);
                let before = self.mac.contention_deadline();
                self.with(|mac, now, _| mac.reserve(now, until));
                assert!(self.mac.contention_deadline() >= before, "a reservation can only put off");
            }
            // A transmitting station receives nothing, not even errors.
            Input::Error(_) | Input::Hear(..) if self.mac.is_transmitting(self.now) => {}
            Input::Error(error) => {
                let before = self.mac.contention_deadline();
                self.with(|mac, now, _| mac.on_rx_error(now, error));
                assert!(self.mac.contention_deadline() >= before, "an error can only put off");
            }
            Input::Hear(kind, to, reserves, number, retry, protected, sensed) => {
                let frame = Frame {
                    kind,
                    from: NodeId(1 + number),
                    to: address(to, 9),
                    duration: SimDuration::from_micros(reserves),
                    number,
                    retry,
                    protected,
                    packet: (kind == FrameKind::Data).then_some(PacketId(7_000_000)),
                    bytes: 14,
                    airtime: SimDuration::from_micros(304),
                };
                if sensed {
                    self.busy(304);
                    let end = self.now + frame.airtime;
                    self.advance(end);
                }
                if !self.mac.is_transmitting(self.now) {
                    self.with(|mac, now, out| mac.on_frame(now, &frame, out));
                }
            }
            Input::Offer(to, ip_bytes) => {
                self.offered += 1;
                let to = address(if to == To::Me { To::Other } else { to }, 1);
                self.waiting.push(Outgoing { packet: PacketId(self.offered), to, ip_bytes });
                self.feed();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5000, ..ProptestConfig::default() })]

    /// Inputs of all kinds at any time, then silence: each packet is sent or given up, exactly once, in
    /// order.
    #[test]
    fn every_packet_comes_to_exactly_one_end(
        quirks in quirks(),
        threshold in prop_oneof![Just(0u64), Just(500), Just(3000)],
        seed in any::<u64>(),
        script in proptest::collection::vec((prop_oneof![Just(0u64), Just(10), 0..400u64, 0..20_000u64], input()), 0..60),
    ) {
        let config = MacConfig { rts_threshold: tworay_base::Bytes(threshold), cw_max: 63, ..MacConfig::default() };
        let mut world = World {
            mac: Dcf::with_quirks(&config, quirks, ME, RngStream::new(seed, ME, Purpose::Backoff)),
            now: SimTime::ZERO,
            timers: BTreeMap::new(),
            waiting: Vec::new(),
            offered: 0,
            done: Vec::new(),
            readies: 0,
            depth: 0,
        };
        for (pause, input) in script {
            let until = world.now + SimDuration::from_micros(pause);
            world.advance(until);
            world.take(input);
        }
        let silence = world.now + SimDuration::from_secs(30);
        world.advance(silence);
        let all: Vec<PacketId> = (1..=world.offered).map(PacketId).collect();
        prop_assert_eq!(&world.done, &all);
        prop_assert_eq!(world.readies, all.len());
        prop_assert!(world.mac.is_free() && world.timers.is_empty());
        prop_assert_eq!(world.mac.exchange, Exchange::None);
    }
}
