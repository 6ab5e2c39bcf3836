//! What holds of every record of a run.
