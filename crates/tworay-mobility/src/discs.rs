//! Searches for nearby positions with a grid of cells; each search visits a position once.

use tworay_base::Position;

/// The positions that a search has not visited, by grid cell. A search costs O(positions and neighbours), not
/// O(pairs).
#[derive(Default)]
pub(crate) struct Unvisited {
    range: f64,
    cell: f64,
    origin: Position,
    columns: usize,
    rows: usize,
    /// Index in `members` at which each cell begins; one more entry marks the end of the last cell.
    starts: Vec<usize>,
    /// Number of unvisited members of each cell; they come first in its part.
    left: Vec<usize>,
    members: Vec<usize>,
    cell_of: Vec<usize>,
}

impl Unvisited {
    /// Stores all of `places`, for searches over links of at most `range` metres.
    pub fn place(&mut self, places: &[Position], range: f64) {
        let (mut low, mut high) = (Position::new(f64::MAX, f64::MAX), Position::new(f64::MIN, f64::MIN));
        for p in places {
            low = Position::new(low.x.min(p.x), low.y.min(p.y));
            high = Position::new(high.x.max(p.x), high.y.max(p.y));
        }
        self.range = range;
        self.origin = low;
        // At most a few cells per position, however far apart they are.
        let most = (places.len() as f64).sqrt().max(1.0) * 2.0;
        self.cell = range.max((high.x - low.x).max(high.y - low.y) / most).max(1.0);
        self.columns = ((high.x - low.x) / self.cell) as usize + 1;
        self.rows = ((high.y - low.y) / self.cell) as usize + 1;
        self.cell_of.clear();
        self.starts.clear();
        self.starts.resize(self.columns * self.rows + 1, 0);
        for p in places {
            let (column, row) = self.cell_at(*p);
            let cell = row * self.columns + column;
            self.cell_of.push(cell);
            self.starts[cell + 1] += 1;
        }
        for i in 1..self.starts.len() {
            self.starts[i] += self.starts[i - 1];
        }
        self.left.clear();
        self.left.resize(self.columns * self.rows, 0);
        self.members.clear();
        self.members.resize(places.len(), 0);
        for (i, &cell) in self.cell_of.iter().enumerate() {
            self.members[self.starts[cell] + self.left[cell]] = i;
            self.left[cell] += 1;
        }
    }

    /// Marks all positions as unvisited.
    pub fn reset(&mut self) {
        for (left, bounds) in self.left.iter_mut().zip(self.starts.windows(2)) {
            *left = bounds[1] - bounds[0];
        }
    }

    fn cell_at(&self, p: Position) -> (usize, usize) {
        (((p.x - self.origin.x) / self.cell) as usize, ((p.y - self.origin.y) / self.cell) as usize)
    }

    /// Visits every unvisited position within range of `here`.
    pub fn visit_near(&mut self, places: &[Position], here: Position, mut visit: impl FnMut(usize)) {
        let (column, row) = self.cell_at(here);
        for row in row.saturating_sub(1)..=(row + 1).min(self.rows - 1) {
            for column in column.saturating_sub(1)..=(column + 1).min(self.columns - 1) {
                let cell = row * self.columns + column;
                let mut at = self.starts[cell];
                while at < self.starts[cell] + self.left[cell] {
                    let place = self.members[at];
                    if places[place].distance_squared(here) <= self.range * self.range {
                        self.take(cell, at);
                        visit(place);
                    } else {
                        at += 1;
                    }
                }
            }
        }
    }

    /// Visits one position; returns false if it was visited before.
    pub fn visit(&mut self, place: usize) -> bool {
        let cell = self.cell_of[place];
        let part = self.starts[cell]..self.starts[cell] + self.left[cell];
        let found = part.into_iter().find(|&at| self.members[at] == place);
        if let Some(at) = found {
            self.take(cell, at);
        }
        found.is_some()
    }

    fn take(&mut self, cell: usize, at: usize) {
        self.left[cell] -= 1;
        self.members.swap(at, self.starts[cell] + self.left[cell]);
    }
}
