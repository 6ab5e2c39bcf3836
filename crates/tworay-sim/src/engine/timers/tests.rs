use super::*;
use proptest::prelude::*;

#[derive(Copy, Clone)]
struct Ev(Firing);
impl Packed for Ev {
    fn pack(self) -> u64 {
        self.0.slot.into()
    }
    fn unpack(word: u64) -> Self {
        Ev(Firing { slot: word as TimerSlot })
    }
}
impl From<Firing> for Ev {
    fn from(f: Firing) -> Self {
        Ev(f)
    }
}

proptest! {
    /// A timer fires exactly at its last deadline, whatever changes came before.
    #[test]
    fn fires_exactly_at_the_last_deadline(
        ops in proptest::collection::vec((0usize..4, prop_oneof![Just(None), (1u64..60).prop_map(Some)], 0u64..8), 1..80)
    ) {
        let mut q: EventQueue<Ev> = EventQueue::default();
        let mut table = TimerTable::default();
        table.add(4);
        let mut want = [SimTime::NEVER; 4];
        let mut clock = 0u64;
        for (slot, ahead, wait) in ops {
            match ahead {
                Some(d) => {
                    want[slot] = SimTime::from_nanos(clock + d);
                    table.set(slot as u32, want[slot], &mut q);
                }
                None => {
                    want[slot] = SimTime::NEVER;
                    table.clear(slot as u32);
                }
            }
            clock += wait;
            while q.peek_time() <= SimTime::from_nanos(clock) {
                let (now, Ev(f)) = q.pop().expect("peeked");
                if table.fires(now, f, &mut q) {
                    prop_assert_eq!(want[f.slot as usize], now);
                    want[f.slot as usize] = SimTime::NEVER;
                }
            }
            for w in want {
                prop_assert!(w > SimTime::from_nanos(clock), "a timer was missed");
            }
        }
    }
}
