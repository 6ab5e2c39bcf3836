//! The old format: words at fixed positions.

use super::line::{Line, reason};
use super::record::{TraceEvent, TraceIp, TraceMac, TraceRecord};
use crate::text_file::ReadError;

/// Separates the MAC's part, and the energy model's, from the packet's.
const FLAGS: &str = "-------";

/// `s 1.5 _0_ RTR --- 7 tcp 1500 [13a 1 0 800] ------- [0:0 4:0 30 1] [11 0] 0 0`
pub(super) fn read<'a>(line: &Line<'a>, event: TraceEvent) -> Result<TraceRecord<'a>, ReadError> {
    let separators = |c: char| c.is_ascii_whitespace() || "[]()".contains(c);
    let mut words = line.text.split(separators).filter(|w| !w.is_empty()).skip(1);
    let at = line.time(words.next())?;
    let node = words.next();
    let node = line.node(node.map(|w| w.strip_prefix('_').and_then(|w| w.strip_suffix('_')).unwrap_or(w)))?;
    let layer = line.layer(words.next())?;
    let reason = reason(Some(words.next().ok_or_else(|| line.bad("reason", None))?));
    let uid = line.uid(words.next())?;
    let kind = words.next().ok_or_else(|| line.bad("kind of packet", None))?;
    let bytes = line.bytes(words.next())?;
    let mac = TraceMac {
        duration: line.hex(words.next())?,
        to: line.hex(words.next())?,
        from: line.hex(words.next())?,
        ethertype: line.hex(words.next())?,
    };
    let mut record = TraceRecord {
        line: line.number,
        at,
        event,
        node,
        layer,
        reason,
        kind,
        uid: Some(uid),
        bytes: Some(bytes),
        position: None,
        mac: Some(mac),
        ip: None,
        number: None,
    };
    // MAC frames end here; the energy model's bracket is skipped.
    let mut rest = words.skip_while(|w| !w.starts_with(FLAGS)).skip(1).peekable();
    if kind == "ARP" || rest.peek().is_none() {
        return Ok(record);
    }
    let src = line.end(rest.next(), ':')?;
    let dst = line.end(rest.next(), ':')?;
    record.ip = Some(TraceIp { src, dst, ttl: line.ttl(rest.next())? });
    line.whole("next hop", rest.next())?;
    if matches!(kind, "tcp" | "ack" | "cbr") {
        record.number = Some(line.whole("number within the flow", rest.next())?);
    }
    Ok(record)
}
