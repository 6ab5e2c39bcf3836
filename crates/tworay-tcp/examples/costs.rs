//! Counts what the sender's operations cost in instructions, variant by variant, and prints the table
//! that ships as `src/costs.csv`: `cargo run --release -p tworay-tcp --example costs > costs.csv`.
//!
//! The program runs itself under `valgrind --tool=callgrind`, which counts executed instructions
//! exactly, so the figures don't depend on what else the machine does. A script drives one sender with
//! hand-made ACKs. Each script is run with n and with 2n rounds: the difference is what n rounds cost,
//! without start-up. What a round contains besides its own operation is taken off at its own cost.

use std::process::{Command, ExitCode};
use tworay_base::{NodeId, Purpose, RngStream, Seq32, SimDuration, SimTime};
use tworay_tcp::{
    Amount, Arrival, Connection, Handshake, Operation, Ports, Side, TcpAction, TcpConfig, TcpTimer, Timing,
    Variant,
};
use tworay_wire::{SackBlock, TcpFlags, TcpOptions, TcpSegment};

const ROUNDS: u64 = 2_000;
const MSS: u64 = 1460;

/// A sender under hand-made ACKs.
struct Bench {
    sender: Connection,
    config: TcpConfig,
    now: SimTime,
    acked: u64,
    /// Duplicates since the last new ACK, and one.
    dups: u32,
    actions: Vec<TcpAction>,
}

impl Bench {
    fn new(variant: &Variant, ssthresh: Option<f64>, timing: Timing) -> Self {
        let config = TcpConfig {
            handshake: Handshake::None,
            initial_ssthresh: ssthresh,
            timing,
            timestamps: false,
            ..TcpConfig::default()
        };
        let ports = Ports { local: 1, remote: 2 };
        let rng = RngStream::new(1, NodeId(0), Purpose::Tcp);
        let mut bench = Self {
            sender: Connection::new(&config, variant, Side::Active, ports, rng),
            config,
            now: SimTime::ZERO + SimDuration::from_secs(1),
            acked: 0,
            dups: 1,
            actions: Vec::with_capacity(256),
        };
        bench.sender.open(bench.now, &mut bench.actions);
        bench.sender.write(bench.now, Amount::Endless, &mut bench.actions);
        bench.actions.clear();
        bench
    }

    /// An ACK for `segments` more, or a duplicate.
    fn ack(&mut self, segments: u64) {
        self.acked += segments * MSS;
        let segment = TcpSegment {
            src_port: 2,
            dst_port: 1,
            seq: Seq32(self.config.iss.wrapping_add(1)),
            ack: Seq32(self.config.iss.wrapping_add(1 + self.acked as u32)),
            flags: TcpFlags::ACK,
            window: self.config.window_bytes() as u32,
            payload: 0,
            options: TcpOptions::default(),
        };
        let mut segment = segment;
        if segments == 0 {
            // The segment after the gap has arrived.
            let left = self.config.iss.wrapping_add(1 + (self.acked + MSS) as u32);
            let block =
                SackBlock { left: Seq32(left), right: Seq32(left.wrapping_add(MSS as u32 * self.dups)) };
            segment.options.sack.push(block);
            self.dups = (self.dups + 1).min(3);
        } else {
            self.dups = 1;
        }
        self.now += SimDuration::from_millis(5);
        self.sender.on_segment(self.now, &segment, Arrival { ttl_left: 60, hops: 4 }, &mut self.actions);
        self.actions.clear();
    }

    fn in_flight(&self) -> u64 {
        self.sender.snapshot().flight_segments
    }

    /// New ACKs until enough is in flight for three duplicates.
    fn refill(&mut self, segments: u64) {
        for _ in 0..64 {
            if self.in_flight() >= segments {
                break;
            }
            self.ack(1.min(self.in_flight()));
        }
    }

    fn round(&mut self, script: Operation) {
        match script {
            Operation::DupAck => self.ack(0),
            Operation::FastRetransmit => {
                self.refill(6);
                (0..3).for_each(|_| self.ack(0));
                self.ack(self.in_flight());
            }
            Operation::RecoveryAck => {
                self.refill(10);
                (0..3).for_each(|_| self.ack(0));
                (0..4).for_each(|_| self.ack(1));
                self.ack(self.in_flight());
            }
            Operation::Timeout => {
                self.now += SimDuration::from_secs(100);
                self.sender.on_timer(self.now, TcpTimer::Retransmit, &mut self.actions);
                self.actions.clear();
            }
            Operation::Probe => {
                self.now += SimDuration::from_secs(100);
                self.sender.on_timer(self.now, TcpTimer::Variant, &mut self.actions);
                self.actions.clear();
            }
            _ => self.ack(1),
        }
    }
}

/// One script, to be counted from outside: prints what it did.
fn perform(variant: &str, script: usize, rounds: u64) -> Option<()> {
    let variant: Variant = variant.parse().ok()?;
    let operation = *Operation::ALL.get(script)?;
    let (ssthresh, timing) = match operation {
        Operation::AckSlowStart => (Some(1e12), Timing::OnePerWindow),
        Operation::RttSample => (Some(2.0), Timing::EverySegment),
        _ => (Some(2.0), Timing::OnePerWindow),
    };
    let mut bench = Bench::new(&variant, ssthresh, timing);
    // A window to work with, the same for every script.
    (0..200).for_each(|_| bench.ack(1));
    (0..rounds).for_each(|_| bench.round(operation));
    let done = bench.sender.counters().operations().map(|n| n.to_string());
    println!("{}", done.join(","));
    Some(())
}

/// Instructions and operations of a script.
fn count(variant: &str, script: Operation, rounds: u64) -> Option<(f64, Vec<f64>)> {
    let own = std::env::current_exe().ok()?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(own)
        .args([variant, &(script as usize).to_string(), &rounds.to_string()])
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let total = said.lines().find_map(|l| l.split_once("Collected :"))?.1.trim().parse().ok()?;
    let operations = String::from_utf8_lossy(&output.stdout);
    Some((total, operations.trim().split(',').filter_map(|n| n.parse().ok()).collect()))
}

/// Costs of all operations of a variant.
fn measure(variant: &str) -> Option<Vec<f64>> {
    let mut costs = vec![0.0; Operation::COUNT];
    // In this order: each script contains only what was measured before it.
    let order = [
        Operation::AckCongestionAvoidance,
        Operation::AckSlowStart,
        Operation::RttSample,
        Operation::DupAck,
        Operation::FastRetransmit,
        Operation::RecoveryAck,
        Operation::Timeout,
        Operation::Probe,
    ];
    for script in order {
        let (once, n) = count(variant, script, ROUNDS)?;
        let (twice, m) = count(variant, script, 2 * ROUNDS)?;
        let more: Vec<f64> = m.iter().zip(&n).map(|(b, a)| b - a).collect();
        let own = script as usize;
        if more.get(own).is_none_or(|&n| n < 1.0) {
            continue;
        }
        let others: f64 = (0..Operation::COUNT).filter(|&o| o != own).map(|o| more[o] * costs[o]).sum();
        costs[own] = ((twice - once - others) / more[own]).max(0.0);
    }
    Some(costs)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [variant, script, rounds] = arguments.as_slice() {
        let numbers = script.parse().ok().zip(rounds.parse().ok());
        let done = numbers.and_then(|(script, rounds)| perform(variant, script, rounds));
        return if done.is_some() { ExitCode::SUCCESS } else { ExitCode::from(2) };
    }
    println!("# Instructions by operation of the TCP sender, counted by callgrind on this code.");
    println!("# Made by: cargo run --release -p tworay-tcp --example costs");
    println!("# tworay {}, {}, release build", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH);
    println!(
        "# filter_update and classification are contained in the variant's own ACKs, samples and losses."
    );
    println!("# Joules are these times the scenario's energy.instruction (1 nJ unless told).");
    let names: Vec<&str> = Operation::ALL.iter().map(|o| o.name()).collect();
    println!("variant,{}", names.join(","));
    for info in tworay_tcp::registry() {
        if info.parameters.iter().any(|p| p.default.is_none()) || info.name.parse::<Variant>().is_err() {
            continue;
        }
        let Some(costs) = measure(info.name) else {
            eprintln!("{}: not measured (is valgrind installed?)", info.name);
            return ExitCode::FAILURE;
        };
        let cells: Vec<String> = costs.iter().map(|c| format!("{c:.1}")).collect();
        println!("{},{}", info.name, cells.join(","));
    }
    ExitCode::SUCCESS
}
