//! Collects findings, with limits that hold for every listing.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use toolsure_pattern::{Hazard, Pattern};

use super::finding::{Finding, Unkept};
use super::profile::Broken;
use super::rule::Rule;
use super::severity::Severity;
use super::tool::{Place, Side};
use crate::readers::{Consequence, Fact, Kind};

/// The options of a run.
#[derive(Debug)]
pub(super) struct Plan {
    /// The table of rules.
    pub(super) rules: &'static [Rule],
    /// The rule of a finding whose code the table does not have; there is no such code.
    pub(super) first: &'static Rule,
    /// How each rule of the table is on; `None` if it is off.
    pub(super) levels: Vec<Option<Level>>,
    /// For each rule of the table, the facts that it is about.
    pub(super) facts: Vec<Vec<Broken>>,
    /// The readers that were asked for.
    pub(super) asked: Vec<&'static str>,
    /// The name of the server.
    pub(super) server: Option<String>,
    pub(super) most: Most,
}

/// How many findings of one rule are kept. Each rule has its own limit, so that no rule hides the findings
/// of another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Most {
    pub(super) of_tool: usize,
    pub(super) of_listing: usize,
}

impl Most {
    pub(super) const USUAL: Self = Self {
        of_tool: 300,
        of_listing: 1_000,
    };
    /// For verdicts: each tool has its reasons, however many tools there are.
    pub(super) const OF_EACH_TOOL: Self = Self {
        of_tool: 20,
        of_listing: usize::MAX,
    };
}

/// How a rule is on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Level {
    /// The severity of its findings, at the most.
    pub(super) severity: Severity,
    /// Whether the operator chose it, so that the facts that are broken do not.
    pub(super) is_chosen: bool,
}

/// What findings are about; the numbers are indexes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    Tool(usize),
    Page(usize),
    Listing,
}

/// Collects findings.
pub(super) struct Out<'l> {
    plan: &'l Plan,
    rule: usize,
    about: About,
    /// How many findings each rule has for the current tool or page.
    spoken: Vec<usize>,
    /// How many findings of each rule are kept.
    kept: Vec<usize>,
    findings: Vec<Finding>,
    /// The findings over the limits, by the rule and the tool.
    unkept: BTreeMap<(usize, Option<usize>), (usize, Severity)>,
    /// The latest finding, which its rule may still complete.
    last: Option<Finding>,
    last_kept: bool,
    /// The worst severity that findings get.
    ceiling: Severity,
    /// Known results for patterns, which generators repeat from tool to tool.
    hazards: HashMap<String, Hazard>,
}

impl<'l> Out<'l> {
    pub(super) fn new(plan: &'l Plan) -> Self {
        Self {
            plan,
            rule: 0,
            about: About::Listing,
            spoken: vec![0; plan.rules.len()],
            kept: vec![0; plan.rules.len()],
            findings: Vec::new(),
            unkept: BTreeMap::new(),
            last: None,
            last_kept: false,
            ceiling: Severity::Error,
            hazards: HashMap::new(),
        }
    }

    /// Sets what the next findings are about.
    pub(super) fn turn_to(&mut self, about: About) {
        self.about = about;
        self.spoken.fill(0);
    }

    /// Sets the worst severity of the next findings.
    pub(super) fn at_most(&mut self, ceiling: Severity) {
        self.ceiling = ceiling;
    }

    /// Sets the rule of the next findings; `false` if it is off.
    pub(super) fn take_up(&mut self, rule: usize) -> bool {
        self.rule = rule;
        self.plan.levels.get(rule).is_some_and(Option::is_some)
    }

    /// The facts that the current rule is about, for the readers that it applies for.
    pub(super) fn facts(&self) -> impl Iterator<Item = Broken> + use<'l> {
        let facts = self.plan.facts.get(self.rule);
        facts.into_iter().flatten().copied()
    }

    /// Those of the [`facts`](Self::facts) that `is_broken`.
    pub(super) fn broken(&self, is_broken: impl Fn(&'static Fact) -> bool) -> Vec<Broken> {
        self.facts()
            .filter(|(_, fact)| is_broken(&fact.fact))
            .collect()
    }

    /// The same for a schema on this side of a tool. A provider is told input schemas only.
    pub(super) fn broken_by(
        &self,
        side: Side,
        is_broken: impl Fn(&'static Fact) -> bool,
    ) -> Vec<Broken> {
        let mut broken = self.broken(is_broken);
        broken.retain(|(reader, _)| side == Side::Input || reader.kind != Kind::Provider);
        broken
    }

    /// The name of the server, if it is known.
    pub(super) fn server(&self) -> Option<&'l str> {
        self.plan.server.as_deref()
    }

    /// How a backtracking engine may behave for a pattern; `None` if the pattern cannot be parsed.
    pub(super) fn hazard(
        &mut self,
        text: &str,
        pattern: impl FnOnce() -> Option<Rc<Pattern>>,
    ) -> Hazard {
        if let Some(known) = self.hazards.get(text) {
            return *known;
        }
        let hazard = pattern().map_or(Hazard::None, |pattern| pattern.hazard());
        self.hazards.insert(text.to_owned(), hazard);
        hazard
    }

    /// Adds a finding of the current rule.
    pub(super) fn find(&mut self, place: Place, message: impl Into<String>) -> &mut Finding {
        self.add(self.rule, place, message.into(), None)
    }

    /// Adds a finding of the current rule for the facts that it breaks: they give the severity, and their
    /// readers are named in the help, before the advice. There is none if nothing is broken.
    pub(super) fn find_broken(
        &mut self,
        place: Place,
        message: impl Into<String>,
        broken: &[Broken],
        advice: &str,
    ) -> Option<&mut Finding> {
        (!broken.is_empty()).then(|| self.find_for(place, message, broken, advice))
    }

    /// The same, and a finding of the rule's own severity if nothing is broken.
    pub(super) fn find_for(
        &mut self,
        place: Place,
        message: impl Into<String>,
        broken: &[Broken],
        advice: &str,
    ) -> &mut Finding {
        let Some(consequence) = broken.iter().map(|(_, fact)| fact.consequence).max() else {
            return self.find(place, message).help(advice);
        };
        let level = self.plan.levels.get(self.rule).copied().flatten();
        let asked = &self.plan.asked;
        let is_meant = |(reader, _): &Broken| reader.is_current || asked.contains(&reader.name);
        let is_meant = broken.iter().any(is_meant);
        let severity = match level {
            Some(level) if level.is_chosen => level.severity,
            // What only old versions refuse, about which nobody asked, is no error.
            _ if !is_meant => Severity::of(consequence).min(Severity::Warning),
            _ => Severity::of(consequence),
        };
        let finding = self.add(self.rule, place, message.into(), Some(severity));
        finding.consequence = Some(consequence);
        finding.readers = broken.iter().map(|(reader, _)| *reader).collect();
        let projected = broken
            .iter()
            .find(|(reader, fact)| reader.is_projected_for() && fact.fact.is_projected());
        let rewrites = projected.map_or_else(String::new, |(reader, _)| {
            format!(
                "; `toolsure project --for {0}`, and the guard with `project_for = \"{0}\"`, rewrite it",
                reader.name
            )
        });
        finding.help(format!("{}; {advice}{rewrites}", told(broken)))
    }

    fn tool(&self) -> Option<usize> {
        match self.about {
            About::Tool(tool) => Some(tool),
            About::Page(_) | About::Listing => None,
        }
    }

    /// Adds a finding of another rule, named by `code`.
    pub(super) fn find_as(
        &mut self,
        code: &str,
        place: Place,
        message: impl Into<String>,
    ) -> &mut Finding {
        let mut rules = self.plan.rules.iter();
        let rule = rules.position(|rule| rule.code == code);
        self.add(rule.unwrap_or(self.rule), place, message.into(), None)
    }

    fn add(
        &mut self,
        index: usize,
        place: Place,
        message: String,
        severity: Option<Severity>,
    ) -> &mut Finding {
        let rules = self.plan.rules;
        let rule = rules.get(index).unwrap_or(self.plan.first);
        let level = self.plan.levels.get(index).copied().flatten();
        let severity = severity.or(level.map(|level| level.severity));
        let finding = Finding {
            rule,
            severity: severity.unwrap_or(Severity::Note).min(self.ceiling),
            consequence: rule.costs,
            readers: Vec::new(),
            tool: self.tool(),
            page: match self.about {
                About::Page(page) => Some(page),
                About::Tool(_) | About::Listing => None,
            },
            pointer: place.pointer,
            span: (self.about != About::Listing).then_some(place.span),
            message,
            help: None,
            setting: None,
            fix: None,
        };
        self.flush();
        self.last_kept = self.keeps(index, finding.severity);
        self.last.insert(finding)
    }

    /// Counts a finding of the current rule if there is no room for it. Rules ask this before they build a
    /// location and a message, if a schema may violate them in thousands of places.
    pub(super) fn is_only_counted(&mut self) -> bool {
        if self.has_room(self.rule) {
            return false;
        }
        let level = self.plan.levels.get(self.rule).copied().flatten();
        !self.keeps(
            self.rule,
            level.map_or(Severity::Note, |level| level.severity),
        )
    }

    /// Whether one more finding of a rule is within the limits.
    fn has_room(&self, rule: usize) -> bool {
        let below = |counts: &[usize], most| counts.get(rule).is_some_and(|count| *count < most);
        below(&self.spoken, self.plan.most.of_tool) && below(&self.kept, self.plan.most.of_listing)
    }

    /// Whether to keep a finding of a rule. It is counted in either case, unless the rule is off.
    fn keeps(&mut self, rule: usize, severity: Severity) -> bool {
        if self.plan.levels.get(rule).copied().flatten().is_none() {
            return false;
        }
        let keeps = self.has_room(rule);
        if !keeps {
            let key = (rule, self.tool());
            let (count, worst) = self.unkept.entry(key).or_insert((0, severity));
            *count = count.saturating_add(1);
            *worst = severity.max(*worst);
            return false;
        }
        for counts in [&mut self.spoken, &mut self.kept] {
            if let Some(count) = counts.get_mut(rule) {
                *count = count.saturating_add(1);
            }
        }
        true
    }

    /// The findings, and those over the limits.
    pub(super) fn finish(mut self) -> (Vec<Finding>, Vec<Unkept>) {
        self.flush();
        let unkept = self.unkept.into_iter();
        let unkept = unkept.map(|((rule, tool), (count, severity))| Unkept {
            rule: self.plan.rules.get(rule).unwrap_or(self.plan.first),
            tool,
            count,
            severity,
        });
        (self.findings, unkept.collect())
    }

    fn flush(&mut self) {
        if let Some(finding) = self.last.take().filter(|_| self.last_kept) {
            self.findings.push(finding);
        }
    }
}

/// What the readers of broken facts do, such as `OpenAI and VS Code refuse the request`.
fn told(broken: &[Broken]) -> String {
    let mut groups: Vec<(Consequence, Vec<&str>)> = Vec::new();
    for (reader, fact) in broken {
        match groups.iter_mut().find(|(one, _)| *one == fact.consequence) {
            Some((_, names)) if names.contains(&reader.shown) => {}
            Some((_, names)) => names.push(reader.shown),
            None => groups.push((fact.consequence, vec![reader.shown])),
        }
    }
    groups.sort_by_key(|(consequence, _)| std::cmp::Reverse(*consequence));
    let told = groups.iter().map(|(consequence, names)| {
        let one = matches!(names[..], [name] if !name.starts_with("clients"));
        let verb = match (consequence, one) {
            (Consequence::Hang, true) => "hangs",
            (Consequence::Hang, false) => "hang",
            (Consequence::RequestRefused, true) => "refuses the whole request",
            (Consequence::RequestRefused, false) => "refuse the whole request",
            (Consequence::ServerRefused, true) => "refuses the server",
            (Consequence::ServerRefused, false) => "refuse the server",
            (Consequence::ListLost, true) => "loses the whole list",
            (Consequence::ListLost, false) => "lose the whole list",
            (Consequence::ResultLost, true) => "loses results",
            (Consequence::ResultLost, false) => "lose results",
            (Consequence::ToolLost, true) => "does not offer the tool, or refuses its calls",
            (Consequence::ToolLost, false) => "do not offer the tool, or refuse its calls",
            (Consequence::MeaningLost, true) => "ignores, cuts or misreads it",
            (Consequence::MeaningLost, false) => "ignore, cut or misread it",
            (Consequence::Style, true) => "reads it badly",
            (Consequence::Style, false) => "read it badly",
        };
        format!("{} {verb}", join(names))
    });
    told.collect::<Vec<_>>().join("; ")
}

/// A few names, joined with `and`.
fn join(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] if names.len() <= NAMED => format!("{} and {last}", first.join(", ")),
        _ => {
            let first = names.get(..NAMED).unwrap_or_default();
            let more = names.len().saturating_sub(NAMED);
            format!("{} and {more} more", first.join(", "))
        }
    }
}

/// The readers that a help names.
const NAMED: usize = 4;
#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::Linter;

    /// Tools with two errors each: no `inputSchema`, and a member with the wrong type.
    fn bad_tools(count: usize) -> Vec<String> {
        let tool = |n| format!(r#"{{"name":"tool_{n}","description":7}}"#);
        (0..count).map(tool).collect()
    }

    #[test]
    fn a_rule_is_kept_up_to_its_bound_and_counted_beyond() {
        let lint = |count| {
            let tools = bad_tools(count);
            Linter::new().lint(tools.iter().map(String::as_str))
        };
        let of_rule = |report: &crate::lint::Report| {
            let of = |one: &&Finding| one.rule.code == "TL016";
            report.findings.iter().filter(of).count()
        };
        let most = Most::USUAL.of_listing;
        let at_bound = lint(most);
        assert_eq!((of_rule(&at_bound), at_bound.unkept.len()), (most, 0));
        let over = lint(most + 1);
        assert_eq!(of_rule(&over), most);
        let rules = over.findings.len() / most;
        let unkept = &over.unkept;
        let is_last = |it: &Unkept| (it.tool, it.count) == (Some(most), 1);
        assert_eq!(
            unkept.len(),
            rules,
            "one of each rule that speaks of every tool"
        );
        assert!(unkept.iter().all(is_last));
        assert!(unkept.iter().any(|it| it.severity == Severity::Error));
    }

    #[test]
    fn verdicts_have_their_reasons_for_every_tool() {
        let tools = bad_tools(Most::USUAL.of_listing + 1);
        let report = Linter::admission().lint(tools.iter().map(String::as_str));
        assert_eq!(
            (report.findings.len(), report.unkept.len()),
            (2 * tools.len(), 0)
        );
        let twice: String = r#""a":1,"a":2,"#.repeat(30);
        let schema = r#"{"$ref":"https://a.example/"},"#.repeat(30);
        let tool = format!(
            r#"{{"name":"t",{twice}"inputSchema":{{"type":"object","allOf":[{schema}true]}}}}"#
        );
        let report = Linter::admission().lint([tool.as_str()]);
        assert!(
            report.findings.len() <= 2 * Most::OF_EACH_TOOL.of_tool,
            "{}",
            report.findings.len()
        );
    }
}
