//! Integration tests of the movement, in one program: linking one takes a fraction of the time of many.

mod movement_files;
