//! What a project wants done with findings: their levels, which to ignore and until when, and which
//! are known from before. `check`, `lint` and `diff` ask for a decision on each finding.
//!
//! A project configures this in `toolsure.toml`, in the current folder or in one above; flags are
//! added to it.

mod baseline;
mod code;
mod date;
mod file;
mod ignore;
mod names;
mod subject;

use std::path::PathBuf;

use clap::Args;
use toolsure_json::quote;

use crate::exit::{Exit, Failure};
use crate::render::Severity;
use crate::render::github::{Place, command};
use crate::render::sarif::{Outcome, Run};
use crate::settings::{Base, SchemaArgs};
use crate::term::{Term, WARNING};
use baseline::Baseline;
pub(crate) use code::{LINT, unknown};
pub(crate) use date::Date;
use file::Level as Wanted;
pub(crate) use file::Project;
use ignore::Ignore;
pub(crate) use subject::Subject;

/// How findings are filtered.
#[derive(Clone, Debug, Args)]
pub(crate) struct PolicyArgs {
    #[command(flatten)]
    config: ConfigArgs,

    /// Ignore findings with this code, for all tools or those whose names match (`TL006@find_*`);
    /// may be repeated
    #[arg(long = "allow", value_name = "CODE[@TOOL]", value_delimiter = ',', help_heading = HEADING)]
    allowed: Vec<String>,

    /// Ignore the findings in this file, which `--write-baseline` wrote
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    baseline: Option<PathBuf>,

    /// Write all findings to the baseline, and exit with code 0
    #[arg(long, help_heading = HEADING)]
    write_baseline: bool,

    /// Exit with code 0 whatever is found; if something could not be read or reached, its code stays
    #[arg(long)]
    exit_zero: bool,
}

/// Where the project's settings are.
#[derive(Clone, Debug, Args)]
pub(crate) struct ConfigArgs {
    /// Read the project's settings from this file [default: the first `toolsure.toml` here or in a folder
    /// above]
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    config: Option<PathBuf>,

    /// Do not read a project's settings
    #[arg(long, conflicts_with = "config", help_heading = HEADING)]
    no_config: bool,
}

impl ConfigArgs {
    /// Reads the file that the flags name, or the one that is found.
    pub(crate) fn project(&self) -> Result<Project, Failure> {
        match (&self.config, self.no_config) {
            (Some(path), _) => Project::read(path),
            (None, true) => Ok(Project::default()),
            (None, false) => Project::find(),
        }
    }
}

/// What happens to a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// It stays as it is.
    Keep,
    /// It gets this severity.
    As(Severity),
    /// It is removed.
    Ignore,
}

/// The policy of one run of a command.
#[derive(Debug)]
pub(crate) struct Policy {
    /// The command, which has its own list in the baseline.
    command: &'static str,
    pub(crate) project: Project,
    allowed: Vec<Ignore>,
    baseline: Option<Baseline>,
    write: Option<Baseline>,
    exit_zero: bool,
    today: Date,
}

/// What the policy itself has to say at the end of a run.
#[derive(Debug, Default)]
pub(crate) struct Remarks {
    /// Its problems.
    pub(crate) all: Vec<Remark>,
    /// How many findings are in the baseline, and therefore not shown.
    pub(crate) known: usize,
}

/// A problem of the policy itself.
#[derive(Debug)]
pub(crate) struct Remark {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    /// The file, escaped, and the line.
    pub(crate) place: Option<(String, usize)>,
}

impl PolicyArgs {
    /// Loads the policy from the flags and the project's settings.
    pub(crate) fn load(&self, command: &'static str) -> Result<Policy, Failure> {
        let project = self.config.project()?;
        let flags = self.allowed.iter();
        let allowed = flags.map(|word| Ignore::flag(word, command));
        let allowed = allowed.collect::<Result<Vec<_>, String>>();
        let allowed = allowed.map_err(|why| Failure::usage(format!("`--allow`: {why}")))?;
        let flag = self.baseline.clone();
        let flag = flag.map(|path| (path, "`--baseline`".to_owned()));
        let path = flag.or_else(|| Some((project.baseline()?, format!("`{}`", project.name))));
        let (baseline, write) = match (path, self.write_baseline) {
            (None, true) => {
                return Err(Failure::usage("`--write-baseline` needs `--baseline FILE`"));
            }
            (Some((path, by)), true) => (None, Some(Baseline::to_write(path, &by, command)?)),
            (Some((path, by)), false) => (Some(Baseline::read(path, &by, command)?), None),
            (None, false) => (None, None),
        };
        Ok(Policy {
            command,
            project,
            allowed,
            baseline,
            write,
            exit_zero: self.exit_zero,
            today: Date::today(),
        })
    }
}

impl Policy {
    /// The project's settings for schemas, followed by those of the command line.
    pub(crate) fn schemas<B: Base + Clone>(
        &self,
        flags: &SchemaArgs<B>,
    ) -> Result<SchemaArgs<B>, Failure> {
        self.project.schemas(flags)
    }

    /// Decides what happens to a finding.
    pub(crate) fn decide(&mut self, subject: &Subject<'_>) -> Decision {
        let decision = self.decide_unlisted(subject);
        if matches!(decision, Decision::Ignore) {
            return decision;
        }
        if let Some(write) = &mut self.write {
            write.add(self.command, subject);
        }
        let baseline = self.baseline.as_mut();
        if baseline.is_some_and(|known| known.take(subject)) {
            return Decision::Ignore;
        }
        decision
    }

    /// The same for what no baseline lists.
    pub(crate) fn decide_unlisted(&mut self, subject: &Subject<'_>) -> Decision {
        let mut ignored = false;
        for ignore in self.allowed.iter_mut().chain(&mut self.project.ignored) {
            if ignore.until.is_none_or(|until| self.today <= until) && ignore.is_about(subject) {
                ignore.used = true;
                ignored = true;
            }
        }
        if ignored {
            return Decision::Ignore;
        }
        // The linter applies the levels for all tools itself, because they may enable a rule.
        let wanted = self.project.level(subject, self.command != LINT);
        if wanted == Some(Wanted::Off) {
            return Decision::Ignore;
        }
        match wanted {
            Some(Wanted::Note) => Decision::As(Severity::Note),
            Some(Wanted::Warning) => Decision::As(Severity::Warning),
            Some(Wanted::Error) => Decision::As(Severity::Error),
            Some(Wanted::Off) | None => Decision::Keep,
        }
    }

    /// Whether the run only writes the baseline.
    pub(crate) fn only_writes(&self) -> bool {
        self.write.is_some()
    }

    /// The exit code for what the command found, which is 0 if the operator wants it so.
    pub(crate) fn exit(&self, found: Exit) -> Exit {
        match found {
            Exit::Invalid | Exit::Schema | Exit::Undecided if self.exit_zero => Exit::Ok,
            _ => found,
        }
    }

    /// Ends the run: writes the baseline if asked to, or else tells how many findings are known, and
    /// returns the problems of the policy: expired ignores, unmatched ignores of codes that the
    /// command `owns`, an outdated baseline.
    pub(crate) fn finish(
        &mut self,
        owns: impl Fn(&str) -> bool,
        term: &Term,
    ) -> Result<Remarks, Failure> {
        if let Some(write) = self.write.take() {
            let (path, count) = write.save()?;
            term.note(&format!("{path}: {count} written"));
            return Ok(Remarks::default());
        }
        let mut remarks = Vec::new();
        for ignore in self.allowed.iter().chain(&self.project.ignored) {
            let place = ignore.line.map(|line| (self.project.name.clone(), line));
            let shown = quote(&ignore.shown(), 120).to_string();
            match ignore.until {
                Some(until) if until < self.today => remarks.push(Remark {
                    code: "expired-ignore",
                    message: format!("the ignore of `{shown}` expired on {until}"),
                    place,
                }),
                _ if !ignore.used && owns(&ignore.code) => remarks.push(Remark {
                    code: "unused-ignore",
                    message: format!("`{shown}` matches no finding"),
                    place,
                }),
                _ => {}
            }
        }
        let mut known = 0;
        if let Some(baseline) = &self.baseline {
            known = baseline.known();
            if known > 0 {
                let text = "; findings in the baseline are not shown";
                term.note(&format!("{}: {known} known{text}", baseline.name()));
            }
            let left = baseline.left();
            if left > 0 {
                remarks.push(Remark {
                    code: "unused-baseline",
                    message: format!(
                        "{left} of the findings in the baseline no longer occur; write it again"
                    ),
                    place: Some((baseline.name(), 1)),
                });
            }
        }
        Ok(Remarks {
            all: remarks,
            known,
        })
    }
}

impl Remark {
    /// Prints it on standard error, for people.
    pub(crate) fn say(&self, term: &Term) {
        let place = match &self.place {
            Some((file, line)) => format!("{file}:{line}: "),
            None => String::new(),
        };
        let (code, message) = (self.code, &self.message);
        term.aside(&format!(
            "{WARNING}warning[{code}]{WARNING:#}: {place}{message}\n"
        ));
    }

    /// The remark as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "code": self.code,
            "message": self.message,
            "file": self.place.as_ref().map(|(file, _)| file),
            "line": self.place.as_ref().map(|(_, line)| line),
        })
    }

    /// The remark as a workflow command.
    pub(crate) fn github(&self) -> String {
        let place = self.place.as_ref().map(|(file, line)| Place {
            file,
            at: Some((*line, 1)),
        });
        command(Severity::Warning, place, self.code, &self.message)
    }
}

/// The remarks as a SARIF run; `None` if there are none.
pub(crate) fn sarif(remarks: &Remarks) -> Option<Run> {
    let remarks = &remarks.all;
    let result = |remark: &Remark| Outcome {
        rule: remark.code.to_owned(),
        about: remark.code.replace('-', " "),
        page: Some("docs/configuration.md".to_owned()),
        severity: Severity::Warning,
        message: remark.message.clone(),
        place: remark.place.clone().map(|(file, line)| {
            let at = toolsure_json::LineColumn { line, column: 1 };
            (file, Some((at, at)))
        }),
        logical: String::new(),
    };
    (!remarks.is_empty()).then(|| Run {
        results: remarks.iter().map(result).collect(),
        faults: Vec::new(),
    })
}

const HEADING: &str = "Project settings";
