//! Converts frames for captures: their 802.11 headers, and the radiotap fields of their mode.

use tworay_mac::hcf::{AirFrame, AirKind, AirPacket};
use tworay_mac::{Frame, FrameKind};
use tworay_radio::phy::{AccessCategory, GuardInterval, Mode};
use tworay_wire::bytes::Dot11;
use tworay_wire::bytes::radiotap::Sent;

/// The frames that a network's stations send.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Frames {
    /// Those of 802.11b.
    Dsss,
    /// Those of 802.11a and g: one packet each, at several rates.
    Ofdm,
    /// Those of 802.11n and ac, with categories of traffic and aggregates.
    Qos,
}

/// Header of a frame of the 802.11b radio.
pub(super) fn of_frame(frame: &Frame) -> Dot11 {
    let Frame { duration, from: transmitter, to: receiver, number, retry, .. } = *frame;
    match frame.kind {
        FrameKind::Rts => Dot11::Rts { duration, receiver, transmitter },
        FrameKind::Cts => Dot11::Cts { duration, receiver },
        FrameKind::Ack => Dot11::Ack { duration, receiver },
        FrameKind::Data => Dot11::Data { duration, receiver, transmitter, number, retry, priority: None },
    }
}

/// Header of a frame without packets.
pub(super) fn of_control(frame: &AirFrame) -> Dot11 {
    let AirFrame { duration, from: transmitter, to: receiver, .. } = *frame;
    let priority = priority(frame.category);
    match frame.kind {
        AirKind::Rts => Dot11::Rts { duration, receiver, transmitter },
        AirKind::Cts => Dot11::Cts { duration, receiver },
        // A frame with packets has one header for each.
        AirKind::Ack | AirKind::Data | AirKind::Aggregate => Dot11::Ack { duration, receiver },
        AirKind::BlockAck(ack) => {
            let (start, bitmap) = (ack.start.get(), ack.bitmap);
            Dot11::BlockAck { duration, receiver, transmitter, priority, start, bitmap }
        }
        AirKind::BlockAckReq(start) => {
            Dot11::BlockAckReq { duration, receiver, transmitter, priority, start: start.get() }
        }
    }
}

/// Header of a frame with a packet, alone or in an aggregate.
pub(super) fn of_packet(frame: &AirFrame, part: &AirPacket, qos: bool) -> Dot11 {
    let AirFrame { duration, from: transmitter, to: receiver, .. } = *frame;
    let AirPacket { number, retry, .. } = *part;
    let priority = qos.then_some(priority(frame.category));
    Dot11::Data { duration, receiver, transmitter, number: number.get(), retry, priority }
}

/// The user priority whose frames a category carries (IEEE 802.11-2016, Table 10-1): the first of its two.
fn priority(category: AccessCategory) -> u8 {
    match category {
        AccessCategory::Background => 1,
        AccessCategory::BestEffort => 0,
        AccessCategory::Video => 4,
        AccessCategory::Voice => 6,
    }
}

/// Radiotap fields of a mode.
pub(super) fn sent(mode: Mode) -> Sent {
    let width = mode.width().mhz() as u8;
    let short_guard = mode.guard() == GuardInterval::Short;
    let mcs = mode.mcs().unwrap_or(0);
    match mode {
        Mode::Dsss(rate) => Sent::Dsss(Some(rate.rate())),
        Mode::Ofdm(rate) => Sent::Ofdm(rate.rate()),
        Mode::Ht(_) => Sent::Ht { mcs, width, short_guard },
        Mode::Vht(_) => Sent::Vht { mcs, streams: mode.streams(), width, short_guard },
    }
}
