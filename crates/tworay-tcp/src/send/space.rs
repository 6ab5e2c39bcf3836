//! The sequence space: 64-bit offsets; 0 is the SYN, 1 the first data byte, and the FIN follows the last
//! one.

use crate::config::TcpConfig;
use tworay_base::Seq32;

/// More data than any run can send.
const ENDLESS: u64 = 1 << 62;

/// Data written, sent and acknowledged (RFC 9293 §3.3.1).
#[derive(Debug)]
pub(crate) struct Space {
    /// Bytes per full segment.
    pub mss: u64,
    iss: Seq32,
    /// Oldest offset not acknowledged.
    pub una: u64,
    /// Next offset to send; moves back after a timeout.
    pub nxt: u64,
    /// The offset after the highest ever sent.
    pub max: u64,
    /// The offset after the last byte written.
    pub data_end: u64,
    /// True if a FIN follows the data.
    fin_wanted: bool,
    /// The peer's window, bytes.
    peer_window: u64,
}

impl Space {
    pub fn new(cfg: &TcpConfig) -> Self {
        Self {
            mss: cfg.mss.0,
            iss: Seq32(cfg.iss),
            una: 0,
            nxt: 0,
            max: 0,
            data_end: 1,
            fin_wanted: false,
            peer_window: cfg.window_bytes(),
        }
    }

    /// The SYN counts as sent and acknowledged.
    pub fn skip_syn(&mut self) {
        (self.una, self.nxt, self.max) = (1, 1, 1);
    }

    /// Adds data to send.
    pub fn write(&mut self, bytes: u64) {
        self.data_end = self.data_end.saturating_add(bytes).min(ENDLESS);
    }

    /// Takes back the data that has not been sent.
    pub fn take_back_unsent(&mut self) {
        self.data_end = self.data_end.min(self.max.max(1));
    }

    /// Requests a FIN after the written data.
    pub fn want_fin(&mut self) {
        self.fin_wanted = true;
    }

    /// Sets the peer's advertised window in bytes; returns whether it changed.
    pub fn set_peer_window(&mut self, bytes: u32) -> bool {
        let changed = self.peer_window != u64::from(bytes);
        self.peer_window = u64::from(bytes);
        changed
    }

    /// True if the peer's window has room.
    #[inline]
    pub fn peer_has_room(&self) -> bool {
        self.peer_window > 0
    }

    /// The offset after everything to be sent.
    #[inline]
    pub fn end(&self) -> u64 {
        self.data_end + u64::from(self.fin_wanted)
    }

    /// True if everything written, and the FIN if requested, is acknowledged.
    pub fn all_acked(&self) -> bool {
        self.una >= self.end()
    }

    /// The 32-bit sequence number of an offset.
    #[inline]
    pub fn seq(&self, offset: u64) -> Seq32 {
        self.iss.plus(offset as u32)
    }

    /// The offset of a sequence number near `una`; `None` if it lies before the SYN.
    #[inline]
    pub fn offset(&self, seq: Seq32) -> Option<u64> {
        self.una.checked_add_signed(i64::from(seq.diff(self.seq(self.una))))
    }

    /// The receive window, bytes.
    #[inline]
    pub fn rwnd(&self, cfg: &TcpConfig) -> u64 {
        cfg.window_bytes().min(self.peer_window)
    }

    /// Bytes sent and not acknowledged; after go-back-N only what has been sent again since.
    #[inline]
    pub fn flight(&self) -> u64 {
        self.nxt - self.una
    }

    /// Length of the segment that starts at `offset`. It never mixes sent and unsent data, and never
    /// contains data and the FIN together.
    #[inline]
    pub fn segment_len(&self, offset: u64) -> u64 {
        if offset == 0 || offset >= self.data_end {
            return 1;
        }
        let end = if offset < self.max { self.data_end.min(self.max) } else { self.data_end };
        self.mss.min(end - offset)
    }
}
