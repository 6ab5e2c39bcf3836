//! TCP variants as congestion controllers of the Linux kernel (BPF `struct_ops`), and their loader.
//!
//! A controller consists of C code for the kernel (`bpf/*.bpf.c`) around a decision core in integer
//! arithmetic (`bpf/core`). The core is also compiled natively, so that tests can compare it with the
//! simulated variant. The compiled objects are part of the library; field offsets are resolved with the BTF
//! of the running kernel (CO-RE).

pub mod catalog;
mod cgroup;
pub mod events;
pub mod leaving;
pub mod loading;
mod namespaces;
pub mod stats;
