use super::*;
use tworay_base::BitRate;

fn s(seconds: f64) -> SimDuration {
    SimDuration::from_secs_f64(seconds)
}

fn at(seconds: f64) -> SimTime {
    SimTime::ZERO + s(seconds)
}

/// A player of chunks of 2 s with room for 6 s, which starts with `startup`.
fn player(startup: f64) -> Playout {
    let rate = BitRate::from_bps(1_000_000);
    Playout::new(Video { rate, chunk: s(2.0), buffer: s(6.0), startup: s(startup) }, at(1.0))
}

#[test]
fn it_plays_when_the_buffer_holds_enough() {
    let mut player = player(4.0);
    assert_eq!(player.arrived(at(1.5)), at(1.5), "not yet playing: the next chunk at once");
    assert_eq!(player.startup, None);
    assert_eq!(player.arrived(at(2.0)), at(2.0), "4 s of 6 s: room for a chunk");
    assert_eq!(player.startup, Some(s(1.0)));
    // At 2.5 s it has 4 − 0.5 + 2 = 5.5 s; room for 2 s more of 6 s is when 4 s are left, in 1.5 s.
    assert_eq!(player.arrived(at(2.5)), at(4.0));
    assert_eq!(player.stalls_until(at(8.0)), (0, s(0.0)), "5.5 s from 2.5 s on");
    assert_eq!(player.stalls_until(at(9.0)), (1, s(1.0)));
}

#[test]
fn a_stall_lasts_until_the_buffer_holds_enough_again() {
    let mut player = player(4.0);
    for time in [2.0, 3.0] {
        player.arrived(at(time));
    }
    // 4 s from 3 s on: empty at 7 s. It goes on with two chunks, at 9.5 s; these last until 13.5 s.
    player.arrived(at(8.0));
    assert_eq!(player.stalls_until(at(8.5)), (1, s(1.5)));
    player.arrived(at(9.5));
    assert_eq!(player.stalls_until(at(13.5)), (1, s(2.5)));
    assert_eq!(player.stalls_until(at(14.0)), (2, s(3.0)));
}

#[test]
fn a_chunk_with_the_last_picture_is_in_time_and_what_is_switched_off_does_not_stall() {
    let mut player = player(2.0);
    player.arrived(at(1.0));
    player.arrived(at(3.0));
    player.end(at(5.0));
    assert_eq!(player.stalls_until(at(100.0)), (0, s(0.0)));
}
