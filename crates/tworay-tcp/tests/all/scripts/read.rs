//! The scripts' text: `tests/scripts/README.md` describes it.

/// A script.
#[derive(Debug)]
pub struct Script {
    pub players: Vec<String>,
    /// When the answer to the SYN arrives, ms.
    pub handshake: f64,
    pub lines: Vec<Line>,
}

/// A line, in the order of the file.
#[derive(Debug)]
pub struct Line {
    /// The players that it holds for; empty for all.
    only: Vec<String>,
    pub text: String,
    pub at: At,
    pub what: What,
}

/// The time of a line, ms.
#[derive(Copy, Clone, PartialEq, Debug)]
pub enum At {
    /// From the SYN.
    Start(f64),
    /// From the segment sent before.
    Sent(f64),
}

#[derive(Debug)]
pub enum What {
    Write(u32),
    Arrives(AckLine),
    /// Segments, 0 for a probe of a closed window; the wait of the timer that sends them, ms.
    Sent(Vec<u32>, Option<f64>),
    End,
}

/// An ACK that arrives.
#[derive(Debug, Default)]
pub struct AckLine {
    pub ack: u32,
    /// First and last segments, in the order in which they are sent.
    pub blocks: Vec<(u32, u32)>,
    /// Segments.
    pub window: Option<u32>,
    /// Segment and transmission of it, from 1.
    pub echo: Option<(u32, Option<usize>)>,
}

impl Line {
    /// True if the line holds for this player.
    pub fn is_for(&self, player: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|group| is_in(group, player))
    }
}

fn is_in(group: &str, player: &str) -> bool {
    match group {
        "kernel" => player.starts_with("kernel/"),
        "simulated" => !player.starts_with("kernel/"),
        name => name == player,
    }
}

/// Reads a script.
pub fn read(text: &str) -> Result<Script, String> {
    let (mut players, mut lines) = (Vec::new(), Vec::<Line>::new());
    let (mut has_about, mut has_rfc, mut handshake) = (false, false, 40.0);
    // Lines for some players may follow each other, or the comment that says why.
    let mut explained = false;
    let mut last = 0.0;
    for text in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if text.starts_with('#') {
            explained = true;
            continue;
        }
        let (names, rest) = text.split_once(':').unwrap_or(("", text));
        let names: Vec<String> =
            names.split(',').map(str::trim).filter(|n| !n.is_empty()).map(String::from).collect();
        let rest = rest.trim();
        match names.first().map(String::as_str) {
            Some("about") => has_about = !rest.is_empty(),
            Some("rfc") => has_rfc = !rest.is_empty(),
            Some("handshake") => {
                handshake = rest.parse().map_err(|_| format!("not milliseconds: {text}"))?;
            }
            Some("players") => players = rest.split(',').map(|p| p.trim().to_string()).collect(),
            _ => {
                if let Some(nobody) = names.iter().find(|name| !players.iter().any(|p| is_in(name, p))) {
                    return Err(format!("{nobody} does not play: {text}"));
                }
                // The same players differ for the reason that was given the first time.
                if !names.is_empty() && !explained && !lines.iter().any(|line| line.only == names) {
                    return Err(format!("no comment says why only some: {text}"));
                }
                explained = !names.is_empty();
                let (at, what) = line(rest).ok_or_else(|| format!("not a line of a script: {text}"))?;
                if let (At::Start(at), true) = (at, names.is_empty()) {
                    if at < last {
                        return Err(format!("earlier than the line before: {text}"));
                    }
                    last = at;
                }
                if matches!(&what, What::Arrives(ack) if ack.blocks.len() > 3) {
                    return Err(format!("more than three blocks beside time stamps: {text}"));
                }
                lines.push(Line { only: names, text: text.into(), at, what });
            }
        }
    }
    for (there, key) in [(has_about, "about"), (has_rfc, "rfc"), (!players.is_empty(), "players")] {
        if !there {
            return Err(format!("no {key}"));
        }
    }
    match lines.last() {
        Some(Line { what: What::End, at: At::Start(_), .. }) => Ok(Script { players, handshake, lines }),
        _ => Err("the last line is no end".into()),
    }
}

fn line(text: &str) -> Option<(At, What)> {
    let mut words = text.split_whitespace();
    let first = words.next()?;
    let at = match first.strip_prefix('+') {
        Some(after) => At::Sent(after.parse().ok()?),
        None => At::Start(first.parse().ok()?),
    };
    let words: Vec<&str> = words.collect();
    let what = match (at, &words[..]) {
        (_, ["end"]) => What::End,
        (_, ["write", n]) => What::Write(n.parse().ok()?),
        (_, ["<", "ack", n, rest @ ..]) => What::Arrives(ack(n.parse().ok()?, rest)?),
        (At::Sent(wait), ["timer", ">", list @ ..]) => What::Sent(segments(list)?, Some(wait)),
        (At::Start(_), ["timer", wait, ">", list @ ..]) => {
            What::Sent(segments(list)?, Some(wait.parse().ok()?))
        }
        (At::Start(_), [">", list @ ..]) => What::Sent(segments(list)?, None),
        _ => return None,
    };
    Some((at, what))
}

fn segments(list: &[&str]) -> Option<Vec<u32>> {
    if list == ["probe"] {
        return Some(vec![0]);
    }
    let ranges: Option<Vec<(u32, u32)>> = list.iter().map(|word| range(word)).collect();
    let all: Vec<u32> = ranges?.into_iter().flat_map(|(first, last)| first..=last).collect();
    (!all.is_empty()).then_some(all)
}

/// `7`, or `7-9`.
fn range(word: &str) -> Option<(u32, u32)> {
    let (first, last) = word.split_once('-').unwrap_or((word, word));
    Some((first.parse().ok()?, last.parse().ok()?)).filter(|(first, last)| 0 < *first && first <= last)
}

fn ack(ack: u32, words: &[&str]) -> Option<AckLine> {
    let mut line = AckLine { ack, ..AckLine::default() };
    let (mut sacked, mut duplicate, mut key) = (Vec::new(), None, "");
    for word in words {
        match (key, *word) {
            (_, "sack" | "dsack" | "window" | "echo") => key = word,
            ("sack", word) => sacked.push(range(word)?),
            ("dsack", word) => duplicate = Some(range(word)?),
            ("window", word) => line.window = Some(word.parse().ok()?),
            ("echo", word) => {
                let (n, time) = word.split_once('.').map_or((word, None), |(n, time)| (n, Some(time)));
                let time = time.map(str::parse).transpose().ok()?;
                line.echo = Some((n.parse().ok()?, time));
            }
            _ => return None,
        }
    }
    line.blocks = duplicate.into_iter().chain(sacked.into_iter().rev()).collect();
    Some(line)
}
