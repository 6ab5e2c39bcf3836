//! One algorithm, two homes: the decision cores that run in the kernel, held against the simulated variants.
//!
//! Both live through the same random events. They must classify every loss alike, and their windows stay within
//! one segment: the cores have integer windows, as the kernel has. Both decide from the integer window and go on from
//! the one that the core decides, so that rounding doesn't add up over a life; growth in between is each its own.

mod cwl;
mod drive;
mod native;
mod probing;
mod vegas;
mod welcome;
mod westwood;
