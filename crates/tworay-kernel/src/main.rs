//! `tworay-kernel`: the part of `tworay kernel` that accesses the kernel.
//!
//! It prints one JSON document per line. Exit code 1 means that the kernel refused, 2 that the input was
//! wrong, 3 that the caller is of another version, 4 that a loaded controller is. It is a separate program so
//! that only it needs privileges, and the simulator loads without libelf.

use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::Duration;
use tworay_kernel::catalog::{self, CONTROLLERS, Controller};
use tworay_kernel::events;
use tworay_kernel::loading::{self, Presence, Refusal};
use tworay_kernel::stats::{self, Until, What};

/// Number of the form of arguments and answers. Raise it with every change of the form, here and in
/// python/tworay/kernel/__init__.py, so that a caller of another version is refused.
const PROTOCOL: &str = "1";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let Some(("--protocol", rest)) = words.split_first().map(|(first, rest)| (*first, rest)) else {
        return other_version("none");
    };
    let words = match rest {
        [PROTOCOL, words @ ..] => words,
        [theirs, ..] => return other_version(theirs),
        [] => return other_version("none"),
    };
    let (text, code) = match command(words) {
        Ok(document) => {
            if !document.is_null() {
                println!("{document}");
            }
            return ExitCode::SUCCESS;
        }
        Err(Refusal::Input(text)) => (text, 2),
        Err(Refusal::Run(text)) => (text, 1),
        Err(Refusal::Version(text)) => (text, 4),
    };
    eprintln!("{text}");
    ExitCode::from(code)
}

fn other_version(theirs: &str) -> ExitCode {
    eprintln!(
        "this loader takes commands as `tworay-kernel --protocol {PROTOCOL} COMMAND...`, and was asked with \
         protocol {theirs}: build the package and its loader together with `make kernel`"
    );
    ExitCode::from(3)
}

fn command(words: &[&str]) -> Result<Value, Refusal> {
    match words {
        ["list"] => list(),
        ["events", lasting, name @ ..] => {
            let lasting = if *lasting == "-" { None } else { Some(seconds(lasting)?) };
            let only = name.first().map(|name| find(name)).transpose()?;
            events::follow(lasting, only)?;
            Ok(Value::Null)
        }
        ["stats", lasting, port] => stats::measure(What::Whole(number(port)?), until(lasting)?),
        ["stats", lasting] => stats::measure(What::Callbacks, until(lasting)?),
        ["leftovers"] => {
            let (programs, maps) = loading::leftovers();
            Ok(json!({"programs": programs, "maps": maps}))
        }
        ["load", name, settings @ ..] => {
            let given = settings.iter().map(|s| setting(s)).collect::<Result<Vec<_>, _>>()?;
            let controller = find(name)?;
            let fresh = loading::load(controller, &given)?;
            Ok(
                json!({"loaded": controller.kernel_name, "fresh": fresh, "parameters": parameters(controller)}),
            )
        }
        ["unload", name] => {
            let controller = find(name)?;
            let done = loading::unload(controller)?;
            let defaults = done.defaults.iter().map(|one| json!({"here": one.here, "now": one.now}));
            Ok(json!({
                "unloaded": controller.kernel_name,
                "gone": done.gone,
                "connections": {"used": done.connections.used, "moved": done.connections.moved},
                "defaults": defaults.collect::<Vec<_>>(),
            }))
        }
        _ => Err(Refusal::Input(
            "usage: tworay-kernel list | load NAME [KEY=VALUE]... | unload NAME | events SECONDS|- [NAME] | \
             stats SECONDS|- [PORT] | leftovers"
                .into(),
        )),
    }
}

fn find(name: &str) -> Result<&'static Controller, Refusal> {
    catalog::find(name).ok_or_else(|| {
        let names: Vec<_> = CONTROLLERS.iter().map(|c| c.name).collect();
        Refusal::Input(format!("there is no kernel controller {name}; there are {}", names.join(", ")))
    })
}

fn setting(text: &str) -> Result<(String, String), Refusal> {
    let (name, value) =
        text.split_once('=').ok_or_else(|| Refusal::Input(format!("`{text}` is not KEY=VALUE")))?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Parses seconds, or `-` for the end of standard input.
fn until(text: &str) -> Result<Until, Refusal> {
    if text == "-" { Ok(Until::Told) } else { seconds(text).map(Until::Passed) }
}

fn seconds(text: &str) -> Result<Duration, Refusal> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| Refusal::Input(format!("`{text}` is not a number of seconds")))
}

fn number(text: &str) -> Result<u32, Refusal> {
    text.parse().map_err(|_| Refusal::Input(format!("`{text}` is not a port")))
}

fn parameters(controller: &Controller) -> Value {
    loading::parameters(controller).into_iter().map(|(name, value)| (name.to_owned(), json!(value))).collect()
}

fn list() -> Result<Value, Refusal> {
    let usable = loading::check();
    let controllers: Vec<Value> = CONTROLLERS
        .iter()
        .map(|c| {
            let (state, values) = match &usable {
                Err(_) => ("unknown", json!({})),
                Ok(()) => match loading::presence(c) {
                    Presence::Loaded(_) => ("loaded", parameters(c)),
                    Presence::Foreign => ("foreign", json!({})),
                    Presence::Absent if loading::programs(c).is_empty() => ("absent", json!({})),
                    Presence::Absent => ("leaving", json!({})),
                },
            };
            let known: Vec<Value> = c
                .parameters
                .iter()
                .map(|p| json!({"name": p.name, "default": p.default, "max": p.max, "about": p.about}))
                .collect();
            json!({
                "name": c.kernel_name, "variant": c.name, "summary": c.summary, "state": state,
                "parameters": known, "values": values, "built": !c.object.is_empty(),
            })
        })
        .collect();
    let refusal = match usable {
        Ok(()) => Value::Null,
        Err(Refusal::Input(text) | Refusal::Run(text) | Refusal::Version(text)) => text.into(),
    };
    Ok(json!({"controllers": controllers, "refusal": refusal}))
}
