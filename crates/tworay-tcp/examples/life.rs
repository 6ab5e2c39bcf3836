//! One transfer of a sender, for a profiler that counts instructions by function: `valgrind
//! --tool=callgrind target/release/examples/life newreno`. Prints how often each measured function ran;
//! `tworay costs` divides callgrind's inclusive counts by these numbers.

use tworay_tcp::{Variant, live};

fn main() {
    for name in std::env::args().skip(1) {
        match name.parse::<Variant>() {
            Ok(variant) => {
                for (function, calls) in live(&variant).calls {
                    println!("{name} {function} {calls}");
                }
            }
            Err(wrong) => eprintln!("{wrong}"),
        }
    }
}
