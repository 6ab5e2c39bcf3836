//! Packets that reach an imagined queue earlier than the real one.
//!
//! Noise before a relay slows down what arrives there. Without it, the station before would send sooner, and would send packets that its
//! full queue rejects. The imagined MAC of that station does so in the time that noise costs the real one. What it sends then is
//! in this relay's imagined queue, beside what really arrives. When the real station sends such a packet later, it has been counted.

/// Packets that an imagined queue has beyond those that have really arrived.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Fed {
    more: u32,
    /// Places of the queue.
    limit: u32,
    /// Packets that this station's imagined MAC has sent to the next one and the real one has not, and those of them that the real one has
    /// sent since the last call of `early`.
    ahead: u32,
    sent: u32,
}

impl Fed {
    /// Of a queue with so many places.
    pub fn up_to(limit: u32) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Places of the queue.
    pub fn limit(&self) -> u32 {
        self.limit
    }

    /// The node begins anew.
    pub fn anew(self) -> Self {
        Self::up_to(self.limit)
    }

    /// Packets in the imagined queue beside those that have really arrived.
    pub fn more(&self) -> u32 {
        self.more
    }

    /// True if there are any.
    #[inline]
    pub fn any(&self) -> bool {
        self.more > 0
    }

    /// True if the same packets have come to the imagined queue and to the real one, and have been sent on from both.
    #[inline]
    pub fn is_even(&self) -> bool {
        self.more == 0 && self.ahead == 0
    }

    /// The real queue is empty: nothing comes any more of what it has rejected.
    #[inline]
    pub fn rest(&mut self) {
        (self.more, self.ahead) = (0, 0);
    }

    /// The real MAC has sent a packet that the imagined one has sent before.
    #[inline]
    pub fn sent_before(&mut self) {
        if self.ahead > 0 {
            self.ahead -= 1;
            self.sent += 1;
        }
    }

    /// The imagined MAC has sent some of them.
    pub fn sent(&mut self, packets: u32) {
        self.more = self.more.saturating_sub(packets);
    }

    /// The queue has so many places for them.
    #[inline]
    pub fn fits(&mut self, places: u32) {
        self.more = self.more.min(places);
    }

    /// So many packets come early from the station before, beside `length` that have arrived.
    pub fn early(&mut self, packets: u32, length: u32, before: &mut Self) {
        before.ahead += packets;
        let arrived = std::mem::take(&mut before.sent);
        self.more = (self.more + packets).saturating_sub(arrived);
        self.fits(self.limit.saturating_sub(length));
    }
}

#[cfg(test)]
mod tests;
