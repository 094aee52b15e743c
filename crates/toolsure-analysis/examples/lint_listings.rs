//! Lints the listings of a folder: how often each rule speaks, or a random sample of findings to judge.
//!
//! `lint_listings FOLDER [--profile NAME] [--sample COUNT] [--seed NUMBER] [--rule CODE] [--times COUNT]`
//!
//! With `--profile` only the rules of that profile are on. The sample is drawn with equal chances from all findings; the same seed draws
//! the same findings. Each is printed with the text around its place. `--times` lints so often, to be measured.

use std::collections::BTreeMap;
use std::error::Error;

use toolsure_analysis::lint::{Finding, Linter, profile};

/// Bytes of a place that are printed, and those before it.
const SHOWN: usize = 700;
const BEFORE: usize = 200;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str| {
        let at = arguments.iter().position(|one| one == name)?;
        arguments.get(at.saturating_add(1)).cloned()
    };
    let number = |name: &str| option(name).and_then(|text| text.parse::<u64>().ok());
    let folder = arguments.first().ok_or("which folder?")?;
    let mut paths: Vec<_> = std::fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    paths.sort();
    let mut listings = Vec::new();
    for path in paths {
        let value: serde_json::Value = serde_json::from_slice(&std::fs::read(&path)?)?;
        let tools = value.get("tools").and_then(serde_json::Value::as_array);
        let texts: Vec<String> = tools
            .into_iter()
            .flatten()
            .map(|tool| tool.to_string())
            .collect();
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        listings.push((name, texts));
    }
    let mut found: Vec<(usize, Finding)> = Vec::new();
    let linter = match option("--profile") {
        Some(name) => Linter::only(profile(&name).ok_or("there is no such profile")?),
        None => Linter::new(),
    };
    for _ in 0..number("--times").unwrap_or(1) {
        found.clear();
        for (index, (_, texts)) in listings.iter().enumerate() {
            let report = linter.lint(texts.iter().map(String::as_str));
            found.extend(report.findings.into_iter().map(|finding| (index, finding)));
        }
    }
    if let Some(code) = option("--rule") {
        found.retain(|(_, finding)| finding.rule.code == code);
    }
    let Some(count) = number("--sample") else {
        let mut by_rule: BTreeMap<&str, (usize, Vec<usize>)> = BTreeMap::new();
        for (index, finding) in &found {
            let entry = by_rule.entry(finding.rule.code).or_default();
            entry.0 = entry.0.saturating_add(1);
            if entry.1.last() != Some(index) {
                entry.1.push(*index);
            }
        }
        for (code, (findings, servers)) in by_rule {
            println!("{code} {findings} findings in {} listings", servers.len());
        }
        println!("{} findings", found.len());
        return Ok(());
    };
    let mut state = number("--seed").unwrap_or(1);
    for drawn in 1..=count {
        let Some(chance) = random(&mut state).checked_rem(u64::try_from(found.len())?) else {
            break;
        };
        let (index, finding) = found.swap_remove(usize::try_from(chance)?);
        let (name, texts) = listings.get(index).ok_or("no such listing")?;
        let text = finding.tool.and_then(|tool| texts.get(tool));
        let text = text.map(String::as_str).unwrap_or_default();
        let start = finding.span.as_ref().map_or(0, |span| span.start);
        let start = (0..=start.saturating_sub(BEFORE)).rev();
        let start = start.into_iter().find(|at| text.is_char_boundary(*at));
        let shown = text.get(start.unwrap_or(0)..).unwrap_or_default();
        let shown: String = shown.chars().take(SHOWN).collect();
        let (code, place) = (finding.rule.code, &finding.pointer);
        println!("--- {drawn} {code} {name} tool {:?} {place}", finding.tool);
        let help = finding.help.unwrap_or_default();
        println!("{}\nhelp: {help}\n{shown}\n", finding.message);
    }
    Ok(())
}

/// SplitMix64.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
