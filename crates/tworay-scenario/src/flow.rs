//! Flows: as written in a scenario file, and as resolved.

use crate::traffic::{Over, Replay, Sizes, Transfers, Video};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use tworay_base::{BitRate, Bytes, NodeId, SimDuration, SimTime};
use tworay_radio::phy::AccessCategory;
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
    /// Transfers over one TCP connection.
    Transfers {
        /// Their sizes, and when each begins.
        transfers: Transfers,
        /// TCP variant.
        variant: Variant,
    },
    /// Video over one TCP connection.
    Video {
        /// Its chunks, and the player's buffer.
        video: Video,
        /// TCP variant.
        variant: Variant,
    },
    /// The packets of a trace.
    Replay {
        /// The trace.
        trace: Replay,
        /// TCP variant; `None` for datagrams.
        variant: Option<Variant>,
    },
    /// Traffic of programs outside the simulation.
    External {
        /// Congestion control of the kernel, or `None` for anything but TCP.
        tcp: Option<String>,
    },
}

impl Application {
    /// The variant of a flow over simulated TCP; `None` for datagrams, and for programs outside.
    pub const fn variant(&self) -> Option<&Variant> {
        match self {
            Self::Ftp { variant, .. } | Self::Transfers { variant, .. } | Self::Video { variant, .. } => {
                Some(variant)
            }
            Self::Replay { variant, .. } => variant.as_ref(),
            Self::Cbr { .. } | Self::OnOff { .. } | Self::External { .. } => None,
        }
    }

    /// True if it sends datagrams at rates of its own.
    pub const fn is_datagrams(&self) -> bool {
        matches!(self, Self::Cbr { .. } | Self::OnOff { .. } | Self::Replay { variant: None, .. })
    }

    /// The variant, to change it.
    pub const fn variant_mut(&mut self) -> Option<&mut Variant> {
        match self {
            Self::Ftp { variant, .. } | Self::Transfers { variant, .. } | Self::Video { variant, .. } => {
                Some(variant)
            }
            Self::Replay { variant, .. } => variant.as_mut(),
            Self::Cbr { .. } | Self::OnOff { .. } | Self::External { .. } => None,
        }
    }
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
    /// The access category of its packets, if given.
    pub category: Option<AccessCategory>,
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
    /// Transfers over one TCP connection: as a Poisson process, or one after the other with pauses.
    Web,
    /// Requests of the receiver and answers of the sender, one after the other, over one TCP connection.
    Request,
    /// Video in chunks over one TCP connection, for a player with a buffer; its stalls are counted.
    Video,
    /// The packets of a trace, at their times.
    Replay,
}

impl AppKind {
    /// The name in scenario files.
    pub const fn name(self) -> &'static str {
        match self {
            AppKind::Ftp => "ftp",
            AppKind::Cbr => "cbr",
            AppKind::OnOff => "on-off",
            AppKind::Web => "web",
            AppKind::Request => "request",
            AppKind::Video => "video",
            AppKind::Replay => "replay",
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
    /// 802.11n and ac: the access category of its packets in both directions. Default: `best-effort`.
    #[serde(default)]
    pub category: Option<AccessCategory>,
    /// `ftp`, `web`, `request`, `video`, and `replay` over TCP: the TCP variant. Default: that of `[tcp]`.
    #[serde(default)]
    pub tcp: Option<String>,
    /// `ftp`: amount to send before closing, at least 1B. Default: unlimited.
    #[serde(default)]
    pub bytes: Option<Bytes>,
    /// `cbr`, `on-off`: payload rate while sending. Set either this or `interval`. `video`: rate of the video.
    #[serde(default)]
    pub rate: Option<BitRate>,
    /// `cbr`, `on-off`: time between packets. Set either this or `rate`.
    #[serde(default)]
    pub interval: Option<SimDuration>,
    /// `cbr`, `on-off`: payload of a packet, 1B to 9000B; above 2276B, what IP would send as fragments over 802.11 is
    /// one long frame, with a warning. Default: 512B.
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
    /// `web`, `request`: sizes of the transfers from the sender to the receiver. Default of `request`: 1000B each.
    #[serde(default)]
    pub sizes: Option<Sizes>,
    /// `web`: transfers begin as a Poisson process with this mean interval, whether or not earlier ones are done.
    /// Set either this or `think`.
    #[serde(default)]
    pub every: Option<SimDuration>,
    /// `web`, `request`: mean pause (exponential) after a transfer is done, before the next one begins. Default of
    /// `request`: 0s.
    #[serde(default)]
    pub think: Option<SimDuration>,
    /// `web`, `request`: amount that the receiver sends to ask for each transfer, at most 1MB. Default of `request`:
    /// 200B; of `web`: 0B, so that the sender begins by itself.
    #[serde(default)]
    pub request: Option<Bytes>,
    /// `web`, `request`: number of transfers, at least 1. Default: unlimited.
    #[serde(default)]
    pub transfers: Option<u64>,
    /// `video`: playing time of a chunk. Default: 4s.
    #[serde(default)]
    pub chunk: Option<SimDuration>,
    /// `video`: playing time that the player keeps at most; it asks for the next chunk when there is room for it.
    /// Default: 30s, or a chunk if that is longer.
    #[serde(default)]
    pub buffer: Option<SimDuration>,
    /// `video`: playing time that the player needs to start, and to go on after a stall. Default: one chunk.
    #[serde(default)]
    pub startup: Option<SimDuration>,
    /// `replay`: the trace, relative to the scenario file: a capture (pcapng, pcap), a trace of Mahimahi (a line for
    /// each packet of 1500 bytes, with its time in ms), or CSV of a program's writes (lines `time_s,bytes`, such as
    /// `0.25,1200`, or `0,25;1200`; a first line names other units: `time_ms,kB`). The first packet is sent when the
    /// flow starts.
    #[serde(default)]
    pub file: Option<PathBuf>,
    /// `replay`: only the packets that the host with this IP address sent. Default: all packets of the capture.
    #[serde(default)]
    pub source: Option<String>,
    /// `replay`: as datagrams of the packets' lengths (`udp`, the default), or written to a TCP connection (`tcp`).
    #[serde(default)]
    pub over: Option<Over>,
}
