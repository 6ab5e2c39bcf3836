//! The subset of Tcl that movement and traffic files use: commands, words, comments, `$ns_ at time "script"`.

use crate::text_file::ReadError;
use tworay_base::SimTime;

/// One parsed command.
pub(super) struct Line<'a> {
    pub file: &'a str,
    /// The line on which it begins, counted from 1.
    pub number: u32,
    /// The command as written, for messages.
    pub text: &'a str,
    /// Words without quotes and brackets: `$node_(3) set X_ 1` gives `$node_ 3 set X_ 1`.
    pub words: Vec<&'a str>,
}

/// The commands of `text`. A script that `$ns_ at` schedules gives one `Line` for each of its commands.
/// Comments are omitted.
pub(super) fn lines<'a>(file: &'a str, text: &'a str) -> impl Iterator<Item = Result<Line<'a>, ReadError>> {
    Commands { text, at: 0, number: 1 }.flat_map(move |Command { number, text, closed }| {
        let line = |words| Line { file, number, text, words };
        let words = words(text);
        if !closed || text.matches('(').count() != text.matches(')').count() {
            return vec![Err(line(words).error(
                "the line ends inside quotes or brackets",
                "the file may be cut off: copy it again, or complete the line",
            ))];
        }
        let at: &[&str] = match words.as_slice() {
            ["$ns_" | "$ns", "at", _, _, ..] => &words[..3],
            _ => return vec![Ok(line(words))],
        };
        let scripts = words[3..].split(|&word| word == ";").filter(|script| !script.is_empty());
        scripts.map(|script| Ok(line([at, script].concat()))).collect()
    })
}

/// Words of a command, without quotes and brackets; a semicolon inside them is a word of its own.
fn words(text: &str) -> Vec<&str> {
    let separators = |c: char| c.is_whitespace() || "\"{}()[]".contains(c);
    let unescaped = text.lines().map(|line| line.trim_end().strip_suffix('\\').unwrap_or(line));
    let pieces = unescaped.flat_map(|line| line.split(separators));
    let mut words = Vec::new();
    for piece in pieces {
        for (i, word) in piece.split(';').enumerate() {
            if i > 0 {
                words.push(";");
            }
            if !word.is_empty() {
                words.push(word);
            }
        }
    }
    words
}

/// Splits a script as Tcl does (its manual page Tcl(n)). A command ends at a line's end or a semicolon,
/// unless either is inside quotes or brackets or a backslash precedes the line's end. `#` at the beginning of
/// a command starts a comment.
struct Commands<'a> {
    text: &'a str,
    /// Bytes read so far.
    at: usize,
    /// Line number at `at`.
    number: u32,
}

struct Command<'a> {
    number: u32,
    text: &'a str,
    /// True if all its quotes and brackets are closed.
    closed: bool,
}

impl<'a> Iterator for Commands<'a> {
    type Item = Command<'a>;

    fn next(&mut self) -> Option<Command<'a>> {
        loop {
            let rest = &self.text[self.at..];
            let blank = rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == ';').len();
            self.pass(blank);
            let rest = &self.text[self.at..];
            if rest.is_empty() {
                return None;
            }
            let comment = rest.starts_with('#');
            let (length, closed) = if comment { (comment_length(rest), true) } else { command_length(rest) };
            let number = self.number;
            self.pass(length);
            if !comment {
                return Some(Command { number, text: rest[..length].trim(), closed });
            }
        }
    }
}

impl Commands<'_> {
    fn pass(&mut self, bytes: usize) {
        let passed = &self.text[self.at..self.at + bytes];
        self.number += passed.bytes().filter(|&byte| byte == b'\n').count() as u32;
        self.at += bytes;
    }
}

/// Bytes up to the end of the line, including lines continued by a backslash.
fn comment_length(text: &str) -> usize {
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        length += line.len();
        if !line.trim_end().ends_with('\\') {
            break;
        }
    }
    length
}

/// Length in bytes of the command at the start of `text`, and whether its quotes and brackets are closed
/// there. None of them continues on another line in these files, so a missing one is found on its own line.
fn command_length(text: &str) -> (usize, bool) {
    let (mut quoted, mut depth, mut escaped) = (false, 0i32, false);
    for (at, c) in text.char_indices() {
        match c {
            // Also before the two characters that end a line in DOS files.
            '\r' if escaped => continue,
            _ if escaped => {}
            '\n' => return (at, !quoted && depth == 0),
            ';' if !quoted && depth == 0 => return (at, true),
            '"' => quoted = !quoted,
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            _ => {}
        }
        escaped = c == '\\' && !escaped;
    }
    (text.len(), !quoted && depth == 0)
}

impl<'a> Line<'a> {
    /// An error about this line, quoting it.
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

    /// A real number within bounds; messages use `what` and `unit`.
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
            _ => Err(self.error(&format!("\"{word}\" is not a valid {what}"), &allowed)),
        }
    }

    /// A node's number as in the file.
    pub fn node(&self, word: &str) -> Result<u16, ReadError> {
        match word.parse::<u32>() {
            Ok(n) if n < u32::from(u16::MAX) => Ok(n as u16),
            Ok(_) => {
                Err(self.error(&format!("node number {word} is out of range"), "node numbers go up to 65534"))
            }
            Err(_) => Err(self.error(
                &format!("\"{word}\" is not a node number"),
                "write the number itself, as in $node_(7); Tcl loops and variables are not supported",
            )),
        }
    }
}
