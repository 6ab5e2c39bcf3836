//! Parts of today's recoveries (RACK, tail loss probes, PRR, F-RTO, Eifel, Linux' timers), step by step: what
//! an ACK or a timer makes the sender send, and when its timer is due.

mod ladder;
use crate::common as network;
mod properties;
mod prr;
mod prr_bound;
mod rack;
mod spurious;
mod tlp;
