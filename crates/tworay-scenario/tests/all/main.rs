//! Scenario files from the user's view.

mod convert;
mod errors;
mod files;
