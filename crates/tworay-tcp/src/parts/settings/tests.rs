use super::*;

#[derive(Copy, Clone, Debug, PartialEq)]
enum Colour {
    Red,
    Blue,
}

settings! {
    /// One parameter of each kind.
    struct Example {
        /// seconds between two of them,
        /// at most
        interval: SimDuration = 2.0, 0.01..1000.0;
        /// how many
        n: u32 = required, 1.0..64.0;
        /// which
        colour: Colour = ["red" => Colour::Red, "blue" => Colour::Blue];
        /// 1: again
        again: bool = 0.0, 0.0..1.0;
        /// a share
        share: f64 = (2.0 / 3.0), 0.0..1.0;
    }
}

#[test]
fn one_declaration_gives_what_users_see() {
    let [interval, n, colour, again, share] = Example::PARAMETERS else { panic!("five") };
    assert_eq!((interval.name, interval.about), ("interval", "seconds between two of them, at most"));
    assert_eq!((interval.default, interval.min, interval.max), (Some(2.0), 0.01, 1000.0));
    assert_eq!((n.name, n.default), ("n", None));
    assert_eq!((colour.choices, colour.default), (&["red", "blue"][..], Some(0.0)));
    assert_eq!((again.min, again.max), (0.0, 1.0));
    assert_eq!(share.default, Some(2.0 / 3.0));
}

#[test]
fn and_what_the_variant_works_with() {
    let read = Example::read(&[0.5, 3.0, 1.0, 1.0, 0.25]);
    assert_eq!(read.interval, SimDuration::from_millis(500));
    assert_eq!((read.n, read.colour, read.again, read.share), (3, Colour::Blue, true, 0.25));
}

settings! {
    struct Plain {
        /// a number
        x: f64 = 1.5, 0.0..9.0;
    }
}

#[test]
fn defaults_are_those_declared() {
    assert_eq!(Plain::defaults().x, 1.5);
}
