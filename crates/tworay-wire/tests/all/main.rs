//! Integration tests of the formats, in one program: linking one takes a fraction of the time of many.

mod movement_files;
mod traces;
