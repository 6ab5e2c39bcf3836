//! The scenario's `[errors]` table: where random errors strike.

use crate::error_model::ErrorModelConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::ConfigProblem;

/// Random errors on the air, before and after the MAC's retransmissions. Each receiver has its own
/// stream and state. A "bit error rate of 10 %" of the literature is a packet error rate: write
/// `frame_err = { bernoulli = { rate = 0.1 } }`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ErrorsConfig {
    /// Strikes every frame (RTS, CTS, data, ACK, broadcast) at each receiver that could read it; the MAC
    /// repeats it, or gives up.
    pub frame_err: ErrorModelConfig,
    /// Strikes network packets above the MAC, once per hop, after the MAC has acknowledged them; messages of ARP and routing, too.
    pub pkt_err: ErrorModelConfig,
}

impl ErrorsConfig {
    /// True if there are none.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Checks ranges. On error: the key, what is wrong, what to do.
    pub fn validate(&self) -> Result<(), ConfigProblem> {
        for (table, model) in [("frame_err", &self.frame_err), ("pkt_err", &self.pkt_err)] {
            model.validate().map_err(|problem| problem.within(table))?;
        }
        Ok(())
    }
}
