//! A projection for people: the changed tools, their relations and steps.

use std::collections::HashMap;
use std::fmt::Write as _;

use toolsure_analysis::project::{Projected, Relation, Step, StepKind};
use toolsure_analysis::readers::Reader;
use toolsure_json::quote;

use super::page::Page;
use crate::render::{count, count_of, hang};
use crate::term::{BOLD, DIM, ERROR, GOOD, WARNING};

/// Renders the report of one listing.
pub(crate) fn render(
    page: &Page,
    reader: &Reader,
    all: bool,
    quiet: bool,
    columns: Option<usize>,
) -> String {
    let mut out = Sheet {
        text: String::new(),
        columns,
    };
    if let Some(fault) = &page.listing.fault {
        line(&mut out, &format!("{}: {fault}", page.listing.target));
        return out.text;
    }
    let is_equal = |tool: &Projected| tool.input.relation == Relation::Equal;
    if !quiet {
        let mut equal = Equal::default();
        let tools = page.projection.projected();
        for tool in tools.filter(|tool| is_equal(tool) && !is_unchanged(tool)) {
            equal.add(tool, all, columns);
        }
        equal.draw(&mut out, all);
    }
    for tool in &page.projection.tools {
        match tool {
            Ok(tool) if is_equal(tool) => {}
            Ok(tool) => {
                draw_head(&mut out, tool);
                draw_steps(&mut out, tool, all);
            }
            Err(refused) => {
                line(&mut out, &format!("{ERROR}left out{ERROR:#}: {refused}"));
            }
        }
    }
    let of = |name: &str| {
        let tools = page.projection.projected();
        tools
            .filter(|tool| tool.input.relation.name() == name)
            .count()
    };
    let refused = page
        .projection
        .tools
        .iter()
        .filter(|tool| tool.is_err())
        .count();
    let tools = u64::try_from(page.projection.tools.len()).unwrap_or(u64::MAX);
    if !quiet {
        let text = format!(
            "{BOLD}{} for {}{BOLD:#}: {}: {} equal, {} wider, {} narrower, {} wider and narrower, {} undecided, {refused} left out",
            page.listing.target,
            reader.name,
            count(tools, "tool"),
            of("equal"),
            of("wider"),
            of("narrower"),
            of("wider-and-narrower"),
            of("undecided"),
        );
        line(&mut out, &text);
    }
    out.text
}

/// Tools that accept the same calls as before, grouped by the text of their steps.
#[derive(Default)]
struct Equal<'p> {
    groups: Vec<(String, Vec<&'p Projected>)>,
    known: HashMap<String, usize>,
}

impl<'p> Equal<'p> {
    fn add(&mut self, tool: &'p Projected, all: bool, columns: Option<usize>) {
        let mut steps = Sheet {
            text: String::new(),
            columns,
        };
        draw_steps(&mut steps, tool, all);
        let next = self.groups.len();
        let group = *self.known.entry(steps.text.clone()).or_insert(next);
        match self.groups.get_mut(group) {
            Some((_, tools)) => tools.push(tool),
            None => self.groups.push((steps.text, vec![tool])),
        }
    }

    fn draw(&self, out: &mut Sheet, all: bool) {
        for (steps, tools) in &self.groups {
            let listed = if all { tools.len() } else { TOOLS };
            let name = |tool: &&Projected| format!("{BOLD}{}{BOLD:#}", quote(&tool.name, 64));
            let mut names: Vec<String> = tools.iter().take(listed).map(name).collect();
            if let Some(more) = tools.len().checked_sub(listed).filter(|more| *more > 0) {
                names.push(format!("… and {more} more"));
            }
            line(out, &format!("{}: {GOOD}equal{GOOD:#}", names.join(", ")));
            out.text.push_str(steps);
        }
    }
}

/// The output, and the columns of the terminal.
struct Sheet {
    text: String,
    columns: Option<usize>,
}

fn is_unchanged(tool: &Projected) -> bool {
    tool.steps.is_empty() && tool.input.steps.is_empty()
}

fn draw_head(out: &mut Sheet, tool: &Projected) {
    let name = quote(&tool.name, 64);
    let relation = &tool.input.relation;
    let word = match relation {
        Relation::Equal => format!("{GOOD}equal{GOOD:#}"),
        Relation::Wider { .. } => format!("{WARNING}wider{WARNING:#}"),
        Relation::Narrower { .. } => format!("{WARNING}narrower{WARNING:#}"),
        Relation::WiderAndNarrower { .. } => format!("{WARNING}wider and narrower{WARNING:#}"),
        Relation::Undecided { .. } => format!("{ERROR}undecided{ERROR:#}"),
    };
    line(out, &format!("{BOLD}{name}{BOLD:#}: {word}"));
    if let Some(witness) = relation.wider() {
        let witness = quote(witness, WITNESS);
        line(
            out,
            &format!("    {DIM}wider:{DIM:#} accepts `{witness}`, which the tool refuses"),
        );
    }
    if let Some(witness) = relation.narrower() {
        let witness = quote(witness, WITNESS);
        line(
            out,
            &format!(
                "    {DIM}narrower:{DIM:#} cannot express `{witness}`, which the tool accepts"
            ),
        );
    }
    if let Relation::Undecided { why, .. } = relation {
        line(out, &format!("    {why}"));
    }
}

fn draw_steps(out: &mut Sheet, tool: &Projected, all: bool) {
    let steps = alike(tool.steps.iter().chain(&tool.input.steps));
    let shown = if all { steps.len() } else { STEPS };
    for (step, places) in steps.iter().take(shown) {
        let why = step.kind.why();
        let [place] = places.as_slice() else {
            let listed = if all { places.len() } else { PLACES };
            let mut list: Vec<String> = places
                .iter()
                .take(listed)
                .map(|place| quoted(place))
                .collect();
            if let Some(more) = places.len().checked_sub(listed).filter(|more| *more > 0) {
                list.push(format!("… and {more} more"));
            }
            let (number, list) = (count_of(places.len(), "place"), list.join(", "));
            line(
                out,
                &format!("    {step}, in {number}; {DIM}{why}{DIM:#}: {list}"),
            );
            continue;
        };
        line(
            out,
            &format!("    {}: {step}; {DIM}{why}{DIM:#}", quoted(place)),
        );
    }
    let hidden = steps.iter().skip(shown).map(|(_, places)| places.len());
    let hidden = hidden.fold(tool.input.more_steps, usize::saturating_add);
    if hidden > 0 {
        let steps = count(u64::try_from(hidden).unwrap_or(u64::MAX), "more step");
        line(
            out,
            &format!("    {DIM}… and {steps}; `--all` shows them{DIM:#}"),
        );
    }
}

/// Groups steps that differ only in their locations.
fn alike<'s>(steps: impl Iterator<Item = &'s Step>) -> Vec<(&'s Step, Vec<&'s str>)> {
    let mut groups: Vec<(&Step, Vec<&str>)> = Vec::new();
    let mut known: HashMap<(StepKind, &str), usize> = HashMap::new();
    for step in steps {
        let next = groups.len();
        let group = *known
            .entry((step.kind, step.detail.as_str()))
            .or_insert(next);
        match groups.get_mut(group) {
            Some((_, places)) => places.push(&step.pointer),
            None => groups.push((step, vec![&step.pointer])),
        }
    }
    groups
}

fn quoted(place: &str) -> String {
    quote(place, PLACE).to_string()
}

fn line(out: &mut Sheet, text: &str) {
    // Writing to a string cannot fail.
    let _infallible = writeln!(out.text, "{}", hang(text, out.columns));
}

/// Maximum names that are listed of tools with the same steps.
const TOOLS: usize = 8;
/// Maximum steps shown for each tool.
const STEPS: usize = 6;
/// Maximum characters of a witness.
const WITNESS: usize = 160;
/// Maximum locations listed for each step.
const PLACES: usize = 4;
/// Maximum characters of a location.
const PLACE: usize = 120;
