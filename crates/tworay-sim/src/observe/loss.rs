//! Losses: the ledger of every segment, the root causes of what holds segments up, and the diagnosis of senders' guesses.

pub(crate) mod attempts;
pub(crate) mod causes;
pub(crate) mod circles;
pub(crate) mod diagnosis;
pub(crate) mod exchanges;
pub(crate) mod held_up;
pub(crate) mod ledger;
pub(crate) mod pacing;
pub(crate) mod root_cause;
pub(crate) mod scene;
pub(crate) mod service;
pub(crate) mod twin;
pub(crate) mod wire_queue;
