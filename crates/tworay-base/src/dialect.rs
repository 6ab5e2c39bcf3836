//! Dialects: whose rules a scenario follows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whose rules apply, in a scenario as a whole or in one of its tables.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Dialect {
    /// The standards: IEEE 802.11-1999, the RFCs.
    #[default]
    Standard,
    /// ns-2.35, with its quirks.
    Ns2,
}

/// A table of settings. Its `Default` is `of(Dialect::Standard)`.
///
/// A table with quirks (departures of ns-2 that a scenario does not choose one by one) has a method
/// `quirks()` and a key that selects them: `dialect`, or the key that selects the algorithm that has them. No
/// table's quirks follow another table's key.
pub trait FollowsDialect: Default {
    /// The table's values in a dialect.
    fn of(dialect: Dialect) -> Self;
}
