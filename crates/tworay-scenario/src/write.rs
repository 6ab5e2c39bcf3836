//! Writes a scenario as TOML.

use crate::fields::fields_of;
use crate::flow::{AppKind, Application, FlowSetup, FlowTable};
use crate::scenario::Scenario;
use crate::settings::Settings;
use crate::traffic::{NextTransfer, Over};
use tworay_base::Bytes;

impl Scenario {
    /// The resolved scenario as complete TOML. Read from the same working directory, it gives an equal
    /// scenario.
    pub fn to_toml(&self) -> String {
        to_toml(self)
    }

    /// The scenario as stored with results: as [`Self::to_toml`], but with `costs` as the name of a user's
    /// own table of costs in the same directory. Also returns the text of that table, if there is one.
    pub fn to_keep(&self, costs: &str) -> (String, Option<&str>) {
        if self.settings.energy.costs.is_none() {
            return (self.to_toml(), None);
        }
        let mut kept = self.clone();
        kept.settings.energy.costs = Some(costs.into());
        (kept.to_toml(), Some(&self.costs.text))
    }
}

/// The complete text.
fn to_toml(scenario: &Scenario) -> String {
    let mut file = scenario.settings.clone();
    file.flows = scenario.flows.iter().map(flow_table).collect();
    let mut value = toml::Table::try_from(&file).expect("a scenario is a TOML table: it was read from one");
    if let Some(toml::Value::Table(tcp)) = value.get_mut("tcp") {
        tcp.insert("variant".into(), toml::Value::String(scenario.variant.name().to_owned()));
    }
    render(&value)
}

/// The keys in the order of [`Settings`]; those within tables are sorted.
fn render(value: &toml::Table) -> String {
    let mut text = String::new();
    for &key in fields_of::<Settings>() {
        let Some(part) = value.get(key).filter(|part| part.as_array().is_none_or(|list| !list.is_empty()))
        else {
            continue;
        };
        if !text.is_empty() && (part.is_table() || part.is_array()) {
            text.push('\n');
        }
        text.push_str(&one(key, part));
    }
    text
}

fn one(key: &str, part: &toml::Value) -> String {
    let mut table = toml::Table::new();
    table.insert(key.to_owned(), part.clone());
    // A table of TOML values can always be written.
    toml::to_string(&table).unwrap_or_default()
}

fn flow_table(flow: &FlowSetup) -> FlowTable {
    let ends = FlowTable {
        from: u32::from(flow.from.0),
        to: u32::from(flow.to.0),
        start: flow.start.since_start(),
        stop: flow.stop.map(|stop| stop.since_start()),
        port: Some(flow.port),
        category: flow.category,
        ..FlowTable::default()
    };
    match &flow.application {
        Application::Ftp { variant, bytes } => FlowTable {
            app: AppKind::Ftp,
            tcp: Some(variant.name().to_owned()),
            bytes: bytes.map(Bytes),
            ..ends
        },
        &Application::Cbr { interval, payload, packets } => FlowTable {
            app: AppKind::Cbr,
            interval: Some(interval),
            size: Some(Bytes(u64::from(payload))),
            packets,
            ..ends
        },
        &Application::OnOff { interval, payload, on, off } => FlowTable {
            app: AppKind::OnOff,
            interval: Some(interval),
            size: Some(Bytes(u64::from(payload))),
            on: Some(on),
            off: Some(off),
            ..ends
        },
        Application::Transfers { transfers, variant } => {
            let (every, think) = match transfers.next {
                NextTransfer::Poisson(mean) => (Some(mean), None),
                NextTransfer::After(mean) => (None, Some(mean)),
            };
            // Requests in a closed loop have a name of their own.
            let asks = transfers.request > 0 && think.is_some();
            FlowTable {
                app: if asks { AppKind::Request } else { AppKind::Web },
                tcp: Some(variant.name().to_owned()),
                sizes: Some(transfers.sizes.clone()),
                request: Some(Bytes(transfers.request)),
                transfers: transfers.count,
                every,
                think,
                ..ends
            }
        }
        Application::Video { video, variant } => FlowTable {
            app: AppKind::Video,
            tcp: Some(variant.name().to_owned()),
            rate: Some(video.rate),
            chunk: Some(video.chunk),
            buffer: Some(video.buffer),
            startup: Some(video.startup),
            ..ends
        },
        Application::Replay { trace, variant } => FlowTable {
            app: AppKind::Replay,
            tcp: variant.as_ref().map(|variant| variant.name().to_owned()),
            file: Some(trace.file.clone()),
            source: trace.source.map(|source| source.to_string()),
            over: Some(if variant.is_some() { Over::Tcp } else { Over::Udp }),
            ..ends
        },
        // No scenario has such a flow; it only exists in a network used by real stations.
        Application::External { .. } => ends,
    }
}
