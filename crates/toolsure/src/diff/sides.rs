//! Two listings and what changed between them, as the commands' outputs show it.

use toolsure_analysis::diff::{Change, Class, Kind, Report, ToolChange};
use toolsure_json::LineColumn;

use crate::listing::SourceFile;
use crate::policy::{Decision, Policy, Subject};
use crate::render::{Severity, count};

/// A report and the listings that were compared; names are escaped.
pub(crate) struct Sides {
    pub(crate) report: Report,
    /// The server's name, if a listing gives it one.
    pub(crate) server: Option<String>,
    pub(crate) old: String,
    pub(crate) new: String,
    pub(crate) old_file: Option<SourceFile>,
    pub(crate) new_file: Option<SourceFile>,
}

impl Sides {
    /// Removes ignored changes, and gives the others the class that the policy asks for.
    pub(super) fn filter(&mut self, policy: &mut Policy) {
        for tool in &mut self.report.tools {
            let name = tool.name.clone();
            tool.changes.retain_mut(|change| {
                let decision = policy.decide(&Subject {
                    code: change.kind.name(),
                    server: self.server.as_deref(),
                    tool: Some(&name),
                    pointer: &change.location(),
                    message: &change.message,
                });
                change.class = match decision {
                    Decision::Ignore => return false,
                    Decision::Keep => change.class,
                    Decision::As(Severity::Error) => Class::Breaking,
                    Decision::As(Severity::Warning) => Class::Warning,
                    Decision::As(Severity::Note) => Class::Compatible,
                };
                true
            });
            tool.changes
                .sort_by_key(|change| std::cmp::Reverse(change.class));
        }
        self.report.tools.retain(|tool| !tool.changes.is_empty());
    }

    /// The name of the older listing in a heading.
    pub(super) fn old_name(&self) -> String {
        match &self.server {
            Some(server) => format!("{server} ({})", self.old),
            None => self.old.clone(),
        }
    }

    /// The name of the newer listing in a heading.
    pub(super) fn new_name(&self) -> String {
        self.new.clone()
    }

    /// Where a change is: the file, and the line and column if they are known. A tool that the newer
    /// listing does not have begins in the older one.
    pub(super) fn place(
        &self,
        tool: &ToolChange,
        change: &Change,
    ) -> Option<(&str, Option<LineColumn>)> {
        let is_gone = matches!(change.kind, Kind::ToolRemoved | Kind::ToolNotListed);
        let (file, other) = match is_gone {
            true => (&self.old_file, &None),
            false => (&self.new_file, &self.old_file),
        };
        match (file, other) {
            (Some(file), _) => {
                let within = change.span.as_ref().map_or(0, |span| span.start);
                let place = file.tools.get(tool.index);
                let at = place.map(|place| file.line_column(place.byte(within)));
                Some((&file.name, at))
            }
            // A running server has no file; its saved listing has one.
            (None, Some(old)) => Some((&old.name, None)),
            (None, None) => None,
        }
    }
}

/// The number of tools of each class, as text.
pub(super) fn tally(report: &Report) -> String {
    let with = |class| {
        let tools = report.tools.iter();
        let number = tools.filter(|tool| tool.class() == class).count();
        u64::try_from(number).unwrap_or(u64::MAX)
    };
    format!(
        "{} breaking, {} unknown, {} with warnings, {} compatible, {} unchanged",
        count(with(Class::Breaking), "tool"),
        with(Class::Unknown),
        with(Class::Warning),
        with(Class::Compatible),
        report.same,
    )
}
