//! Detects headers that a correct neighbour never sends.

use crate::Malformed;
use tworay_base::NodeId;
use tworay_wire::dsr::{
    DsrHeader, MAX_ADDRESSES, MAX_SALVAGE, RouteError, RouteReply, RouteRequest, SourceRoute,
};
use tworay_wire::{Body, Packet};

/// Checks a header for impossible contents. `from` sent the frame to `to`, which is a node or broadcast.
pub(super) fn check(packet: &Packet, header: &DsrHeader, from: NodeId, to: NodeId) -> Result<(), Malformed> {
    if packet.src.is_broadcast() || from.is_broadcast() {
        return Err(Malformed::BroadcastAddress);
    }
    if let Some(request) = &header.request {
        return check_request(packet, header, request, from);
    }
    if packet.dst.is_broadcast() && matches!(packet.body, Body::Dsr) {
        return Err(Malformed::BroadcastAddress);
    }
    header.replies.iter().try_for_each(|r| check_reply(r, packet.dst))?;
    header.errors.iter().try_for_each(check_error)?;
    if header.acks.iter().any(|a| a.source.is_broadcast() || a.destination.is_broadcast()) {
        return Err(Malformed::BroadcastAddress);
    }
    match &header.source_route {
        Some(route) => check_route(packet, route, from, to),
        // Without a source route a packet travels one hop.
        None if packet.dst == to || packet.dst.is_broadcast() => Ok(()),
        None => Err(Malformed::NotOnRoute),
    }
}

fn check_request(
    packet: &Packet,
    header: &DsrHeader,
    r: &RouteRequest,
    from: NodeId,
) -> Result<(), Malformed> {
    if !packet.dst.is_broadcast() || header.source_route.is_some() || !matches!(packet.body, Body::Dsr) {
        return Err(Malformed::NotOnRoute);
    }
    if r.target.is_broadcast() {
        return Err(Malformed::BroadcastAddress);
    }
    if r.target == packet.src {
        return Err(Malformed::SameEnds);
    }
    check_list(&r.addresses)?;
    if r.addresses.contains(&packet.src) {
        return Err(Malformed::RepeatedAddress);
    }
    if r.addresses.last().unwrap_or(&packet.src) != &from {
        return Err(Malformed::NotOnRoute);
    }
    header.errors.iter().try_for_each(check_error)
}

fn check_reply(reply: &RouteReply, initiator: NodeId) -> Result<(), Malformed> {
    if reply.addresses.is_empty() {
        return Err(Malformed::EmptyList);
    }
    check_list(&reply.addresses)?;
    if reply.addresses.contains(&initiator) { Err(Malformed::RepeatedAddress) } else { Ok(()) }
}

fn check_error(error: &RouteError) -> Result<(), Malformed> {
    if [error.source, error.destination, error.unreachable].iter().any(|n| n.is_broadcast()) {
        Err(Malformed::BroadcastAddress)
    } else if error.source == error.unreachable {
        Err(Malformed::SameEnds)
    } else {
        Ok(())
    }
}

fn check_route(packet: &Packet, route: &SourceRoute, from: NodeId, to: NodeId) -> Result<(), Malformed> {
    check_list(&route.addresses)?;
    if packet.dst.is_broadcast() || route.salvage > MAX_SALVAGE {
        return Err(Malformed::NotOnRoute);
    }
    if route.addresses.contains(&packet.dst) {
        return Err(Malformed::RepeatedAddress);
    }
    if route.salvage == 0 && route.addresses.contains(&packet.src) {
        return Err(Malformed::RepeatedAddress);
    }
    if route.salvage > 0 && route.addresses.is_empty() {
        return Err(Malformed::EmptyList);
    }
    let next = route.next_hop(packet.dst).ok_or(Malformed::SegmentsLeft)?;
    // The first address of a salvaged packet is the node that sent it.
    if route.salvage > 0 && usize::from(route.segments_left) == route.addresses.len() {
        return Err(Malformed::SegmentsLeft);
    }
    if next != to || route.previous_hop(packet.src) != Some(from) {
        return Err(Malformed::NotOnRoute);
    }
    Ok(())
}

fn check_list(addresses: &[NodeId]) -> Result<(), Malformed> {
    if addresses.len() > MAX_ADDRESSES {
        return Err(Malformed::TooLong);
    }
    if addresses.iter().any(|a| a.is_broadcast()) {
        return Err(Malformed::BroadcastAddress);
    }
    let repeated = (1..addresses.len()).any(|i| addresses[..i].contains(&addresses[i]));
    if repeated { Err(Malformed::RepeatedAddress) } else { Ok(()) }
}
