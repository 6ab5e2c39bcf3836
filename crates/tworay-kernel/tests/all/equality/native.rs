//! The decision cores, compiled natively (`bpf/native.c`).
//!
//! C functions can only be called from unsafe code. All pointers are borrows that outlive the call, and
//! `Core` is larger than any core's state, which `bpf/native.c` asserts.
#![allow(unsafe_code)]

use std::ffi::c_int;
// Links the library that contains the functions.
use tworay_kernel as _;

/// `struct view` of bpf/core/types.h.
#[repr(C)]
#[derive(Copy, Clone, Debug, Default)]
pub struct View {
    pub now: u64,
    pub cwnd: u32,
    pub ssthresh: u32,
    pub advertised: u32,
    pub flight: u32,
    pub srtt: u32,
    pub rto: u32,
}

/// `struct window`.
#[repr(C)]
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    pub cwnd: u32,
    pub ssthresh: u32,
}

/// `struct decision`.
#[repr(C)]
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    pub window: Window,
    pub wait: u32,
    pub guess: u8,
}

impl Decision {
    /// The guess by its name in the simulated variants.
    pub fn guess(&self) -> Option<&'static str> {
        [None, Some("congestion"), Some("channel"), Some("link-failure"), Some("transient")]
            [usize::from(self.guess)]
    }
}

/// `struct wish`.
#[repr(C)]
#[derive(Copy, Clone, Debug, Default)]
pub struct Wish {
    pub window: Window,
    pub rto: u32,
}

/// `struct growth`.
#[repr(C)]
#[derive(Copy, Clone, Debug, Default)]
pub struct Growth {
    pub cwnd: u32,
    pub count: u32,
}

/// `struct vegas_ack`.
#[repr(C)]
#[derive(Copy, Clone, Debug, Default)]
pub struct VegasAck {
    pub una: u32,
    pub nxt: u32,
    pub sent: u32,
    pub flight: u32,
}

/// `struct vegas_limits`.
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct VegasLimits {
    pub alpha: u32,
    pub beta: u32,
    pub gamma: u32,
}

/// Space for the state of any core; zeroed, as the kernel provides it.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Core([u64; 32]);

mod c {
    use super::*;

    unsafe extern "C" {
        pub fn tworay_grow(g: &mut Growth, ssthresh: u32, acked: u32);
        pub fn tworay_westwood_ack(s: &mut Core, v: &View, segments: u32);
        pub fn tworay_westwood_dup_ack(s: &mut Core, v: &View);
        pub fn tworay_westwood_rtt(s: &mut Core, rtt: u32);
        pub fn tworay_westwood_loss(s: &Core, v: &View, standard: &Window, out: &mut Decision);
        pub fn tworay_westwood_rto(s: &Core, standard: &Window, out: &mut Decision);
        pub fn tworay_welcome_ack(s: &mut Core, v: &View, segments: u32, out: &mut Wish);
        pub fn tworay_welcome_dup_ack(s: &mut Core, v: &View);
        pub fn tworay_welcome_rtt(s: &mut Core, v: &View, rtt: u32, out: &mut Wish);
        pub fn tworay_welcome_loss(s: &Core, v: &View, standard: &Window, out: &mut Decision);
        pub fn tworay_welcome_rto(s: &mut Core, v: &View, standard: &Window, out: &mut Decision);
        pub fn tworay_vegas_start(s: &mut Core, now: u64, una: u32, rtt: u32);
        pub fn tworay_vegas_sync(s: &mut Core, cwnd: u32);
        pub fn tworay_vegas_ack(
            s: &mut Core,
            v: &View,
            ack: &VegasAck,
            ssthresh: &mut u32,
            limits: &VegasLimits,
        );
        pub fn tworay_vegas_rtt(s: &mut Core, rtt: u32);
        pub fn tworay_vegas_cwnd(s: &Core) -> u32;
        pub fn tworay_vegas_mark(s: &Core) -> u32;
        pub fn tworay_vegas_loss(v: &View, out: &mut Decision);
        pub fn tworay_vegas_rto(standard: &Window, out: &mut Decision);
        pub fn tworay_sca_grow(s: &mut Core, g: &mut Growth, ssthresh: u32, theta: u32, acked: u32);
        pub fn tworay_sca_reset(s: &mut Core);
        pub fn tworay_hops_of(ttl: u32) -> u32;
        pub fn tworay_cwl_limit(hops: u32) -> u32;
        pub fn tworay_probing_rtt(s: &mut Core, rtt: u32);
        pub fn tworay_probing_loss(s: &mut Core, v: &View, standard: &Window, out: &mut Decision);
        pub fn tworay_probing_rto(s: &mut Core, v: &View, standard: &Window, out: &mut Decision);
        pub fn tworay_probing_sample(s: &mut Core, v: &View, rtt: u32, out: &mut Decision) -> c_int;
    }
}

/// Safe functions with the same names; `=> T` is a result that C writes through its last argument.
macro_rules! safe {
    ($($safe:ident = $name:ident ( $($arg:ident : $type:ty),* ) $(-> $plain:ty)? $(=> $out:ty)?;)*) => {$(
        pub fn $safe($($arg: $type),*) $(-> $plain)? $(-> $out)? {
            safe!(@call $name, ($($arg),*) $(, $out)?)
        }
    )*};
    // SAFETY of both: see the head of this file.
    (@call $name:ident, ($($arg:ident),*)) => { unsafe { c::$name($($arg),*) } };
    (@call $name:ident, ($($arg:ident),*), $out:ty) => {{
        let mut out = <$out>::default();
        unsafe { c::$name($($arg,)* &mut out) };
        out
    }};
}

safe! {
    grow = tworay_grow(g: &mut Growth, ssthresh: u32, acked: u32);
    westwood_ack = tworay_westwood_ack(s: &mut Core, v: &View, segments: u32);
    westwood_dup_ack = tworay_westwood_dup_ack(s: &mut Core, v: &View);
    westwood_rtt = tworay_westwood_rtt(s: &mut Core, rtt: u32);
    westwood_loss = tworay_westwood_loss(s: &Core, v: &View, standard: &Window) => Decision;
    westwood_rto = tworay_westwood_rto(s: &Core, standard: &Window) => Decision;
    welcome_ack = tworay_welcome_ack(s: &mut Core, v: &View, segments: u32) => Wish;
    welcome_dup_ack = tworay_welcome_dup_ack(s: &mut Core, v: &View);
    welcome_rtt = tworay_welcome_rtt(s: &mut Core, v: &View, rtt: u32) => Wish;
    welcome_loss = tworay_welcome_loss(s: &Core, v: &View, standard: &Window) => Decision;
    welcome_rto = tworay_welcome_rto(s: &mut Core, v: &View, standard: &Window) => Decision;
    vegas_start = tworay_vegas_start(s: &mut Core, now: u64, una: u32, rtt: u32);
    vegas_sync = tworay_vegas_sync(s: &mut Core, cwnd: u32);
    vegas_ack = tworay_vegas_ack(s: &mut Core, v: &View, ack: &VegasAck, ssthresh: &mut u32, limits: &VegasLimits);
    vegas_rtt = tworay_vegas_rtt(s: &mut Core, rtt: u32);
    vegas_cwnd = tworay_vegas_cwnd(s: &Core) -> u32;
    vegas_mark = tworay_vegas_mark(s: &Core) -> u32;
    vegas_loss = tworay_vegas_loss(v: &View) => Decision;
    vegas_rto = tworay_vegas_rto(standard: &Window) => Decision;
    sca_grow = tworay_sca_grow(s: &mut Core, g: &mut Growth, ssthresh: u32, theta: u32, acked: u32);
    sca_reset = tworay_sca_reset(s: &mut Core);
    hops_of = tworay_hops_of(ttl: u32) -> u32;
    cwl_limit = tworay_cwl_limit(hops: u32) -> u32;
    probing_rtt = tworay_probing_rtt(s: &mut Core, rtt: u32);
    probing_loss = tworay_probing_loss(s: &mut Core, v: &View, standard: &Window) => Decision;
    probing_rto = tworay_probing_rto(s: &mut Core, v: &View, standard: &Window) => Decision;
}

/// The outcome, if this sample ends the cycle.
pub fn probing_sample(s: &mut Core, v: &View, rtt: u32) -> Option<Decision> {
    let mut out = Decision::default();
    // SAFETY: see the head of this file.
    let over = unsafe { c::tworay_probing_sample(s, v, rtt, &mut out) };
    (over != 0).then_some(out)
}
