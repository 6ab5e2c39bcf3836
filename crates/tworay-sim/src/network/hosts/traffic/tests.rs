use super::*;
use std::sync::Arc;
use tworay_base::{Bytes, Purpose};
use tworay_scenario::{Scenario, Sizes};
use tworay_wire::packet_trace::TracePacket;

fn rng() -> RngStream {
    RngStream::numbered(3, 0, Purpose::Traffic)
}

fn at(ms: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_millis(ms)
}

fn traffic(application: fn(tworay_tcp::Variant) -> Application) -> Box<Traffic> {
    let variant = Scenario::read_variant("newreno").unwrap();
    Traffic::new(&application(variant), at(0)).expect("transfers")
}

fn web(next: NextTransfer, request: u64, variant: tworay_tcp::Variant) -> Application {
    let sizes = Sizes::Fixed { size: Bytes(1000) };
    Application::Transfers { transfers: Transfers { request, sizes, next, count: Some(3) }, variant }
}

#[test]
fn a_poisson_process_has_its_mean_interval() {
    let mut rng = rng();
    let mut traffic = traffic(|variant| {
        let next = NextTransfer::Poisson(SimDuration::from_millis(500));
        let sizes = Sizes::Fixed { size: Bytes(1) };
        Application::Transfers { transfers: Transfers { request: 0, sizes, next, count: None }, variant }
    });
    let mut now = traffic.start(at(0), &mut rng).again.unwrap();
    for _ in 0..40_000 {
        now = traffic.act(now, &mut rng).again.unwrap();
    }
    // The mean of N exponential intervals scatters by its mean / √N, 0.5 %.
    let mean = now.as_secs_f64() / 40_001.0;
    assert!((mean / 0.5 - 1.0).abs() < 0.02, "{mean}");
}

#[test]
fn a_closed_loop_waits_for_each_transfer() {
    let mut traffic = traffic(|variant| web(NextTransfer::After(SimDuration::ZERO), 0, variant));
    let mut rng = rng();
    let data = |data| Step { data, ..Step::default() };
    assert_eq!(traffic.start(at(0), &mut rng), data(1000));
    assert_eq!(traffic.delivered(at(5), 999, &mut rng), Step::default());
    assert_eq!(traffic.delivered(at(9), 1000, &mut rng).again, Some(at(9)), "no pause");
    assert_eq!(traffic.act(at(9), &mut rng), data(1000));
    assert_eq!(traffic.delivered(at(30), 2000, &mut rng).again, Some(at(30)));
    assert_eq!(traffic.act(at(30), &mut rng), data(1000));
    let _ = traffic.delivered(at(31), 3000, &mut rng);
    assert_eq!(traffic.act(at(31), &mut rng), Step::default(), "three transfers, no more");
    let times: Vec<_> = traffic.transfers.iter().map(|t| (t.asked, t.done.unwrap())).collect();
    assert_eq!(times, [(at(0), at(9)), (at(9), at(30)), (at(30), at(31))]);
}

#[test]
fn transfers_of_an_open_loop_end_in_order() {
    let mut traffic = traffic(|variant| web(NextTransfer::Poisson(SimDuration::from_secs(1)), 0, variant));
    let mut rng = rng();
    for time in [1, 2, 3] {
        assert_eq!(traffic.act(at(time), &mut rng).data, 1000);
    }
    traffic.delivered(at(7), 2500, &mut rng);
    let done: Vec<_> = traffic.transfers.iter().map(|transfer| transfer.done).collect();
    assert_eq!(done, [Some(at(7)), Some(at(7)), None]);
}

#[test]
fn a_request_is_answered_when_it_is_whole() {
    let mut traffic = traffic(|variant| web(NextTransfer::After(SimDuration::ZERO), 200, variant));
    let mut rng = rng();
    assert_eq!(traffic.start(at(0), &mut rng), Step { request: 200, ..Step::default() });
    assert_eq!(traffic.heard(150), Step::default());
    assert_eq!(traffic.heard(50).data, 1000);
    assert_eq!(traffic.heard(200), Step::default(), "nothing was asked for");
}

#[test]
fn a_trace_is_written_at_its_times_until_the_flow_stops() {
    let mut traffic = traffic(|variant| {
        let packet = |ms, payload| TracePacket { at: SimDuration::from_millis(ms), ip_bytes: 0, payload };
        let packets = Arc::new([packet(0, 10), packet(40, 20), packet(45, 30)]);
        let trace = Replay { file: "t".into(), source: None, packets };
        Application::Replay { trace, variant: Some(variant) }
    });
    let mut rng = rng();
    let step = |data, again| Step { data, request: 0, again };
    assert_eq!(traffic.start(at(100), &mut rng), step(10, Some(at(140))));
    assert_eq!(traffic.act(at(140), &mut rng), step(20, Some(at(145))));
    traffic.stop(at(141));
    assert_eq!(traffic.act(at(145), &mut rng), Step::default());
}
