//! Inputs and answers of a variant written in Python: the sender's state, events, windows.

use pyo3::prelude::*;

use crate::simulator::{self, SenderView, SimDuration, Window};

/// Adds the classes to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<SenderState>()?;
    module.add_class::<PyWindow>()?;
    module.add_class::<Reaction>()?;
    module.add_class::<Ack>()?;
    module.add_class::<Loss>()?;
    module.add_class::<Rto>()?;
    module.add_class::<Rtt>()?;
    module.add_class::<Rate>()
}

/// State of the sender at the time of a callback.
#[pyclass(frozen, module = "tworay._native")]
pub(crate) struct SenderState(SenderView);

impl SenderState {
    pub(crate) fn new(view: &SenderView) -> Self {
        Self(*view)
    }
}

fn seconds(duration: Option<SimDuration>) -> Option<f64> {
    duration.map(|d| d.as_secs_f64())
}

#[pymethods]
impl SenderState {
    /// Simulated time, seconds.
    #[getter]
    fn now(&self) -> f64 {
        self.0.now.since_start().as_secs_f64()
    }
    /// Congestion window, segments.
    #[getter]
    fn cwnd(&self) -> f64 {
        self.0.cwnd
    }
    /// Slow-start threshold, segments.
    #[getter]
    fn ssthresh(&self) -> f64 {
        self.0.ssthresh
    }
    /// cwnd and ssthresh as a window; return it to change nothing.
    #[getter]
    fn window(&self) -> PyWindow {
        PyWindow { window: Window { cwnd: self.0.cwnd, ssthresh: self.0.ssthresh }, gap: None }
    }
    /// The smaller of both ends' advertised windows, segments.
    #[getter]
    fn advertised(&self) -> f64 {
        self.0.advertised
    }
    /// Bytes of a full segment.
    #[getter]
    fn mss(&self) -> u32 {
        self.0.mss
    }
    /// Oldest byte not acknowledged.
    #[getter]
    fn una(&self) -> u32 {
        self.0.una.0
    }
    /// Next byte to send.
    #[getter]
    fn nxt(&self) -> u32 {
        self.0.nxt.0
    }
    /// The byte after the highest ever sent.
    #[getter]
    fn max(&self) -> u32 {
        self.0.max.0
    }
    /// Segments sent and not yet acknowledged.
    #[getter]
    fn flight(&self) -> f64 {
        self.0.flight
    }
    /// Consecutive duplicate ACKs.
    #[getter]
    fn dup_acks(&self) -> u32 {
        self.0.dup_acks
    }
    /// True if fast recovery is in progress.
    #[getter]
    fn in_recovery(&self) -> bool {
        self.0.in_recovery
    }
    /// True if the sender is repairing losses after a timeout.
    #[getter]
    fn after_timeout(&self) -> bool {
        self.0.after_timeout
    }
    /// Smoothed round-trip time, seconds; `None` before the first sample.
    #[getter]
    fn srtt(&self) -> Option<f64> {
        seconds(self.0.srtt)
    }
    /// Round-trip time variation, seconds.
    #[getter]
    fn rttvar(&self) -> Option<f64> {
        seconds(self.0.rttvar)
    }
    /// Retransmission timeout in force, backoff included, seconds.
    #[getter]
    fn rto(&self) -> f64 {
        self.0.rto.as_secs_f64()
    }
    /// Path length in hops; 0 if unknown.
    #[getter]
    fn hops(&self) -> u8 {
        self.0.hops
    }
    fn __repr__(&self) -> String {
        format!("<tworay.SenderState t={:.6} cwnd={} ssthresh={}>", self.now(), self.0.cwnd, self.0.ssthresh)
    }
}

/// A congestion window and a slow-start threshold, segments, and a gap for pacing.
#[pyclass(frozen, eq, name = "Window", module = "tworay._native")]
#[derive(PartialEq)]
pub(crate) struct PyWindow {
    pub(crate) window: Window,
    pub(crate) gap: Option<f64>,
}

#[pymethods]
impl PyWindow {
    #[new]
    #[pyo3(signature = (cwnd, ssthresh, *, gap = None))]
    fn new(cwnd: f64, ssthresh: f64, gap: Option<f64>) -> Self {
        Self { window: Window { cwnd, ssthresh }, gap }
    }
    /// Congestion window, segments.
    #[getter]
    fn cwnd(&self) -> f64 {
        self.window.cwnd
    }
    /// Slow-start threshold, segments.
    #[getter]
    fn ssthresh(&self) -> f64 {
        self.window.ssthresh
    }
    /// Pacing: minimum time between two data segments, seconds; 0 for none, `None` for an unchanged gap.
    #[getter]
    fn gap(&self) -> Option<f64> {
        self.gap
    }
    fn __repr__(&self) -> String {
        let gap = self.gap.map_or(String::new(), |gap| format!(", gap={gap}"));
        format!("Window(cwnd={}, ssthresh={}{gap})", self.window.cwnd, self.window.ssthresh)
    }
}

/// A result of `on_loss` or `on_rto` that contains more than the window.
#[pyclass(frozen, module = "tworay._native")]
pub(crate) struct Reaction {
    pub(crate) window: Py<PyWindow>,
    pub(crate) guess: Option<String>,
    pub(crate) back_off: bool,
}

#[pymethods]
impl Reaction {
    #[new]
    #[pyo3(signature = (window, *, guess = None, back_off = true))]
    fn new(window: Py<PyWindow>, guess: Option<String>, back_off: bool) -> Self {
        Self { window, guess, back_off }
    }
    /// The new window.
    #[getter]
    fn window(&self, py: Python<'_>) -> Py<PyWindow> {
        self.window.clone_ref(py)
    }
    /// The assumed cause of the loss; compared with the true cause.
    #[getter]
    fn guess(&self) -> Option<&str> {
        self.guess.as_deref()
    }
    /// True if the retransmission timeout doubles (timeouts only).
    #[getter]
    fn back_off(&self) -> bool {
        self.back_off
    }
    fn __repr__(&self) -> String {
        let (window, guess) = (self.window.get().__repr__(), &self.guess);
        format!("Reaction({window}, guess={guess:?}, back_off={})", self.back_off)
    }
}

fn standard(py: Python<'_>, window: Window) -> PyResult<Py<PyWindow>> {
    Py::new(py, PyWindow { window, gap: None })
}

/// An ACK of new data.
#[pyclass(frozen, name = "AckEvent", module = "tworay._native")]
pub(crate) struct Ack {
    /// Newly acknowledged bytes.
    #[pyo3(get)]
    bytes: u32,
    /// Newly acknowledged segments.
    #[pyo3(get)]
    segments: f64,
    /// True if the window may grow on this ACK (false during fast recovery).
    #[pyo3(get)]
    may_grow: bool,
    /// The window that the standard rule would set (RFC 5681, one step per ACK).
    #[pyo3(get)]
    standard: Py<PyWindow>,
}

impl Ack {
    pub(crate) fn new(py: Python<'_>, event: &simulator::AckEvent) -> PyResult<Self> {
        let standard = standard(py, event.standard)?;
        Ok(Self { bytes: event.bytes, segments: event.segments, may_grow: event.may_grow, standard })
    }
}

/// Duplicate ACKs indicated a loss; recovery starts.
#[pyclass(frozen, name = "LossEvent", module = "tworay._native")]
pub(crate) struct Loss {
    /// First byte of the lost segment.
    #[pyo3(get)]
    seq: u32,
    /// The window that the standard rule would set.
    #[pyo3(get)]
    standard: Py<PyWindow>,
}

impl Loss {
    pub(crate) fn new(py: Python<'_>, event: &simulator::LossEvent) -> PyResult<Self> {
        Ok(Self { seq: event.seq.0, standard: standard(py, event.standard)? })
    }
}

/// The retransmission timer expired with data outstanding.
#[pyclass(frozen, name = "RtoEvent", module = "tworay._native")]
pub(crate) struct Rto {
    /// First byte outstanding.
    #[pyo3(get)]
    seq: u32,
    /// Consecutive timeouts of this byte, this one included.
    #[pyo3(get)]
    consecutive: u32,
    /// The window that the standard rule would set.
    #[pyo3(get)]
    standard: Py<PyWindow>,
}

impl Rto {
    pub(crate) fn new(py: Python<'_>, event: &simulator::RtoEvent) -> PyResult<Self> {
        let standard = standard(py, event.standard)?;
        Ok(Self { seq: event.seq.0, consecutive: event.consecutive, standard })
    }
}

/// A round-trip sample permitted by Karn's rule.
#[pyclass(frozen, name = "RttEvent", module = "tworay._native")]
pub(crate) struct Rtt {
    /// The exact sample, seconds.
    #[pyo3(get)]
    exact: f64,
    /// The sample in clock ticks, as the retransmission timer uses it, seconds.
    #[pyo3(get)]
    ticked: f64,
}

impl Rtt {
    pub(crate) fn new(event: &simulator::RttEvent) -> Self {
        Self { exact: event.exact.as_secs_f64(), ticked: event.ticked.as_secs_f64() }
    }
}

/// The rate at which data was delivered, by one ACK (Cheng et al. 2022).
#[pyclass(frozen, name = "RateSample", module = "tworay._native")]
pub(crate) struct Rate(simulator::RateSample);

impl Rate {
    pub(crate) fn new(sample: &simulator::RateSample) -> Self {
        Self(*sample)
    }
}

#[pymethods]
impl Rate {
    /// Delivery rate, segments per second; `None` if the sample is shorter than any round trip.
    #[getter]
    fn rate(&self) -> Option<f64> {
        self.0.rate()
    }
    /// Segments delivered in the sample's interval.
    #[getter]
    fn delivered(&self) -> f64 {
        self.0.delivered
    }
    /// Length of the interval, seconds; `None` if it is shorter than any round trip.
    #[getter]
    fn interval(&self) -> Option<f64> {
        seconds(self.0.interval)
    }
    /// True if the application had no more data to send: the path may be faster.
    #[getter]
    fn app_limited(&self) -> bool {
        self.0.app_limited
    }
    /// Segments that this ACK reports for the first time.
    #[getter]
    fn newly_delivered(&self) -> f64 {
        self.0.newly_delivered
    }
    /// Segments delivered when the segment of the sample was sent. A round trip is over when this reaches the
    /// `total_delivered` of its start.
    #[getter]
    fn prior_delivered(&self) -> f64 {
        self.0.prior_delivered
    }
    /// Segments delivered so far.
    #[getter]
    fn total_delivered(&self) -> f64 {
        self.0.total_delivered
    }
    /// Segments lost in the interval.
    #[getter]
    fn lost(&self) -> f64 {
        self.0.lost
    }
    /// Segments in flight after this ACK.
    #[getter]
    fn in_flight(&self) -> f64 {
        self.0.in_flight
    }
    /// Round trip of the segment of the sample, seconds; `None` if it was sent more than once.
    #[getter]
    fn rtt(&self) -> Option<f64> {
        seconds(self.0.rtt)
    }
}
