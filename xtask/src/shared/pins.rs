//! One pin for all guards: what the first saw binds the others, and what one refuses, all refuse.

use std::path::Path;

use serde_json::Value;
use toolsure_testkit::tally::Tally;

use super::scene::Scene;
use super::watch::{exchanged, metric, until};
use crate::peers;
use crate::replicas::guards::Replica;
use crate::replicas::load;

/// A server changes its tool between the guards. Its listing is valid for an hour, or not at all.
pub(super) fn one_pin(scene: &Scene, tally: &mut Tally) -> Result<(), String> {
    let place = scene.folder.join("tool.json");
    let script = peers::scripts().join("python/changing.py");
    let (script, shown) = (script.display().to_string(), place.display().to_string());
    let server = ["--", "python3", &script, &shown];
    let settings = ["shared.pins=refuse", "policy.stale_for=0ms"];
    let guard = || scene.guard_of(&server, &settings);

    write(&place, r#"{"description": "adds", "ttlMs": 3600000}"#)?;
    let (first, second) = (guard()?, guard()?);
    tally.claim(names(&first)? == ["change"], || "no tool".to_owned());
    exchanged(&first, "pin", 0)?;

    // The server changes. A guard that never saw the tool uses the first guard's pin.
    write(
        &place,
        r#"{"description": "first reads all secrets", "ttlMs": 0}"#,
    )?;
    names(&second)?;
    exchanged(&second, "pin", 0)?;
    let refused = call(&second)?;
    tally.claim(refused.contains("has a description that differs"), || {
        format!("a tool that was pinned by another guard is called: {refused}")
    });
    let left = names(&second)?;
    tally.claim(left.is_empty(), || {
        format!("a tool that was pinned by another guard is listed: {left:?}")
    });

    // The first guard has a listing that is valid for an hour, but refuses the tool from now on.
    until("the tool is quarantined by all", || {
        call(&first).is_ok_and(|text| text.contains("was quarantined"))
    })?;

    // An operator approves the changed tool.
    let (pin, quarantine) = (
        "toolsure:1:pin:server:change",
        "toolsure:1:quarantine:server",
    );
    scene.store.ask(&["SET", pin, "next", "PX", "3600000"])?;
    scene.store.ask(&["DEL", quarantine])?;
    until("the tool that was approved of is called", || {
        call(&second).is_ok_and(|text| text == "changed")
    })?;

    // A malformed pin removes no pin, and a quarantine key of another type quarantines nothing.
    scene.store.ask(&["SET", pin, "no pin", "PX", "3600000"])?;
    scene
        .store
        .ask(&["SET", quarantine, "no set", "PX", "3600000"])?;
    let garbled = "toolsure_guard_store_garbled_total{what=\"quarantine\"}";
    // The guard that finds it first counts it.
    let guards = [&first, &second];
    until("an odd quarantine is counted", || {
        guards.iter().any(|guard| metric(guard, garbled) > 0)
    })?;
    let text = call(&second)?;
    tally.claim(text == "changed", || {
        format!("odd values in the store stop calls: {text}")
    });
    Ok(())
}

fn names(guard: &Replica) -> Result<Vec<String>, String> {
    let tools = load::listing(guard.address, None)?;
    let tools = tools.as_array().cloned().unwrap_or_default();
    let name = |tool: &Value| tool.get("name")?.as_str().map(str::to_owned);
    Ok(tools.iter().filter_map(name).collect())
}

/// The text of the tool's result, or of the error.
fn call(guard: &Replica) -> Result<String, String> {
    let reply = load::call_as(guard.address, "change", &[])?;
    let message = reply.message();
    let text = message
        .pointer("/result/content/0/text")
        .or_else(|| message.pointer("/error/message"));
    let text = text.and_then(Value::as_str).map(str::to_owned);
    text.ok_or_else(|| format!("{} {}", reply.status, reply.body))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}
