use super::*;
use crate::control::tests::{LOSS, ack, view};
use tworay_base::SimDuration;

/// A sender and the next byte it sends; each call of `round` is one round trip.
struct Path {
    cdg: Cdg,
    view: SenderView,
    effects: Effects,
}

impl Path {
    fn new(options: Options) -> Self {
        let mut view = view(20.0, 10.0);
        view.nxt = Seq32(20_001);
        view.max = view.nxt;
        Self { cdg: Cdg::new(options), view, effects: Effects::new() }
    }

    /// Takes samples of a round trip and the ACK that ends it; returns the window afterwards.
    fn round(&mut self, samples: &[f64]) -> f64 {
        for ms in samples {
            let exact = SimDuration::from_secs_f64(ms / 1e3);
            self.cdg.on_rtt(&self.view, &RttEvent { exact, ticked: exact }, &mut self.effects);
        }
        self.view.una = self.view.nxt;
        self.view.nxt = self.view.nxt.plus(20_000);
        self.view.max = self.view.nxt;
        self.cdg.on_ack(&self.view, &ack(&self.view), &mut self.effects).cwnd
    }

    fn lose(&mut self) -> (Window, Option<&'static str>) {
        self.effects.clear();
        let window = self.cdg.on_loss(&self.view, &LOSS, &mut self.effects);
        let guess = self.effects.iter().find_map(|e| match e {
            Effect::Guess { guess, .. } => Some(*guess),
            _ => None,
        });
        (window, guess)
    }
}

/// The queue's state by the signs of the mean gradients; losses computed by hand.
#[test]
fn the_extremes_of_round_trips_show_the_queue() {
    // Shortest and longest sample of each round trip, the state, window after a loss at 20, the guess.
    let table: [(&[[f64; 2]], Queue, f64, &str); 5] = [
        (&[[50.0, 60.0]], Queue::Unknown, 10.5, CONGESTION),
        (&[[50.0, 60.0], [51.0, 62.0]], Queue::Rising, 20.0, CHANNEL),
        (&[[50.0, 60.0], [49.0, 58.0]], Queue::Falling, 20.0, CHANNEL),
        (&[[50.0, 60.0], [55.0, 60.0]], Queue::Full, 10.5, CONGESTION),
        (&[[50.0, 60.0], [50.0, 55.0]], Queue::Empty, 20.0, CHANNEL),
    ];
    for (rounds, queue, window, guess) in table {
        // Backoffs are so rare that none happens here.
        let mut path = Path::new(Options { scale: 10_000.0, ..Options::defaults() });
        for [min, max] in rounds {
            path.round(&[*min, *max]);
        }
        assert_eq!(path.cdg.queue, queue);
        // Half of the shadow window, which has grown one step per ACK, if congestion is inferred.
        let (found, said) = path.lose();
        assert!((found.ssthresh - window).abs() < 0.6, "{queue:?}: {found:?}");
        assert_eq!(said, Some(guess), "{queue:?}");
    }
    let mut linux = Path::new(Options { tolerance: false, scale: 10_000.0, ..Options::defaults() });
    linux.round(&[50.0, 60.0]);
    linux.round(&[51.0, 62.0]);
    let (window, guess) = linux.lose();
    assert!(window.cwnd < 11.0 && guess.is_none(), "every loss counts: {window:?}");
}

/// §3.2: with mean gradient g, one of 1/(1 − exp(−g/G)) round trips backs off. Both extremes rise by 3 ms
/// per round trip, averaged over one: P = 1 − 1/e = 0.632 at G = 3 ms.
#[test]
fn the_chance_of_a_back_off_is_exponential() {
    for (scale, p) in [(3.0, 0.632), (12.0, 0.2212)] {
        let mut backed_off = 0;
        for seed in 0..4000 {
            let mut path = Path::new(Options { scale, window: 1, ..Options::defaults() });
            path.cdg.seed(seed);
            path.round(&[50.0]);
            backed_off += u32::from(path.round(&[53.0]) < 20.0);
        }
        let share = f64::from(backed_off) / 4000.0;
        // Three standard deviations of 4000 draws: 0.023.
        assert!((share - p).abs() < 0.023, "G = {scale}: {share}");
    }
}

#[test]
fn a_back_off_leaves_a_share_and_is_not_repeated_before_its_effect() {
    let mut path = Path::new(Options { scale: 0.01, ..Options::defaults() });
    assert!(path.round(&[50.0]) > 20.0);
    assert!((path.round(&[60.0]) - 14.0).abs() < 1e-9, "0.7 of 20");
    assert!(path.round(&[70.0]) > 20.0, "the next round trip says nothing yet");
    assert!((path.round(&[80.0]) - 14.0).abs() < 1e-9);
    let (kept, guess) = path.lose();
    assert_eq!((kept.cwnd, guess), (20.0, Some(CONGESTION)), "responding already");
}

/// Backoffs without effect indicate competitors: 5 happen, 5 are skipped, and so on.
#[test]
fn back_offs_in_vain_pause() {
    let mut path = Path::new(Options { scale: 0.01, ..Options::defaults() });
    let found: String =
        (0..42).map(|i| if path.round(&[50.0 + 10.0 * f64::from(i)]) < 20.0 { 'b' } else { '.' }).collect();
    // Every second round trip has a gradient.
    let expected = format!(".{}{}{}", "b.".repeat(5), "..".repeat(5), "b.".repeat(5));
    assert_eq!(&found[..expected.len()], expected);
}

/// §3.4: the shadow window is that of a sender that reacts only to losses, which the receiver's window of 8
/// limits too. After a congestion loss at least half of it is left: 4 segments.
#[test]
fn the_shadow_window_is_in_use() {
    let mut path = Path::new(Options { scale: 10_000.0, ..Options::defaults() });
    path.view = SenderView { cwnd: 78.0, ssthresh: 10.0, advertised: 8.0, flight: 8.0, ..path.view };
    for _ in 0..3 {
        path.round(&[50.0, 60.0]);
    }
    let event = LossEvent { standard: Window { cwnd: 4.0, ssthresh: 4.0 }, ..LOSS };
    let window = path.cdg.on_loss(&path.view, &event, &mut path.effects);
    assert_eq!(window, Window { cwnd: 4.0, ssthresh: 4.0 });
}
