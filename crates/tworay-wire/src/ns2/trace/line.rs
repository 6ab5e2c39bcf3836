//! The words of a line.

use super::record::{TraceEnd, TraceLayer};
use crate::text_file::ReadError;
use tworay_base::SimTime;

/// A line being read.
#[derive(Copy, Clone)]
pub(super) struct Line<'a> {
    pub file: &'a str,
    pub number: u32,
    pub text: &'a str,
}

impl<'a> Line<'a> {
    pub fn error(&self, problem: &str, remedy: &str) -> ReadError {
        let shown: String = self.text.chars().take(90).collect();
        let dots = if shown.len() < self.text.len() { "…" } else { "" };
        ReadError::at(self.file, self.number, format!("{problem}: `{shown}{dots}`"), remedy)
    }

    /// An error about one word or its absence.
    pub fn bad(&self, what: &str, word: Option<&str>) -> ReadError {
        let problem = match word {
            Some(word) => format!("\"{word}\" is not a valid {what}"),
            None => format!("the {what} is missing"),
        };
        self.error(&problem, "the line may be cut off or edited; trace the run again, or remove the line")
    }

    pub fn parsed<T>(
        &self,
        what: &str,
        word: Option<&str>,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T, ReadError> {
        word.and_then(parse).ok_or_else(|| self.bad(what, word))
    }

    pub fn time(&self, word: Option<&str>) -> Result<SimTime, ReadError> {
        let seconds = |w: &str| w.parse::<f64>().ok().filter(|t| (0.0..=1e9).contains(t));
        self.parsed("time in seconds", word, seconds).map(SimTime::from_secs_f64)
    }

    pub fn node(&self, word: Option<&str>) -> Result<u16, ReadError> {
        self.parsed("node number", word, |w| w.parse().ok())
    }

    pub fn layer(&self, word: Option<&str>) -> Result<TraceLayer, ReadError> {
        self.parsed("layer (AGT, RTR, IFQ, LL, MAC or PHY)", word, TraceLayer::named)
    }

    pub fn bytes(&self, word: Option<&str>) -> Result<u32, ReadError> {
        self.parsed("number of bytes", word, |w| w.parse().ok())
    }

    pub fn uid(&self, word: Option<&str>) -> Result<u64, ReadError> {
        self.parsed("packet number", word, |w| w.parse().ok())
    }

    pub fn hex(&self, word: Option<&str>) -> Result<u32, ReadError> {
        self.parsed("hexadecimal number of the MAC header", word, |w| u32::from_str_radix(w, 16).ok())
    }

    /// `node:port` or `node.port`.
    pub fn end(&self, word: Option<&str>, separator: char) -> Result<TraceEnd, ReadError> {
        self.parsed("address (node and port)", word, |w| {
            let (node, port) = w.split_once(separator)?;
            Some(TraceEnd { node: node.parse().ok()?, port: port.parse().ok()? })
        })
    }

    pub fn whole(&self, what: &str, word: Option<&str>) -> Result<i64, ReadError> {
        self.parsed(what, word, |w| w.parse().ok())
    }

    pub fn ttl(&self, word: Option<&str>) -> Result<i32, ReadError> {
        self.parsed("hop limit", word, |w| w.parse().ok())
    }
}

/// ns-2 writes three dashes if there is no reason.
pub(super) fn reason(word: Option<&str>) -> Option<&str> {
    word.filter(|w| *w != "---")
}
