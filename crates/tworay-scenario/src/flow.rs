//! Flows: as written in a scenario file, and as resolved.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::{BitRate, Bytes, NodeId, SimDuration, SimTime};
use tworay_tcp::Variant;

/// Application of a flow.
#[derive(Clone, Debug, PartialEq)]
pub enum Application {
    /// A file over TCP, of given or unlimited size.
    Ftp {
        /// Bytes to send, followed by a FIN; `None` never ends.
        bytes: Option<u64>,
        /// TCP variant.
        variant: Variant,
    },
    /// Datagrams of constant size at constant intervals over UDP.
    Cbr {
        /// Time between datagrams.
        interval: SimDuration,
        /// Payload of each, bytes.
        payload: u32,
        /// Number of datagrams, at least one; `None` never ends.
        packets: Option<u64>,
    },
    /// Constant bit rate in bursts, with exponential on and off times.
    OnOff {
        /// Time between datagrams while on.
        interval: SimDuration,
        /// Payload of each, bytes.
        payload: u32,
        /// Mean length of a burst.
        on: SimDuration,
        /// Mean pause between bursts.
        off: SimDuration,
    },
    /// Traffic of programs outside the simulation.
    External {
        /// Congestion control of the kernel, or `None` for anything but TCP.
        tcp: Option<String>,
    },
}

/// Setup of one flow.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowSetup {
    /// Sending node.
    pub from: NodeId,
    /// Receiving node.
    pub to: NodeId,
    /// Destination port.
    pub port: u16,
    /// When the application starts.
    pub start: SimTime,
    /// When it stops, if before the end of the run.
    pub stop: Option<SimTime>,
    /// The application.
    pub application: Application,
}

/// Application of a flow.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum AppKind {
    /// A TCP transfer of unlimited size or of `bytes`.
    #[default]
    Ftp,
    /// UDP datagrams at a constant rate.
    Cbr,
    /// As `cbr`, in bursts with exponential on and off times.
    OnOff,
}

impl AppKind {
    /// The name in scenario files.
    pub const fn name(self) -> &'static str {
        match self {
            AppKind::Ftp => "ftp",
            AppKind::Cbr => "cbr",
            AppKind::OnOff => "on-off",
        }
    }
}

/// A flow as written in the file; `app` decides which keys apply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Flow")]
pub(crate) struct FlowTable {
    /// Sending node.
    pub from: u32,
    /// Receiving node; must differ from the sending node.
    pub to: u32,
    /// Application.
    #[serde(default)]
    pub app: AppKind,
    /// Start time, before the end of the run.
    #[serde(default)]
    pub start: SimDuration,
    /// Time at which the sender stops. Default: the end of the run.
    #[serde(default)]
    pub stop: Option<SimDuration>,
    /// Port at the receiver, 1 to 49151. Default: a free one.
    #[serde(default)]
    pub port: Option<u16>,
    /// `ftp`: the TCP variant. Default: that of `[tcp]`.
    #[serde(default)]
    pub tcp: Option<String>,
    /// `ftp`: amount to send before closing, at least 1B. Default: unlimited.
    #[serde(default)]
    pub bytes: Option<Bytes>,
    /// `cbr`, `on-off`: payload rate while sending. Set either this or `interval`.
    #[serde(default)]
    pub rate: Option<BitRate>,
    /// `cbr`, `on-off`: time between packets. Set either this or `rate`.
    #[serde(default)]
    pub interval: Option<SimDuration>,
    /// `cbr`, `on-off`: payload of a packet, 1B to 9000B. Default: 512B.
    #[serde(default)]
    pub size: Option<Bytes>,
    /// `cbr`: number of packets to send, at least 1. Default: unlimited.
    #[serde(default)]
    pub packets: Option<u64>,
    /// `on-off`: mean length of a burst (exponential).
    #[serde(default)]
    pub on: Option<SimDuration>,
    /// `on-off`: mean pause between bursts (exponential).
    #[serde(default)]
    pub off: Option<SimDuration>,
}
