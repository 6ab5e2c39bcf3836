//! Frame exchanges as ladders: time in µs, station, what it does.

mod air;

use air::{Air, Lose, at};
use tworay_base::Bytes;
use tworay_mac::FrameKind::{Ack, Cts, Data, Rts};
use tworay_mac::{MacConfig, MacQuirks};

const STANDARD: MacQuirks = MacQuirks::STANDARD;

fn standard() -> MacConfig {
    MacConfig::default()
}

fn without_rts() -> MacConfig {
    MacConfig { rts_threshold: Bytes(3000), ..standard() }
}

#[test]
fn show() {
    let mut air = Air::line(2, 1, &standard(), STANDARD);
    air.send(at(0), 0, 1, 1, 1500);
    println!("unicast\n{}", air.run(at(1_000_000)).ladder);
    let mut air = Air::line(2, 1, &MacConfig::ns2(), MacQuirks::NS2);
    air.send(at(0), 0, 1, 1, 1500);
    println!("unicast ns2\n{}", air.run(at(1_000_000)).ladder);
    let mut air = Air::line(2, 1, &without_rts(), STANDARD);
    air.send(at(0), 0, 1, 1, 1500);
    println!("without\n{}", air.run(at(1_000_000)).ladder);
    let mut air = Air::line(3, 1, &standard(), STANDARD);
    air.send(at(0), 1, 99, 1, 500);
    println!("bcast\n{}", air.run(at(1_000_000)).ladder);
    let mut air = Air::line(2, 1, &standard(), STANDARD).losing(&[Lose(Cts, 1, 1)]);
    air.send(at(0), 0, 1, 1, 1500);
    println!("lost cts\n{}", air.run(at(1_000_000)).ladder);
    let mut air = Air::line(2, 1, &standard(), STANDARD).losing(&[Lose(Ack, 1, 1)]);
    air.send(at(0), 0, 1, 1, 1500);
    println!("lost ack\n{}", air.run(at(1_000_000)).ladder);
    let mut air = Air::line(3, 1, &standard(), STANDARD);
    air.send(at(0), 0, 1, 1, 1500);
    air.send(at(100), 2, 1, 2, 1500);
    println!("hidden\n{}", air.run(at(1_000_000)).ladder);
    let mut air = Air::line(1, 1, &standard(), STANDARD);
    air.send(at(0), 0, 1, 1, 1500);
    println!("7 rts\n{}", air.run(at(1_000_000)).ladder);
    let lost: Vec<Lose> = (1..=4).map(|n| Lose(Data, 0, n)).collect();
    let mut air = Air::line(2, 1, &standard(), STANDARD).losing(&lost);
    air.send(at(0), 0, 1, 1, 1500);
    println!("4 data\n{}", air.run(at(1_000_000)).ladder);
    let mut air = Air::line(3, 2, &standard(), STANDARD);
    air.send(at(0), 0, 1, 1, 1500);
    air.send(at(1000), 2, 1, 2, 1500);
    println!("defer\n{}", air.run(at(1_000_000)).ladder);
    let _ = Rts;
}
