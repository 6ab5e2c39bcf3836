use super::*;
use proptest::prelude::*;
use tworay_base::SimDuration;

/// A packet as (flow, number).
type Packet = (u64, u32);

fn millis(t: u64) -> SimTime {
    SimTime::from_nanos(t * 1_000_000)
}

fn queues() -> FqCodel<Packet> {
    FqCodel::new(FqCodelConfig::default(), 0)
}

/// Queues `n` packets of `bytes` of a flow.
fn fill(q: &mut FqCodel<Packet>, now: SimTime, flow: u64, n: u32, bytes: u32) {
    for number in 0..n {
        assert_eq!(q.push(now, Flowing { packet: (flow, number), flow, bytes }), None);
    }
}

/// Takes `n` packets at once.
fn take(q: &mut FqCodel<Packet>, now: SimTime, n: usize) -> Vec<Packet> {
    let mut dropped = Vec::new();
    let taken = (0..n).map_while(|_| q.pop(now, &mut dropped)).collect();
    assert!(dropped.is_empty());
    taken
}

/// §4.2, deficit round robin: a queue sends until its quantum of 1,514 bytes is used up, the last packet in
/// full.
#[test]
fn flows_take_turns_by_bytes() {
    let mut q = queues();
    fill(&mut q, millis(0), 1, 8, 1_514);
    fill(&mut q, millis(0), 2, 40, 300);
    let flows: Vec<u64> = take(&mut q, millis(1), 14).iter().map(|p| p.0).collect();
    // 1,514 / 300: 6 packets overdraw by 286 bytes, so that the next turns have 5 packets.
    assert_eq!(flows, [1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 1]);
}

/// Over many turns the bytes agree to within a quantum and a packet, whatever the sizes of packets.
#[test]
fn bytes_are_shared_equally() {
    let mut q = queues();
    for (flow, bytes) in [(1, 1_500), (2, 700), (3, 64)] {
        fill(&mut q, millis(0), flow, 2_000, bytes);
    }
    let mut sent = [0u64; 4];
    for (flow, _) in take(&mut q, millis(1), 1_500) {
        sent[flow as usize] += [0, 1_500, 700, 64][flow as usize];
    }
    let most = sent[1..].iter().max().expect("three flows");
    let least = sent[1..].iter().min().expect("three flows");
    assert!(most - least <= 1_514 + 1_500, "{sent:?}");
}

/// §4.2: a flow whose queue was empty goes before those that stand.
#[test]
fn a_sparse_flow_goes_first() {
    let mut q = queues();
    fill(&mut q, millis(0), 1, 100, 1_514);
    take(&mut q, millis(1), 3);
    fill(&mut q, millis(1), 2, 1, 100);
    assert_eq!(take(&mut q, millis(1), 2), [(2, 0), (1, 3)]);
}

/// §4.2: an emptied new queue waits in the old list for its turn, so that a flow which sends one packet at a time
/// isn't served before the others each time. Flow 1 is old after 16 packets, and has 1,328 bytes of its second
/// quantum left after the 17th: enough for all this.
#[test]
fn a_flow_that_sends_one_by_one_goes_first_only_once() {
    let mut q = queues();
    fill(&mut q, millis(0), 1, 100, 100);
    take(&mut q, millis(1), 17);
    let mut flows = Vec::new();
    for _ in 0..3 {
        fill(&mut q, millis(1), 2, 1, 100);
        flows.extend(take(&mut q, millis(1), 2).iter().map(|p| p.0));
    }
    assert_eq!(flows, [2, 1, 1, 1, 1, 1]);
}

/// A flow that is never empty when it is its turn gets its share of bytes and no more.
#[test]
fn a_flow_that_is_always_refilled_gets_its_share() {
    let mut q = queues();
    fill(&mut q, millis(0), 1, 200, 1_514);
    let mut sent = [0i64; 3];
    for _ in 0..200 {
        fill(&mut q, millis(1), 2, 1, 1_000);
        let flow = take(&mut q, millis(1), 1)[0].0;
        sent[flow as usize] += [0, 1_514, 1_000][flow as usize];
    }
    assert!((sent[1] - sent[2]).abs() <= 2 * 1_514, "{sent:?}");
}

/// §4.1: beyond the limit, the first packet of the queue with most bytes is dropped, not the newest.
#[test]
fn overflow_drops_from_the_longest_queue() {
    let config = FqCodelConfig { limit: 10, ..FqCodelConfig::default() };
    let mut q = FqCodel::new(config, 0);
    fill(&mut q, millis(0), 1, 6, 300);
    fill(&mut q, millis(0), 2, 4, 1_514);
    let packet = Flowing { packet: (3, 0), flow: 3, bytes: 64 };
    assert_eq!(q.push(millis(0), packet), Some((2, 0)), "6,056 bytes are more than 1,800");
    assert_eq!((q.len(), q.bytes()), (10, 6 * 300 + 3 * 1_514 + 64));
}

/// RFC 8289: a flow that keeps its queue above 5 ms loses packets; another with an empty queue none. A packet
/// every 2 ms leaves; flow 1 sends one every ms, flow 2 one in 20 ms.
#[test]
fn codel_shortens_the_queue_of_the_flow_that_fills_it() {
    let mut q = queues();
    let (mut dropped, mut worst) = (Vec::new(), SimDuration::ZERO);
    let mut sent = std::collections::BTreeMap::new();
    for t in 0..4_000u64 {
        for (flow, every) in [(1, 1), (2, 20)] {
            if t % every == 0 {
                let packet = (flow, t as u32);
                sent.insert(packet, millis(t));
                assert_eq!(q.push(millis(t), Flowing { packet, flow, bytes: 1_000 }), None);
            }
        }
        if t % 2 == 0
            && let Some(packet) = q.pop(millis(t), &mut dropped)
            && packet.0 == 2
        {
            worst = worst.max(millis(t).since(sent[&packet]));
        }
    }
    assert!(dropped.len() > 100, "{} dropped", dropped.len());
    assert!(dropped.iter().all(|packet| packet.0 == 1));
    assert!(worst <= SimDuration::from_millis(4), "the sparse flow waited {worst}");
}

#[test]
fn flows_have_queues_of_their_own_unless_hashes_collide() {
    let one = FqCodelConfig { queues: 1, ..FqCodelConfig::default() };
    let mut q = FqCodel::new(one, 0);
    fill(&mut q, millis(0), 1, 3, 1_514);
    fill(&mut q, millis(0), 2, 1, 100);
    assert_eq!(take(&mut q, millis(0), 4), [(1, 0), (1, 1), (1, 2), (2, 0)], "one queue is a FIFO");
    // 64 flows in 1,024 queues: 2 pairs collide on average (64 × 63 / 2 / 1,024).
    for perturbation in [0, 1, 0x1234_5678_9abc_def0] {
        let mut q: FqCodel<Packet> = FqCodel::new(FqCodelConfig::default(), perturbation);
        let used: std::collections::BTreeSet<usize> = (0..64u64).map(|flow| q.queue_of(flow << 8)).collect();
        assert!(used.len() > 50, "{} queues for 64 flows", used.len());
    }
}

#[test]
fn purging_takes_out_what_a_lost_neighbour_will_not_get() {
    let mut q = queues();
    fill(&mut q, millis(0), 1, 4, 100);
    fill(&mut q, millis(0), 2, 2, 200);
    let mut out = Vec::new();
    q.purge(|packet| packet.0 == 1 || packet.1 == 1, &mut out);
    assert_eq!(out.len(), 5);
    assert_eq!((q.len(), q.bytes(), q.iter().count()), (1, 200, 1));
    assert_eq!(take(&mut q, millis(0), 9), [(2, 0)]);
    assert!(q.is_empty());
}

#[test]
fn settings_out_of_range_are_refused() {
    let ok = FqCodelConfig::default();
    assert_eq!(ok.validate(), Ok(()));
    let key = |config: FqCodelConfig| config.validate().expect_err("out of range").key;
    assert_eq!(key(FqCodelConfig { limit: 0, ..ok }), "limit");
    assert_eq!(key(FqCodelConfig { quantum: 0, ..ok }), "quantum");
    assert_eq!(key(FqCodelConfig { queues: 0, ..ok }), "queues");
    let codel = CodelConfig { target: SimDuration::from_millis(200), ..ok.codel };
    assert_eq!(key(FqCodelConfig { codel, ..ok }), "target");
}

proptest! {
    /// No packet is lost or doubled, flows keep their order, and the length is right at all times.
    #[test]
    fn every_packet_leaves_once(steps in proptest::collection::vec((0..6u64, 1..1_514u32, 0..3u8), 1..400)) {
        let config = FqCodelConfig { limit: 20, queues: 4, ..FqCodelConfig::default() };
        let mut q = FqCodel::new(config, 99);
        let (mut pushed, mut left) = (Vec::new(), Vec::new());
        for (i, (flow, bytes, pops)) in (0u32..).zip(steps) {
            let now = millis(u64::from(i) * 30);
            let packet = (flow, i);
            pushed.push(packet);
            left.extend(q.push(now, Flowing { packet, flow, bytes }));
            for _ in 0..pops {
                let mut dropped = Vec::new();
                let taken = q.pop(now, &mut dropped);
                left.extend(dropped);
                left.extend(taken);
            }
            prop_assert_eq!(q.len(), pushed.len() - left.len());
            prop_assert_eq!(q.iter().count(), q.len());
        }
        let mut dropped = Vec::new();
        while let Some(packet) = q.pop(millis(99_999_999), &mut dropped) {
            left.push(packet);
        }
        left.extend(dropped);
        for flow in 0..6 {
            let numbers: Vec<u32> = left.iter().filter(|p| p.0 == flow).map(|p| p.1).collect();
            prop_assert!(numbers.len() == pushed.iter().filter(|p| p.0 == flow).count());
        }
        left.sort_unstable();
        pushed.sort_unstable();
        prop_assert_eq!(left, pushed);
    }
}
