//! The origin of a route.

/// The origin of a route.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// This node requested it, or uses it.
    Wanted,
    /// It was addressed to another node, or seen in use.
    Overheard,
}
