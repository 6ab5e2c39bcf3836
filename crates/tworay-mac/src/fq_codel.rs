//! FQ-CoDel: flows in queues of their own, served in turn, each kept short by CoDel (RFC 8290).
//!
//! A flow that sends little finds its queue empty and goes before the others: its queue is new. A queue that has
//! used up its quantum becomes old. ECN marks (RFC 8290 §5.2.7) aren't modelled: packets are dropped.

use crate::codel::{Codel, CodelConfig, Head};
use std::collections::VecDeque;
use tworay_base::{ConfigProblem, SimTime};

/// Settings of FQ-CoDel, with the defaults of RFC 8290 §5.2.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct FqCodelConfig {
    /// Packets in all queues, at least 1.
    pub limit: u32,
    /// Queues, 1 to 65,536. Flows whose hashes agree share one.
    pub queues: u32,
    /// Bytes that a queue may send before it is another's turn, at least 1.
    pub quantum: u32,
    /// CoDel in each queue.
    pub codel: CodelConfig,
}

impl Default for FqCodelConfig {
    fn default() -> Self {
        Self { limit: 10_240, queues: 1_024, quantum: 1_514, codel: CodelConfig::default() }
    }
}

impl FqCodelConfig {
    /// Checks ranges. On error: the key, what is wrong, what to do.
    pub fn validate(&self) -> Result<(), ConfigProblem> {
        let none = |key: &str, remedy: &str| ConfigProblem::refuse(key, "0 leaves nothing to serve", remedy);
        if self.limit == 0 {
            return none("limit", "use 1 or more packets (usual: 10240)");
        }
        if self.quantum == 0 {
            return none("quantum", "use 1 or more bytes (usual: 1514)");
        }
        if !(1..=65_536).contains(&self.queues) {
            let problem = format!("{} queues", self.queues);
            return ConfigProblem::refuse("queues", problem, "use 1 to 65536 (usual: 1024)");
        }
        if self.codel.interval.is_zero() || self.codel.target > self.codel.interval {
            let problem = format!("{} within {}", self.codel.target, self.codel.interval);
            return ConfigProblem::refuse("target", problem, "use a target below the interval (5ms, 100ms)");
        }
        Ok(())
    }
}

/// A packet to be queued.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Flowing<T> {
    /// The packet, or a handle of it.
    pub packet: T,
    /// Identifies its flow: addresses, ports and protocol in 64 bits. Flows are told apart by this number.
    pub flow: u64,
    /// Length of the network packet, bytes.
    pub bytes: u32,
}

#[derive(Clone, Debug)]
struct Waiting<T> {
    packet: T,
    bytes: u32,
    arrived: SimTime,
}

/// One queue.
#[derive(Clone, Debug)]
struct Queue<T> {
    packets: VecDeque<Waiting<T>>,
    bytes: u64,
    /// Bytes that it may still send in this turn.
    credit: i64,
    codel: Codel,
    /// True if it is in one of the lists.
    listed: bool,
}

impl<T> Queue<T> {
    fn pop(&mut self) -> Option<Waiting<T>> {
        let packet = self.packets.pop_front()?;
        self.bytes -= u64::from(packet.bytes);
        Some(packet)
    }
}

/// The queues of one interface.
#[derive(Clone, Debug)]
pub struct FqCodel<T> {
    config: FqCodelConfig,
    perturbation: u64,
    /// The queue of each hash, numbered from 1 in order of first use; 0: not yet used. Most hashes never are.
    numbers: Vec<u32>,
    queues: Vec<Queue<T>>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    len: usize,
}

impl<T> FqCodel<T> {
    /// Empty queues; `config` must be valid. `perturbation` is a random number that makes collisions of flows
    /// differ between runs (RFC 8290 §4.1).
    pub fn new(config: FqCodelConfig, perturbation: u64) -> Self {
        Self {
            config,
            perturbation,
            numbers: Vec::new(),
            queues: Vec::new(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            len: 0,
        }
    }

    /// Appends a packet. If there are too many now, the first packet of the queue with most bytes is returned:
    /// it is dropped (RFC 8290 §4.1).
    pub fn push(&mut self, now: SimTime, arriving: Flowing<T>) -> Option<T> {
        let at = self.queue_of(arriving.flow);
        let quantum = i64::from(self.config.quantum);
        let queue = &mut self.queues[at];
        queue.bytes += u64::from(arriving.bytes);
        queue.packets.push_back(Waiting { packet: arriving.packet, bytes: arriving.bytes, arrived: now });
        self.len += 1;
        if !queue.listed {
            queue.listed = true;
            queue.credit = quantum;
            self.new.push_back(at);
        }
        if self.len <= self.config.limit as usize { None } else { self.drop_from_longest() }
    }

    /// Bytes of the queue with most bytes.
    pub fn longest(&self) -> u64 {
        self.queues.iter().map(|queue| queue.bytes).max().unwrap_or(0)
    }

    /// Removes the first packet of the queue with most bytes, to make room (RFC 8290 §4.1).
    pub fn drop_from_longest(&mut self) -> Option<T> {
        // Of equally long ones the first used, so that runs repeat.
        let longest = self.queues.iter_mut().rev().max_by_key(|queue| queue.bytes)?;
        let waiting = longest.pop()?;
        self.len -= 1;
        Some(waiting.packet)
    }

    /// Index of the queue of `flow`, made on first use.
    fn queue_of(&mut self, flow: u64) -> usize {
        if self.numbers.is_empty() {
            self.numbers = vec![0; self.config.queues as usize];
        }
        // Fibonacci hashing, with the high half folded in first.
        let mixed = (flow ^ self.perturbation ^ (flow >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bucket = (((mixed >> 32) * u64::from(self.config.queues)) >> 32) as usize;
        if self.numbers[bucket] == 0 {
            self.queues.push(Queue {
                packets: VecDeque::new(),
                bytes: 0,
                credit: 0,
                codel: Codel::default(),
                listed: false,
            });
            self.numbers[bucket] = self.queues.len() as u32;
        }
        self.numbers[bucket] as usize - 1
    }

    /// Removes the next packet to send. Packets that CoDel drops before it are appended to `dropped`
    /// (RFC 8290 §4.2).
    pub fn pop(&mut self, now: SimTime, dropped: &mut Vec<T>) -> Option<T> {
        loop {
            let is_new = !self.new.is_empty();
            let at = *self.new.front().or(self.old.front())?;
            let queue = &mut self.queues[at];
            if queue.credit <= 0 {
                queue.credit += i64::from(self.config.quantum);
                self.unlist(is_new);
                self.old.push_back(at);
                continue;
            }
            let before = dropped.len();
            let Queue { packets, bytes, codel, credit, .. } = queue;
            let pop = || {
                let waiting = packets.pop_front()?;
                *bytes -= u64::from(waiting.bytes);
                let head = Head { arrived: waiting.arrived, bytes_left: *bytes };
                Some(((waiting.packet, waiting.bytes), head))
            };
            let mut lost = Vec::new();
            let taken = codel.dequeue(now, &self.config.codel, pop, &mut lost);
            dropped.extend(lost.into_iter().map(|(packet, _)| packet));
            self.len -= dropped.len() - before;
            if let Some((packet, bytes)) = taken {
                *credit -= i64::from(bytes);
                self.len -= 1;
                return Some(packet);
            }
            self.unlist(is_new);
            if is_new {
                // If it left the lists, a flow could be new, and go first, with every packet.
                self.old.push_back(at);
            } else {
                self.queues[at].listed = false;
            }
        }
    }

    fn unlist(&mut self, is_new: bool) {
        if is_new { &mut self.new } else { &mut self.old }.pop_front();
    }

    /// Removes the packets of which `goes` says so, and appends them to `out`.
    pub fn purge(&mut self, mut goes: impl FnMut(&T) -> bool, out: &mut Vec<T>) {
        let before = out.len();
        for queue in &mut self.queues {
            for waiting in std::mem::take(&mut queue.packets) {
                if goes(&waiting.packet) {
                    queue.bytes -= u64::from(waiting.bytes);
                    out.push(waiting.packet);
                } else {
                    queue.packets.push_back(waiting);
                }
            }
        }
        self.len -= out.len() - before;
    }

    /// Packets waiting.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if no packet waits.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes waiting.
    pub fn bytes(&self) -> u64 {
        self.queues.iter().map(|queue| queue.bytes).sum()
    }

    /// The waiting packets, queue by queue.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.queues.iter().flat_map(|queue| queue.packets.iter().map(|waiting| &waiting.packet))
    }
}

#[cfg(test)]
mod tests;
