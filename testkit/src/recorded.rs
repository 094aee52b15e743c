//! Shared by the tests of several crates: reproducible random numbers, and the recorded tools.

use std::collections::HashMap;

use toolsure_json::{Node as _, OwnedDocument, ReadLimits};

/// SplitMix64: the same numbers on every machine.
pub struct Dice(
    /// The state; any number will do.
    pub u64,
);

impl Dice {
    /// A number below `sides`.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let below = u64::try_from(sides).unwrap_or(1);
        usize::try_from((z ^ (z >> 31)) % below).unwrap_or(0)
    }

    /// One of the texts.
    pub fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        let at = self.roll(from.len());
        from.get(at).copied().unwrap_or_default()
    }
}

/// A schema of a recorded tool, with labelled instances.
pub struct Recorded {
    /// Server, tool, and `input` or `output`.
    pub name: String,
    /// The schema's text.
    pub schema: String,
    /// JSON texts, and whether each is valid.
    pub instances: Vec<(String, bool)>,
}

/// All schemas of the recorded listings in `../shared/corpus`; `None` if these are missing.
pub fn recorded() -> Option<Vec<Recorded>> {
    let root = crate::place::shared().join("corpus");
    let mut files: Vec<_> = std::fs::read_dir(root.join("listings"))
        .ok()?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .collect();
    files.sort();
    let mut all = Vec::new();
    for file in files {
        let stem = file.file_stem()?.to_string_lossy().into_owned();
        let listing = read(std::fs::read(&file).ok()?)?;
        let lines = std::fs::read_to_string(root.join(format!("instances/{stem}.jsonl")));
        let mut instances = labelled(&lines.unwrap_or_default());
        let listing = listing.document().root();
        for tool in listing.member("tools")?.items() {
            let tool_name = tool.member("name")?.string();
            for (which, keyword) in [("input", "inputSchema"), ("output", "outputSchema")] {
                let Some(schema) = tool.member(keyword) else {
                    continue;
                };
                let key = format!("{tool_name}/{which}");
                all.push(Recorded {
                    instances: instances.remove(&key).unwrap_or_default(),
                    name: format!("{stem}/{key}"),
                    schema: schema.raw().to_owned(),
                });
            }
        }
    }
    Some(all)
}

/// The instances of one file by tool and schema.
fn labelled(lines: &str) -> HashMap<String, Vec<(String, bool)>> {
    let mut of_tool: HashMap<String, Vec<(String, bool)>> = HashMap::new();
    for line in lines.lines() {
        let Some(line) = read(line) else { continue };
        let root = line.document().root();
        let text = |name| root.member(name).map_or("", |value| value.string());
        let key = format!("{}/{}", text("tool"), text("which"));
        let instance = root.member("instance").map_or("", |value| value.raw());
        let valid = root.member("valid").is_some_and(|value| value.boolean());
        of_tool
            .entry(key)
            .or_default()
            .push((instance.to_owned(), valid));
    }
    of_tool
}

fn read(text: impl Into<Vec<u8>>) -> Option<OwnedDocument> {
    let limits = ReadLimits {
        bytes: 64 << 20,
        ..ReadLimits::default()
    };
    OwnedDocument::read(text, &limits).ok()
}
