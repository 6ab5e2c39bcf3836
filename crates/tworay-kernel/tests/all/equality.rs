//! Compares the decision cores that run in the kernel with the simulated variants.
//!
//! Both sides receive the same random events. They must classify every loss identically, and their windows
//! must differ by at most one segment: the cores use integer windows, as the kernel does. After each
//! decision both continue from the core's integer window, so that rounding does not accumulate; growth in
//! between is computed separately.

mod cwl;
mod drive;
mod native;
mod probing;
mod vegas;
mod welcome;
mod westwood;
