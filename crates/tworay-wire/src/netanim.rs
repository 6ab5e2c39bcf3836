//! NetAnim's XML, the animation format of ns-3 (written like version 3.109): nodes at rest or moving, and
//! frames between them.
//!
//! Elements and attributes are those that NetAnim's `animxmlparser.cpp` reads: `node`, `nu` (a change of a
//! node's position, size, name or colour) and `wp` (a frame on the air with one receiver). ns-3 itself splits
//! the latter into `pr` and `wpr`; NetAnim 3.110 was observed to read those and draw nothing.

use crate::{ArpBody, Body, Packet, TcpFlags};
use std::fmt::Write;
use tworay_base::{NodeId, Position, SimTime};

/// A colour: red, green, blue.
pub type Colour = [u8; 3];

/// A frame in flight to one of its receivers.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Flight {
    /// Sender.
    pub from: NodeId,
    /// Receiver.
    pub to: NodeId,
    /// When its first and its last bit leave.
    pub sent: (SimTime, SimTime),
    /// When its first and its last bit arrive.
    pub received: (SimTime, SimTime),
}

/// An animation being written in order of time.
#[derive(Clone, Debug)]
pub struct NetAnim {
    text: String,
}

impl NetAnim {
    /// Starts a document with the nodes at their positions at time zero, each named by its number and `size`
    /// metres wide.
    pub fn new(starts: &[Position], size: f64) -> Self {
        let mut anim = Self {
            text: String::from(
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
                 <anim ver=\"netanim-3.109\" filetype=\"animation\">\n",
            ),
        };
        for (i, place) in starts.iter().enumerate() {
            let (x, y) = (Metres(place.x), Metres(place.y));
            anim.line(format_args!("<node id=\"{i}\" sysId=\"0\" locX=\"{x}\" locY=\"{y}\" />"));
        }
        for i in 0..starts.len() {
            anim.line(format_args!("<nu p=\"d\" t=\"0\" id=\"{i}\" descr=\"{i}\" />"));
            anim.line(format_args!("<nu p=\"s\" t=\"0\" id=\"{i}\" w=\"{size}\" h=\"{size}\" />"));
        }
        anim
    }

    /// Puts a node at `place` at time `t`; NetAnim makes it jump there.
    pub fn place(&mut self, t: SimTime, node: NodeId, place: Position) {
        let (x, y) = (Metres(place.x), Metres(place.y));
        self.line(format_args!("<nu p=\"p\" t=\"{}\" id=\"{node}\" x=\"{x}\" y=\"{y}\" />", Seconds(t)));
    }

    /// A node's name from `t` on; letters, digits and spaces.
    pub fn name(&mut self, t: SimTime, node: NodeId, name: &str) {
        let name = Escaped(name);
        self.line(format_args!("<nu p=\"d\" t=\"{}\" id=\"{node}\" descr=\"{name}\" />", Seconds(t)));
    }

    /// A node's colour from `t` on; NetAnim's default is red.
    pub fn colour(&mut self, t: SimTime, node: NodeId, [r, g, b]: Colour) {
        let t = Seconds(t);
        self.line(format_args!("<nu p=\"c\" t=\"{t}\" id=\"{node}\" r=\"{r}\" g=\"{g}\" b=\"{b}\" />"));
    }

    /// Draws a frame from its sender to one receiver.
    pub fn flight(&mut self, flight: &Flight, packet: &Packet) {
        let Flight { from, to, sent, received } = *flight;
        let [fb_tx, lb_tx, fb_rx, lb_rx] = [sent.0, sent.1, received.0, received.1].map(Seconds);
        let meta = Meta(packet);
        self.line(format_args!(
            "<wp fId=\"{from}\" fbTx=\"{fb_tx}\" lbTx=\"{lb_tx}\" meta-info=\"{meta}\" \
             tId=\"{to}\" fbRx=\"{fb_rx}\" lbRx=\"{lb_rx}\" />"
        ));
    }

    /// Number of bytes that [`NetAnim::take`] would return.
    pub fn pending(&self) -> usize {
        self.text.len()
    }

    /// Removes and returns the text written since the last call.
    pub fn take(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    /// Ends the document; returns all text that [`NetAnim::take`] has not returned.
    pub fn finish(mut self) -> String {
        self.text.push_str("</anim>\n");
        self.text
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "{line}");
    }
}

/// A length printed in metres with millimetre precision.
struct Metres(f64);

impl std::fmt::Display for Metres {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.3}", self.0)
    }
}

struct Seconds(SimTime);

impl std::fmt::Display for Seconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0.since_start().as_secs_f64())
    }
}

/// Text escaped for an attribute.
struct Escaped<'a>(&'a str);

impl std::fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                c if c.is_control() => f.write_str(" ")?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// A packet described in the words of ns-3's headers, which NetAnim searches for.
struct Meta<'a>(&'a Packet);

impl std::fmt::Display for Meta<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Packet { src, dst, ttl, ip_bytes, .. } = self.0;
        let protocol = match &self.0.body {
            Body::Arp(arp) => return arp_words(arp, f),
            Body::Tcp(_) => 6,
            Body::Dsr => 48,
            Body::Datagram(real) => real.bytes.get(9).copied().unwrap_or(0),
            _ => 17,
        };
        write!(
            f,
            "ns3::Ipv4Header (tos 0x0 DSCP Default ECN Not-ECT ttl {ttl} id 0 protocol {protocol} \
             offset (bytes) 0 flags [none] length: {ip_bytes} node-{src} &gt; node-{dst})"
        )?;
        if let Some(tcp) = self.0.tcp() {
            let flags = if tcp.flags.has(TcpFlags::SYN) { "SYN" } else { "ACK" };
            write!(
                f,
                " ns3::TcpHeader ({} &gt; {} [{flags}] Seq={} Ack={} Win={})",
                tcp.src_port, tcp.dst_port, tcp.seq.0, tcp.ack.0, tcp.window
            )?;
        }
        Ok(())
    }
}

/// NetAnim expects hardware addresses; node numbers are used instead.
fn arp_words(arp: &ArpBody, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
    let [high, low] = arp.sender.0.to_be_bytes();
    let kind = if arp.request { "request" } else { "reply" };
    write!(
        f,
        "ns3::ArpHeader ({kind} source mac: 00-06-00:00:00:00:{high:02x}:{low:02x} source ipv4: node-{} \
         dest ipv4: node-{})",
        arp.sender, arp.target
    )
}

#[cfg(test)]
mod tests;
