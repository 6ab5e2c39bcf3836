//! The little of Tcl that movement and traffic files use: words, comments, `$ns_ at time "command"`.

use crate::text_file::ReadError;
use tworay_base::SimTime;

/// One script line taken apart.
pub(super) struct Line<'a> {
    pub file: &'a str,
    /// Counted from 1.
    pub number: u32,
    /// The line as it stands, for messages.
    pub text: &'a str,
    /// Words without quotes and brackets: `$node_(3) set X_ 1` gives `$node_ 3 set X_ 1`.
    pub words: Vec<&'a str>,
}

/// The lines of `text` that are neither empty nor comments.
pub(super) fn lines<'a>(file: &'a str, text: &'a str) -> impl Iterator<Item = Result<Line<'a>, ReadError>> {
    text.lines().zip(1u32..).filter_map(move |(raw, number)| {
        let text = raw.trim();
        if text.is_empty() || text.starts_with('#') {
            return None;
        }
        let separators = |c: char| c.is_whitespace() || "\"{}()[];".contains(c);
        let words = text.split(separators).filter(|w| !w.is_empty()).collect();
        let line = Line { file, number, text, words };
        let odd = |c| text.matches(c).count() % 2 == 1;
        let unequal = |a: char, b: char| text.matches(a).count() != text.matches(b).count();
        Some(if odd('"') || unequal('{', '}') || unequal('(', ')') || unequal('[', ']') {
            Err(line.error(
                "the line ends inside quotes or brackets",
                "the file may be cut off: copy it again, or complete the line",
            ))
        } else {
            Ok(line)
        })
    })
}

impl<'a> Line<'a> {
    /// An error about this line, which it quotes.
    pub fn error(&self, problem: &str, remedy: &str) -> ReadError {
        let shown: String = self.text.chars().take(90).collect();
        let dots = if shown.len() < self.text.len() { "…" } else { "" };
        ReadError::at(self.file, self.number, format!("{problem}: `{shown}{dots}`"), remedy)
    }

    /// The time and command words of `$ns_ at time "command"` (also `$ns`); `None` for other lines.
    pub fn scheduled(&self) -> Result<Option<(SimTime, &[&'a str])>, ReadError> {
        match self.words.as_slice() {
            ["$ns_" | "$ns", "at", time, command @ ..] => Ok(Some((self.time(time)?, command))),
            ["$ns_" | "$ns", "at"] => {
                Err(self.error("the time is missing", "write: $ns_ at 1.5 \"$node_(0) setdest 10 20 5\""))
            }
            _ => Ok(None),
        }
    }

    /// A time in seconds.
    pub fn time(&self, word: &str) -> Result<SimTime, ReadError> {
        Ok(SimTime::from_secs_f64(self.number_between(word, "time", "s", 0.0, 1e9)?))
    }

    /// A real number within bounds; `what` and `unit` name it in messages.
    pub fn number_between(
        &self,
        word: &str,
        what: &str,
        unit: &str,
        least: f64,
        most: f64,
    ) -> Result<f64, ReadError> {
        let allowed = format!("a {what} is a number from {least} {unit} to {most} {unit}");
        match word.parse::<f64>() {
            Ok(value) if (least..=most).contains(&value) => Ok(value),
            Ok(value) if value < 0.0 && least == 0.0 => {
                Err(self.error(&format!("the {what} {word} is negative"), &allowed))
            }
            Ok(value) if value.is_finite() => {
                Err(self.error(&format!("the {what} {word} is out of range"), &allowed))
            }
            _ => Err(self.error(&format!("\"{word}\" is no {what}"), &allowed)),
        }
    }

    /// A node's number as the file has it.
    pub fn node(&self, word: &str) -> Result<u16, ReadError> {
        match word.parse::<u32>() {
            Ok(n) if n < u32::from(u16::MAX) => Ok(n as u16),
            Ok(_) => {
                Err(self.error(&format!("node number {word} is out of range"), "node numbers go up to 65534"))
            }
            Err(_) => Err(self.error(
                &format!("\"{word}\" is no node number"),
                "write node numbers out, as in $node_(7); Tcl loops and variables are not run",
            )),
        }
    }
}
