//! Quirks of reception: where ns-2.35 departs from the plain capture rule.

/// ns-2.35's quirks of reception; all off is the plain capture rule.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ReceptionQuirks {
    /// A signal too weak to decode occupies an idle receiver as a frame would.
    pub locks_on_undecodable: bool,
    /// Frames that arrive during the station's own transmission occupy the receiver (and are lost).
    pub locks_while_transmitting: bool,
    /// Of two colliding frames, the one that ends last occupies the receiver.
    pub longest_collided_frame_holds: bool,
    /// A frame that is too weak to disturb the one being received reserves the medium for its airtime plus
    /// EIFS.
    pub captured_over_sets_nav: bool,
}

impl ReceptionQuirks {
    /// The plain capture rule.
    pub const STANDARD: ReceptionQuirks = ReceptionQuirks {
        locks_on_undecodable: false,
        locks_while_transmitting: false,
        longest_collided_frame_holds: false,
        captured_over_sets_nav: false,
    };
    /// The standard dialect: ns-2's capture rule decides what occupies the receiver; NAV and EIFS are left to
    /// the MAC.
    pub const CAPTURE: ReceptionQuirks = ReceptionQuirks {
        locks_on_undecodable: true,
        longest_collided_frame_holds: true,
        ..ReceptionQuirks::STANDARD
    };
    /// ns-2.35.
    pub const NS2: ReceptionQuirks = ReceptionQuirks {
        locks_on_undecodable: true,
        locks_while_transmitting: true,
        longest_collided_frame_holds: true,
        captured_over_sets_nav: true,
    };
}
