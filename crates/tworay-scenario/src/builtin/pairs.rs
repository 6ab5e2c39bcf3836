//! Flows of families whose name contains the number of flows.

use std::fmt::Write;

/// Ends of the flows.
#[derive(Clone, Copy)]
pub enum Pairs {
    /// All from the first node of a string to its last; the name has hops and flows.
    EndToEnd,
    /// Each between two nodes of its own: 0 to 1, 2 to 3 and so on; the name has flows.
    Apart,
}

impl Pairs {
    /// The `[[flow]]` tables; flow i starts i tenths of a second after 1 s.
    pub fn render(self, values: &[u32]) -> String {
        let flows = values.last().copied().unwrap_or(1);
        let mut text = String::new();
        for i in 0..flows {
            let (from, to) = match self {
                Self::EndToEnd => (0, values.first().copied().unwrap_or(1)),
                Self::Apart => (2 * i, 2 * i + 1),
            };
            let (seconds, tenths) = (1 + i / 10, i % 10);
            let gap = if i == 0 { "" } else { "\n" };
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "{gap}[[flow]]\nfrom = {from}\nto = {to}\napp = \"ftp\"\nstart = \"{seconds}.{tenths}s\"\n"
            );
        }
        text.trim_end().to_owned()
    }
}
