//! Floor 1: packets with typed headers, their sizes in bytes, and file formats of other programs.

pub mod aodv;
pub mod bonnmotion;
pub mod bytes;
pub mod dsr;
pub mod netanim;
pub mod ns2;
pub mod olsr;
mod packet;
pub mod packet_trace;
pub mod pcapng;
mod real;
mod tcp;
mod text_file;

pub use packet::{ArpBody, Body, Packet, UdpDatagram};
pub use real::RealPacket;
pub use tcp::{ProbeKind, ProbeOption, Report, SackBlock, SackBlocks, TcpFlags, TcpOptions, TcpSegment};
pub use text_file::{ReadError, decode_text, read_text};
