//! Integration tests of the kernel's controllers, in one program: linking one takes a fraction of the time of many.

mod equality;
mod guide;
mod relocations;
