//! NetAnim's XML, the animation format of ns-3 (written like version 3.109), for nodes that move.

use std::fmt::Write;
use tworay_base::{NodeId, Position, SimTime};

/// An animation being written, in the order of time.
#[derive(Clone, Debug)]
pub struct NetAnim {
    text: String,
}

impl NetAnim {
    /// Begins with the nodes where they stand at time zero.
    pub fn new(starts: &[Position]) -> Self {
        let mut text = String::from(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<anim ver=\"netanim-3.109\" filetype=\"animation\">\n",
        );
        for (i, place) in starts.iter().enumerate() {
            // Writing to a String can't fail.
            let _ = writeln!(
                text,
                "<node id=\"{i}\" sysId=\"0\" locX=\"{}\" locY=\"{}\" />",
                Metres(place.x),
                Metres(place.y)
            );
        }
        for i in 0..starts.len() {
            let _ = writeln!(text, "<nu p=\"d\" t=\"0\" id=\"{i}\" descr=\"{i}\" />");
            let _ = writeln!(text, "<nu p=\"s\" t=\"0\" id=\"{i}\" w=\"10\" h=\"10\" />");
        }
        Self { text }
    }

    /// A node is at `place` at `t`; NetAnim lets it jump there.
    pub fn place(&mut self, t: SimTime, node: NodeId, place: Position) {
        let _ = writeln!(
            self.text,
            "<nu p=\"p\" t=\"{}\" id=\"{node}\" x=\"{}\" y=\"{}\" />",
            t.since_start().as_secs_f64(),
            Metres(place.x),
            Metres(place.y)
        );
    }

    /// The whole document.
    pub fn finish(mut self) -> String {
        self.text.push_str("</anim>\n");
        self.text
    }
}

/// Metres with the millimetres that a screen could show.
struct Metres(f64);

impl std::fmt::Display for Metres {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.3}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_stand_and_then_move() {
        let mut anim = NetAnim::new(&[Position::new(0.0, 5.0), Position::new(200.0, 5.0)]);
        anim.place(SimTime::from_nanos(1_250_000_000), NodeId(1), Position::new(201.0 / 3.0, -1.0));
        assert_eq!(
            anim.finish(),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <anim ver=\"netanim-3.109\" filetype=\"animation\">\n\
             <node id=\"0\" sysId=\"0\" locX=\"0.000\" locY=\"5.000\" />\n\
             <node id=\"1\" sysId=\"0\" locX=\"200.000\" locY=\"5.000\" />\n\
             <nu p=\"d\" t=\"0\" id=\"0\" descr=\"0\" />\n\
             <nu p=\"s\" t=\"0\" id=\"0\" w=\"10\" h=\"10\" />\n\
             <nu p=\"d\" t=\"0\" id=\"1\" descr=\"1\" />\n\
             <nu p=\"s\" t=\"0\" id=\"1\" w=\"10\" h=\"10\" />\n\
             <nu p=\"p\" t=\"1.25\" id=\"1\" x=\"67.000\" y=\"-1.000\" />\n\
             </anim>\n"
        );
    }
}
