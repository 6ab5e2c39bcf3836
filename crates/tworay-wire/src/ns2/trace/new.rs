//! The new format (`use-newtrace`): a letter, then pairs of flag and value.

use super::line::{Line, reason};
use super::record::{TraceEvent, TraceIp, TraceMac, TraceRecord};
use crate::text_file::ReadError;
use tworay_base::Position;

/// The flags that are used.
#[derive(Default)]
struct Flags<'a> {
    t: Option<&'a str>,
    ni: Option<&'a str>,
    nx: Option<&'a str>,
    ny: Option<&'a str>,
    nl: Option<&'a str>,
    nw: Option<&'a str>,
    ma: Option<&'a str>,
    md: Option<&'a str>,
    ms: Option<&'a str>,
    mt: Option<&'a str>,
    is: Option<&'a str>,
    id: Option<&'a str>,
    it: Option<&'a str>,
    il: Option<&'a str>,
    ii: Option<&'a str>,
    iv: Option<&'a str>,
    p: Option<&'a str>,
    pn: Option<&'a str>,
    ps: Option<&'a str>,
    pi: Option<&'a str>,
}

/// `s -t 1.5 -Hs 0 -Hd 1 -Ni 0 … -Nl RTR -Nw --- -Ma 13a … -It tcp -Il 1500 … -Pn tcp -Ps 11 …`
pub(super) fn read<'a>(line: &Line<'a>, event: TraceEvent) -> Result<TraceRecord<'a>, ReadError> {
    let flags = flags(line)?;
    let kind = flags.it.unwrap_or(if flags.p == Some("arp") { "ARP" } else { "" });
    let metres = |word: &str| word.parse::<f64>().ok().filter(|m| m.is_finite());
    let position = match (flags.nx, flags.ny) {
        (None, None) => None,
        (x, y) => {
            Some(Position::new(line.parsed("coordinate", x, metres)?, line.parsed("coordinate", y, metres)?))
        }
    };
    let mac = match flags.ma {
        None => None,
        duration => Some(TraceMac {
            duration: line.hex(duration)?,
            to: line.hex(flags.md)?,
            from: line.hex(flags.ms)?,
            ethertype: line.hex(flags.mt)?,
        }),
    };
    let ip = match flags.it {
        None => None,
        Some(_) => Some(TraceIp {
            src: line.end(flags.is, '.')?,
            dst: line.end(flags.id, '.')?,
            ttl: line.ttl(flags.iv)?,
        }),
    };
    let number = match flags.pn {
        Some("tcp") => Some(line.whole("number within the flow", flags.ps)?),
        Some("cbr") => Some(line.whole("number within the flow", flags.pi)?),
        _ => None,
    };
    Ok(TraceRecord {
        line: line.number,
        at: line.time(flags.t)?,
        event,
        node: line.node(flags.ni)?,
        layer: line.layer(flags.nl)?,
        reason: reason(flags.nw),
        kind,
        uid: flags.ii.map(|_| line.uid(flags.ii)).transpose()?,
        bytes: flags.il.map(|_| line.bytes(flags.il)).transpose()?,
        position,
        mac,
        ip,
        number,
    })
}

fn flags<'a>(line: &Line<'a>) -> Result<Flags<'a>, ReadError> {
    let mut flags = Flags::default();
    let mut words = line.text.split_ascii_whitespace().skip(1);
    while let Some(flag) = words.next() {
        if !flag.starts_with('-') {
            return Err(line.bad("flag such as -Nl", Some(flag)));
        }
        let value = words.next();
        let slot = match flag {
            "-t" => &mut flags.t,
            "-Ni" => &mut flags.ni,
            "-Nx" => &mut flags.nx,
            "-Ny" => &mut flags.ny,
            "-Nl" => &mut flags.nl,
            "-Nw" => &mut flags.nw,
            "-Ma" => &mut flags.ma,
            "-Md" => &mut flags.md,
            "-Ms" => &mut flags.ms,
            "-Mt" => &mut flags.mt,
            "-Is" => &mut flags.is,
            "-Id" => &mut flags.id,
            "-It" => &mut flags.it,
            "-Il" => &mut flags.il,
            "-Ii" => &mut flags.ii,
            "-Iv" => &mut flags.iv,
            "-P" => &mut flags.p,
            "-Pn" => &mut flags.pn,
            "-Ps" => &mut flags.ps,
            "-Pi" => &mut flags.pi,
            _ if value.is_some() => continue,
            _ => return Err(line.error(&format!("the value of {flag} is missing"), CUT)),
        };
        if value.is_none() {
            return Err(line.error(&format!("the value of {flag} is missing"), CUT));
        }
        *slot = value;
    }
    Ok(flags)
}

const CUT: &str = "the line may be cut off; trace the run again, or remove the line";
