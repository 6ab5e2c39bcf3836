//! The complete message for each kind of user error, word by word.

mod flows;
mod keys;
mod names;
mod traffic;
mod values;
mod wires;

use std::path::Path;
use tworay_scenario::Scenario;

/// A valid scenario, into which the tests insert errors.
const GOOD: &str = "\
duration = \"100s\"
[topology]
kind = \"string\"
hops = 4
[[flow]]
from = 0
to = 4
";

/// The message for `GOOD` with `old` replaced by `new`.
fn edited(old: &str, new: &str) -> String {
    assert!(GOOD.contains(old), "nothing to replace: {old}");
    refusal(&GOOD.replacen(old, new, 1), &[])
}

/// The message for `text`, read as `my.toml`, with `--set` options on top.
fn refusal(text: &str, sets: &[&str]) -> String {
    let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
    match Scenario::from_toml(text, "my.toml", Path::new(""), &sets) {
        Ok(_) => panic!("this was accepted:\n{text}\n{sets:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_example_itself_is_right() {
    assert!(Scenario::from_toml(GOOD, "my.toml", Path::new(""), &[]).is_ok());
}
