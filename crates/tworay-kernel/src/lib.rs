//! The variants as congestion controllers of the Linux kernel (BPF `struct_ops`), and their loader.
//!
//! A controller is C for the kernel (`bpf/*.bpf.c`) around a decision core of plain integers (`bpf/core`), which
//! is compiled natively as well, so that the tests hold it against the simulated variant. The compiled objects
//! are part of the library; their types are found in the running kernel's BTF (CO-RE).

pub mod catalog;
mod cgroup;
pub mod events;
pub mod loading;
pub mod stats;
