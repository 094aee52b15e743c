//! What a long list of tools costs: from the bytes of a `tools/list` result to a catalog
//! that can be asked, then each tool's first call, which compiles its schemas.
//!
//! The tools are published ones, spread over the whole corpus, each name once.

use std::collections::{HashMap, HashSet};
use std::hint::black_box;

use serde_json::{Value, json};
use toolsure_mcp::catalog::{Catalog, ToolSet};
use toolsure_mcp::check::{Checker, Decision};
use toolsure_mcp::contract::SchemaStore;
use toolsure_testkit::corpus::{self, Side};
use toolsure_testkit::place::{self, Material};
use toolsure_testkit::raw;

use crate::measure::{Figure, figure, thread_time};

/// The tools as one page, and valid arguments for those that have some.
struct Page {
    text: String,
    tools: usize,
    calls: Vec<(String, String)>,
}

/// The figures of one list.
pub(crate) struct Listing {
    bytes: usize,
    tools: usize,
    /// Nanoseconds from bytes to a catalog.
    load: Figure,
    /// Nanoseconds of a tool's first call, on the average and at most, and of its next.
    first: Figure,
    worst: Figure,
    next: Figure,
    calls: usize,
}

/// Measures a list of [`TOOLS`] tools.
///
/// # Errors
///
/// One line if the corpus is not there or a listing or call is refused.
pub(crate) fn measure(passes: usize) -> Result<Listing, String> {
    let page = page()?;
    let (mut load, mut first, mut worst, mut next) = (vec![], vec![], vec![], vec![]);
    for _ in 0..passes.max(1) {
        let started = nanos()?;
        let catalog = Catalog::new(SchemaStore::new());
        let change = catalog.load([page.text.as_bytes()]);
        load.push(nanos()? - started);
        change.map_err(|e| e.to_string())?;
        let tools = catalog.snapshot();
        if tools.len() != page.tools {
            return Err(format!(
                "{} of {} tools were taken",
                tools.len(),
                page.tools
            ));
        }
        let mut checker = Checker::new();
        // The buffers that calls share are not part of a tool's first call.
        for (name, arguments) in page.calls.iter().take(1) {
            call(&mut checker, &tools, name, arguments)?;
        }
        let (mut sum, mut most, mut again) = (0.0, 0.0_f64, 0.0);
        for (name, arguments) in page.calls.iter().skip(1) {
            let started = nanos()?;
            call(&mut checker, &tools, name, arguments)?;
            let between = nanos()?;
            call(&mut checker, &tools, name, arguments)?;
            again += nanos()? - between;
            sum += between - started;
            most = most.max(between - started);
        }
        let count = float(page.calls.len().saturating_sub(1).max(1));
        first.push(sum / count);
        worst.push(most);
        next.push(again / count);
    }
    let all = |taken| figure(taken).ok_or("nothing was measured");
    Ok(Listing {
        bytes: page.text.len(),
        tools: page.tools,
        load: all(load)?,
        first: all(first)?,
        worst: all(worst)?,
        next: all(next)?,
        calls: page.calls.len().saturating_sub(1),
    })
}

impl Listing {
    /// A few lines for people.
    pub(crate) fn table(&self) -> String {
        let line = |what: &str, figure: &Figure| {
            format!(
                "{what:<28} {:>10.1} µs least {:>10.1} µs median\n",
                figure.minimum / 1e3,
                figure.median / 1e3
            )
        };
        format!(
            "{} tools, {} bytes, {} of them called\n{}{}{}{}",
            self.tools,
            self.bytes,
            self.calls,
            line("bytes to catalog", &self.load),
            line("first call of a tool, mean", &self.first),
            line("first call of a tool, most", &self.worst),
            line("its next call, mean", &self.next),
        )
    }

    /// The same for programs.
    pub(crate) fn json(&self) -> String {
        let figure = |one: &Figure| json!({"minimum": one.minimum, "median": one.median});
        let all: Value = json!({
            "tools": self.tools, "bytes": self.bytes, "called": self.calls,
            "load": figure(&self.load), "first": figure(&self.first),
            "worst": figure(&self.worst), "next": figure(&self.next),
        });
        all.to_string() + "\n"
    }
}

fn call(checker: &mut Checker, tools: &ToolSet, name: &str, arguments: &str) -> Result<(), String> {
    let tool = tools.tool(name).ok_or("a tool is gone")?;
    match black_box(checker.check_arguments_bytes(tool, arguments.as_bytes())) {
        Decision::Pass { .. } => Ok(()),
        Decision::Refuse(refusal) => Err(format!("`{name}`: {}", refusal.text())),
    }
}

fn page() -> Result<Page, String> {
    let directory = Material::Corpus.directory(None)?;
    let mut values: HashMap<(String, String), String> = HashMap::new();
    for listing in corpus::load(&directory)? {
        for value in listing.values {
            if value.valid && value.side == Side::Input {
                let key = (listing.name.clone(), value.tool);
                values.entry(key).or_insert(value.text);
            }
        }
    }
    let mut all: Vec<(String, String, String)> = Vec::new();
    let mut names = HashSet::new();
    for path in place::files(&directory.join("listings"), "json")? {
        let server = path.file_stem().unwrap_or_default().to_string_lossy();
        let text = place::text(&path)?;
        for tool in raw::items(raw::member(&text, "tools").unwrap_or_default()) {
            let name = raw::string(raw::member(tool, "name").unwrap_or_default());
            if names.insert(name.clone()) {
                all.push((server.clone().into_owned(), name, tool.to_owned()));
            }
        }
    }
    let step = (all.len() / TOOLS).max(1);
    let chosen: Vec<_> = all.into_iter().step_by(step).take(TOOLS).collect();
    let texts: Vec<&str> = chosen.iter().map(|(_, _, text)| text.as_str()).collect();
    Ok(Page {
        text: format!("{{\"tools\":[{}]}}", texts.join(",")),
        tools: chosen.len(),
        calls: chosen
            .into_iter()
            .filter_map(|(server, name, _)| {
                let arguments = values.remove(&(server, name.clone()))?;
                Some((name, arguments))
            })
            .collect(),
    })
}

fn nanos() -> Result<f64, String> {
    Ok(thread_time()?.as_secs_f64() * 1e9)
}

fn float(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Tools in the list.
const TOOLS: usize = 1_000;
