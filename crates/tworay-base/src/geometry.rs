//! Points of the plane, in metres.

/// A point of the plane, in metres; finite.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct Position {
    /// Metres to the east of the origin.
    pub x: f64,
    /// Metres to the north of the origin.
    pub y: f64,
}

impl Position {
    /// The point (`x`, `y`), in metres.
    #[inline]
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    /// The square of the distance to `other`, in m².
    #[inline]
    pub fn distance_squared(self, other: Self) -> f64 {
        let (dx, dy) = (self.x - other.x, self.y - other.y);
        dx * dx + dy * dy
    }

    /// The distance to `other`, in metres.
    #[inline]
    pub fn distance(self, other: Self) -> f64 {
        self.distance_squared(other).sqrt()
    }
}
