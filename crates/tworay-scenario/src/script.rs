//! Scripts: what was done to a running network, one line each, and what it means as events of a scenario.
//!
//! A line is a time and a command; `#` begins a comment. Commands name nodes by name or number:
//!
//! ```text
//! 12.5s  move roof 120,80        # at once; move roof 120,80 5 walks there at 5 m/s
//! 20s    off 3
//! 30s    on 3
//! 31s    loss roof 0.2           # of the frames that it would receive, this share is lost
//! ```

use crate::check::ground::{Fault, contradict};
use crate::error::{Place, ScenarioError, Source};
use crate::event::{EventConfig, EventKind};
use crate::names;
use crate::scenario::Scenario;
use std::ops::Range;
use std::sync::Arc;
use tworay_base::{SimDuration, Speed, suggest};

/// The commands, each with its arguments.
const COMMANDS: [(&str, &str); 4] =
    [("move", "NODE X,Y [SPEED]"), ("off", "NODE"), ("on", "NODE"), ("loss", "NODE RATE")];

/// A word and where it stands in the text.
type Word<'t> = (&'t str, Range<usize>);

impl Scenario {
    /// The same scenario with the lines of a script as further events; `name` is the script's file.
    ///
    /// # Errors
    /// A line that is no command, a node that isn't there, a place outside the field, a time after the end or before that
    /// of the line above, a line that contradicts another one or an event of the scenario.
    pub fn with_script(&self, text: &str, name: &str) -> Result<Self, ScenarioError> {
        let source = Arc::new(Source { name: name.to_owned(), text: text.to_owned(), has_lines: true });
        let mut changed = self.clone();
        let mut at = 0;
        let mut before: Option<SimDuration> = None;
        for line in text.split_inclusive('\n') {
            let words = words(line, at);
            at += line.len();
            let [(time, place), command @ ..] = words.as_slice() else { continue };
            let refuse = |problem: String, remedy: &str| {
                ScenarioError::new(Some(Place::new(&source, place.clone())), problem, remedy)
            };
            let time = time_of(time).ok_or_else(|| {
                refuse(
                    format!("\"{time}\" is no time"),
                    "Begin the line with a time such as 12.5s, then a command.",
                )
            })?;
            if let Some(before) = before.replace(time).filter(|&before| time < before) {
                let problem = format!("{time} is before {before}, the time of the line above");
                return Err(refuse(problem, "Write the lines in the order of their times."));
            }
            let event = self.command(command, time, &source, place)?;
            if changed.settings.events.iter().any(|other| contradict(other, &event)) {
                let problem = "another line or event happens to this node at the same time".to_owned();
                return Err(refuse(problem, "Remove one of the two."));
            }
            changed.settings.events.push(event);
        }
        changed.settings.events.sort_by_key(|event| event.at);
        Ok(changed)
    }

    /// The event that a command such as `move roof 120,80` means, at a time.
    ///
    /// # Errors
    /// As [`Self::with_script`].
    pub fn order(&self, command: &str, at: SimDuration) -> Result<EventConfig, ScenarioError> {
        let source = Arc::new(Source { name: "command".into(), text: command.to_owned(), has_lines: false });
        self.command(&words(command, 0), at, &source, &(0..command.len()))
    }

    fn command(
        &self,
        words: &[Word<'_>],
        at: SimDuration,
        source: &Arc<Source>,
        line: &Range<usize>,
    ) -> Result<EventConfig, ScenarioError> {
        let at_word = |number: usize| words.get(number).map_or(line, |(_, place)| place).clone();
        let refuse = |number: usize, problem: String, remedy: String| {
            ScenarioError::new(Some(Place::new(source, at_word(number))), problem, remedy)
        };
        let Some(&(verb, _)) = words.first() else {
            return Err(refuse(0, "the command is missing".into(), format!("Add one: {}.", forms())));
        };
        let Some((_, form)) = COMMANDS.iter().find(|(name, _)| *name == verb) else {
            let known = COMMANDS.map(|(name, _)| name);
            let hint =
                suggest(verb, &known).map_or_else(String::new, |name| format!("Did you mean {name}? "));
            return Err(refuse(
                0,
                format!("\"{verb}\" is no command"),
                format!("{hint}There are {}.", forms()),
            ));
        };
        let counts = match verb {
            "move" => 3..=4,
            "loss" => 3..=3,
            _ => 2..=2,
        };
        if !counts.contains(&words.len()) {
            let number = if words.len() > *counts.end() { *counts.end() } else { 0 };
            let what = if number > 0 { "has too much" } else { "lacks something" };
            return Err(refuse(number, format!("{verb} {what}"), format!("Write {verb} {form}.")));
        }
        let node = self.node_named(words[1].0).map_err(|(problem, remedy)| refuse(1, problem, remedy))?;
        let argument = |number: usize| words.get(number).map(|(word, _)| *word);
        let mut event = EventConfig { node: Some(node), at, ..EventConfig::of(EventKind::Down) };
        match verb {
            "on" => event.what = EventKind::Up,
            "loss" => {
                event.what = EventKind::Loss;
                event.rate = argument(2)
                    .map(share_of)
                    .transpose()
                    .map_err(|remedy| refuse(2, format!("\"{}\" is no share", words[2].0), remedy))?;
            }
            "move" => {
                event.what = EventKind::Move;
                let place = argument(2).and_then(place_of);
                let remedy = "Give X,Y in metres without a space, such as 120,80.";
                event.to = Some(place.ok_or_else(|| {
                    refuse(2, format!("\"{}\" is no place", words[2].0), remedy.to_owned())
                })?);
                event.speed = argument(3).map(speed_of).transpose().map_err(|remedy| {
                    refuse(3, format!("\"{}\" is no speed", words[3].0), remedy.to_owned())
                })?;
            }
            _ => {}
        }
        self.ground().judge(&event).map_err(|Fault { key, problem, remedy }| {
            let word = match key {
                "node" => 1,
                "to" | "rate" => 2,
                "speed" => 3,
                "at" => usize::MAX,
                _ => 0,
            };
            refuse(word, problem, remedy)
        })?;
        Ok(event)
    }

    /// The node that a word names, or problem and remedy.
    fn node_named(&self, word: &str) -> Result<u16, (String, String)> {
        match word.parse::<u16>() {
            Ok(number) => Ok(number),
            Err(_) => names::number_by_name(word, &self.settings.names),
        }
    }
}

/// The commands as a user writes them.
fn forms() -> String {
    COMMANDS.map(|(name, arguments)| format!("{name} {arguments}")).join(", ")
}

/// The words of a line that begins at a place of the text, without its comment.
fn words(line: &str, at: usize) -> Vec<Word<'_>> {
    let plain = line.split('#').next().unwrap_or("");
    let spot = |word: &str| word.as_ptr() as usize - plain.as_ptr() as usize;
    plain.split_whitespace().map(|word| (word, at + spot(word)..at + spot(word) + word.len())).collect()
}

/// A time, in seconds if it has no unit.
fn time_of(word: &str) -> Option<SimDuration> {
    let plain = word.parse::<f64>().is_ok();
    if plain { format!("{word}s").parse().ok() } else { word.parse().ok() }
}

/// A share from 0 to 1, or the remedy.
fn share_of(word: &str) -> Result<f64, String> {
    let percent = word.strip_suffix('%').and_then(|number| number.parse::<f64>().ok());
    word.parse().map_err(|_| match percent {
        Some(percent) => format!("Give a share from 0 to 1: {} for {word}.", percent / 100.0),
        None => "Give a share from 0 to 1, such as 0.2.".to_owned(),
    })
}

/// A speed, in m/s if it has no unit, or the remedy.
fn speed_of(word: &str) -> Result<Speed, &'static str> {
    let plain = word.parse().map(Speed);
    plain.or_else(|_| word.parse()).map_err(|_| "Give m/s, such as 5, or a unit, such as 5m/s or 18km/h.")
}

fn place_of(word: &str) -> Option<[f64; 2]> {
    let (x, y) = word.split_once(',')?;
    Some([x.parse().ok()?, y.parse().ok()?])
}

#[cfg(test)]
mod tests;
