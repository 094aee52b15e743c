//! Selects the most useful findings, for people and for models that must repair a call.

use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Write as _};

use toolsure_json::quote;

use super::Report;
use super::finding::{Finding, PLACE};
use crate::explain::kind::FindingKind;
use crate::explain::text::{Alternatives, Branches, SHOWN, write_missing};
use crate::schema::Verdict;

/// What to change, in a few lines: at most [`Explanation::LINES`] of them and about two kilobytes,
/// however long the report is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    lines: Vec<Line>,
    /// The number of faults that are not in `lines`.
    more: usize,
    /// Whether all faults are counted.
    complete: bool,
}

/// One line, and the findings it is about, as indexes in the report.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    text: String,
    findings: Vec<usize>,
}

impl Report {
    /// The most useful findings, in a few lines for people and language models.
    ///
    /// ```
    /// use toolsure_schema::{Schema, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"required": ["city"]}"#)?;
    /// let report = schema.explain(&mut Workspace::new(), "{}")?;
    /// assert_eq!(report.summary().lines().count(), 1);
    /// assert!(report.summary().to_string().contains("city"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn summary(&self) -> Explanation {
        Explanation::new(self)
    }
}

impl Explanation {
    /// The maximum number of lines.
    pub const LINES: usize = 10;

    pub(super) fn new(report: &Report) -> Self {
        let mut entries = match report.verdict {
            Verdict::Valid => Vec::new(),
            Verdict::Undecided(why) => vec![Entry {
                rank: 0,
                line: Line {
                    text: why.to_string(),
                    findings: Vec::new(),
                },
            }],
            Verdict::Invalid => Selection::new(&report.findings).entries(),
        };
        entries.sort_by_key(|entry| entry.rank);
        let mut lines: Vec<Line> = Vec::new();
        let mut bytes = 0;
        let mut more = 0;
        // Where each text stands, if it is among the lines.
        let mut told: HashMap<String, Option<usize>> = HashMap::new();
        for Entry { line, .. } in entries {
            if let Some(place) = told.get(&line.text) {
                if let Some(same) = place.and_then(|place| lines.get_mut(place)) {
                    same.findings.extend(line.findings);
                }
                continue;
            }
            let fits = lines.len() < Self::LINES && bytes + line.text.len() <= BYTES;
            told.insert(line.text.clone(), fits.then_some(lines.len()));
            if fits {
                bytes += line.text.len();
                lines.push(line);
            } else {
                more += 1;
            }
        }
        Self {
            lines,
            more,
            complete: report.complete,
        }
    }

    /// The lines: each names a location, what was expected there and what was found.
    ///
    /// ```
    /// use toolsure_schema::{Schema, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"items": {"type": "integer"}}"#)?;
    /// let report = schema.explain(&mut Workspace::new(), r#"["1", "2"]"#)?;
    /// let summary = report.summary();
    /// for line in summary.lines() {
    ///     assert!(line.contains("integer"));
    /// }
    /// assert!(summary.lines().count() > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(|line| line.text.as_str())
    }

    /// The same lines, each with the findings that it is about, as indexes in
    /// [`Report::findings`]: several if a line sums them up (all names that an object lacks, all
    /// types that the branches of a union accept).
    ///
    /// ```
    /// use toolsure_schema::{Schema, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"required": ["a"], "allOf": [{"required": ["b"]}]}"#)?;
    /// let report = schema.explain(&mut Workspace::new(), "{}")?;
    /// let summary = report.summary();
    /// let lines: Vec<_> = summary.lines_with_findings().collect();
    /// assert_eq!(lines, [("missing properties `a`, `b`", [0, 1].as_slice())]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn lines_with_findings(&self) -> impl Iterator<Item = (&str, &[usize])> {
        let lines = self.lines.iter();
        lines.map(|line| (line.text.as_str(), line.findings.as_slice()))
    }

    /// How many more faults are known.
    ///
    /// ```
    /// use toolsure_schema::{Schema, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"items": {"type": "integer"}}"#)?;
    /// let instance = format!("[{}]", vec![r#""x""#; 20].join(","));
    /// let summary = schema.explain(&mut Workspace::new(), &instance)?.summary();
    /// assert_eq!(summary.lines().count() + summary.more(), 20);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn more(&self) -> usize {
        self.more
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, line) in self.lines().enumerate() {
            if index > 0 {
                f.write_char('\n')?;
            }
            f.write_str(line)?;
        }
        match (self.more, self.complete) {
            (0, true) => Ok(()),
            (0, false) if self.lines.is_empty() => f.write_str("not all of it could be looked at"),
            (0, false) => f.write_str("\n… and possibly more"),
            (more, true) => write!(f, "\n… and {more} more"),
            (more, false) => write!(f, "\n… and at least {more} more"),
        }
    }
}

struct Entry {
    /// Lower ranks are more useful.
    rank: u8,
    line: Line,
}

/// The names that an object lacks, according to one or more findings.
struct Missing<'r> {
    /// The location of the object.
    place: &'r str,
    names: Vec<String>,
    more: usize,
    findings: Vec<usize>,
}

/// The findings without those of branches that were not meant.
struct Selection<'r> {
    findings: &'r [Finding],
    dropped: Vec<bool>,
}

impl<'r> Selection<'r> {
    fn new(findings: &'r [Finding]) -> Self {
        let mut selection = Self {
            findings,
            dropped: vec![false; findings.len()],
        };
        // Outer unions come before the findings of their branches.
        for (index, finding) in findings.iter().enumerate() {
            if selection.is_dropped(index) {
                continue;
            }
            if let FindingKind::AnyOf(branches) | FindingKind::OneOf(branches) = &finding.kind {
                selection.choose(index, finding, branches);
            }
        }
        selection
    }

    fn is_dropped(&self, index: usize) -> bool {
        self.dropped.get(index).copied().unwrap_or(false)
    }

    /// Drops the findings of all branches except the one that was probably meant, and that of the
    /// union itself if that branch explains enough.
    fn choose(&mut self, index: usize, union: &Finding, branches: &Branches) {
        let mut of_branch: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, finding) in self.findings.iter().enumerate().skip(index + 1) {
            if let Some(branch) = branch_of(finding, union) {
                of_branch.entry(branch).or_default().push(at);
            }
        }
        let chosen = if branches.tag.is_some() {
            None
        } else {
            self.best(union, branches, &of_branch)
        };
        for (branch, members) in &of_branch {
            if Some(*branch) != chosen {
                for at in members {
                    self.drop_finding(*at);
                }
            }
        }
        if chosen.is_some() {
            self.drop_finding(index);
        }
    }

    /// The plausible branch whose faults are deepest in the instance; after a tie, the one with the
    /// fewest. `None` if the branch also rejects the value's own type or value, unless it is the
    /// only branch.
    fn best(
        &self,
        union: &Finding,
        branches: &Branches,
        of_branch: &BTreeMap<usize, Vec<usize>>,
    ) -> Option<usize> {
        let mut best: Option<(usize, usize, usize)> = None;
        for branch in &branches.plausible {
            let Some(members) = of_branch.get(branch) else {
                continue;
            };
            let depth = members
                .iter()
                .filter_map(|at| self.findings.get(*at))
                .map(|finding| depth(finding.instance_location()))
                .min()
                .unwrap_or(0);
            let better = best.is_none_or(|(_, deepest, fewest)| {
                (depth, std::cmp::Reverse(members.len())) > (deepest, std::cmp::Reverse(fewest))
            });
            if better {
                best = Some((*branch, depth, members.len()));
            }
        }
        let (branch, _, _) = best?;
        let members = of_branch.get(&branch)?;
        let same_place = |at: &usize| {
            self.findings.get(*at).is_some_and(|finding| {
                finding.instance_location() == union.instance_location()
                    && matches!(
                        finding.kind,
                        FindingKind::Type { .. }
                            | FindingKind::Const { .. }
                            | FindingKind::Enum { .. }
                    )
            })
        };
        let shallow = members.iter().any(same_place);
        (!shallow || branches.count == 1).then_some(branch)
    }

    fn drop_finding(&mut self, at: usize) {
        if let Some(mark) = self.dropped.get_mut(at) {
            *mark = true;
        }
    }

    fn entries(&self) -> Vec<Entry> {
        let mut missing: Vec<Missing<'_>> = Vec::new();
        let mut entries = Vec::new();
        for (index, finding) in self.findings.iter().enumerate() {
            if self.is_dropped(index) {
                continue;
            }
            let FindingKind::Required {
                missing: names,
                more,
            } = &finding.kind
            else {
                entries.push(Entry {
                    rank: rank(&finding.kind),
                    line: self.line(index, finding),
                });
                continue;
            };
            let place = finding.instance_location();
            match missing.iter_mut().find(|known| known.place == place) {
                Some(known) => {
                    for name in names {
                        if !known.names.contains(name) {
                            known.names.push(name.clone());
                        }
                    }
                    known.more += more;
                    known.findings.push(index);
                }
                None => missing.push(Missing {
                    place,
                    names: names.clone(),
                    more: *more,
                    findings: vec![index],
                }),
            }
        }
        for mut missing in missing {
            missing.more += missing.names.len().saturating_sub(NAMES);
            missing.names.truncate(NAMES);
            let mut text = start(missing.place, None);
            // Writing to a string cannot fail.
            let _ = write_missing(&missing.names, missing.more, &mut text);
            let findings = missing.findings;
            entries.push(Entry {
                rank: 0,
                line: Line { text, findings },
            });
        }
        entries
    }

    fn line(&self, index: usize, finding: &Finding) -> Line {
        let (place, name) = match &finding.kind {
            // Reported for the object, because the message contains the name.
            FindingKind::UnexpectedProperty { .. } | FindingKind::ForbiddenProperty { .. } => {
                (parent(finding.instance_location()), None)
            }
            _ => (finding.instance_location(), finding.property_name()),
        };
        let mut text = start(place, name);
        let mut findings = vec![index];
        let said = match &finding.kind {
            FindingKind::AnyOf(branches) | FindingKind::OneOf(branches) => {
                match (&branches.tag, self.alternatives(index, finding)) {
                    (Some(tag), _) => write!(text, "{tag}"),
                    (None, Some(alternatives)) => {
                        findings.extend(alternatives.findings);
                        text.write_str(&alternatives.text)
                    }
                    (None, None) => write!(text, "{}", finding.kind),
                }
            }
            kind => write!(text, "{kind}"),
        };
        // Writing to a string cannot fail.
        let _ = said;
        Line { text, findings }
    }

    /// What the branches of a union expect together, if each of them only says which types or
    /// values it accepts.
    fn alternatives(&self, index: usize, union: &Finding) -> Option<Line> {
        let mut types: Vec<&'static str> = Vec::new();
        let mut values: Vec<&str> = Vec::new();
        let mut more = 0;
        let mut value = None;
        let mut findings = Vec::new();
        for (at, finding) in self.findings.iter().enumerate().skip(index + 1) {
            if branch_of(finding, union).is_none()
                || finding.instance_location() != union.instance_location()
            {
                continue;
            }
            match &finding.kind {
                FindingKind::Type { expected, found } => {
                    types.extend(
                        expected
                            .iter()
                            .filter(|name| !types.contains(name))
                            .copied()
                            .collect::<Vec<_>>(),
                    );
                    value = Some(found);
                }
                FindingKind::Const { expected, found } => {
                    values.push(expected);
                    value = Some(found);
                }
                FindingKind::Enum {
                    expected,
                    more: rest,
                    found,
                    ..
                } => {
                    values.extend(expected.iter().map(String::as_str));
                    more += rest;
                    value = Some(found);
                }
                _ => continue,
            }
            findings.push(at);
        }
        let found = value?;
        let mut text = String::new();
        if !types.is_empty() {
            let _ = write!(text, "expected {}", Alternatives(&types));
        }
        if !values.is_empty() {
            more += values.len().saturating_sub(NAMES);
            text.push_str(if types.is_empty() {
                "must be "
            } else {
                ", or "
            });
            text.push_str(if values.len() + more > 1 {
                "one of "
            } else {
                ""
            });
            for (at, value) in values.iter().take(NAMES).enumerate() {
                let separator = if at == 0 { "" } else { ", " };
                let _ = write!(text, "{separator}{}", quote(value, SHOWN));
            }
            if more > 0 {
                let _ = write!(text, ", … ({more} more)");
            }
        }
        let _ = write!(text, ", found {found}");
        Some(Line { text, findings })
    }
}

/// The branch of a union that a finding belongs to.
fn branch_of(finding: &Finding, union: &Finding) -> Option<usize> {
    let rest = finding
        .keyword_location()
        .strip_prefix(union.keyword_location())?
        .strip_prefix('/')?;
    if !finding
        .instance_location()
        .starts_with(union.instance_location())
    {
        return None;
    }
    rest.split('/').next()?.parse().ok()
}

/// The location that a line begins with.
fn start(place: &str, name: Option<&str>) -> String {
    let mut line = String::new();
    if !place.is_empty() {
        let _ = write!(line, "{}: ", quote(place, PLACE));
    }
    if let Some(name) = name {
        let _ = write!(line, "property name `{}`: ", quote(name, SHOWN));
    }
    line
}

fn parent(pointer: &str) -> &str {
    pointer.rsplit_once('/').map_or("", |(parent, _)| parent)
}

fn depth(pointer: &str) -> usize {
    pointer.bytes().filter(|byte| *byte == b'/').count()
}

/// The most useful findings come first: names and types, then bounds, then the rest.
fn rank(kind: &FindingKind) -> u8 {
    match kind {
        FindingKind::UnexpectedProperty { .. }
        | FindingKind::Required { .. }
        | FindingKind::Type { .. }
        | FindingKind::Enum { .. }
        | FindingKind::Const { .. }
        | FindingKind::DependentRequired { .. } => 0,
        FindingKind::AnyOf(branches) | FindingKind::OneOf(branches) if branches.tag.is_some() => 0,
        FindingKind::AnyOf(_)
        | FindingKind::OneOf(_)
        | FindingKind::OneOfMany { .. }
        | FindingKind::Not { .. }
        | FindingKind::Never { .. } => 2,
        _ => 1,
    }
}

/// Maximum size of all lines in bytes.
const BYTES: usize = 1_900;
/// Maximum number of names or values in one line.
const NAMES: usize = 8;
