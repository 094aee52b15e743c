//! Cases: a schema, the expected outcome of compiling it, and instances with their verdicts.
//!
//! Our own cases under `testkit/cases` use the official suite's layout (an array of `{description,
//! schema, tests: [{description, data, valid}]}`) with more members. Per case: `dialects` (an array
//! of the suite's folder names; all five if absent), `formats` and `content` (`true`: asserted),
//! `refused` (the code with which the schema must be refused; such a case has no tests),
//! `documents` (URI to schema, registered before the schema is compiled) and `fuel`. Per test:
//! `"valid": "undecided"` if the fuel must run out, and `"valid": "unreadable"` if an engine that
//! reads the text must refuse the instance (`serde_json` has already dropped its errors).

use std::path::Path;
use std::sync::Arc;

use toolsure_json::{DuplicateKeys, OwnedDocument, ReadError, ReadLimits};

use crate::Dialect;
use crate::engine::{Answer, Document, Engine, Setup};
use crate::place;
use crate::raw;
use crate::tally::Tally;

/// One schema under one dialect, with its tests.
#[derive(Clone, Debug)]
pub struct Case {
    /// The file, relative to the directory of the cases.
    pub file: String,
    /// What the case is about.
    pub description: String,
    /// The schema's text.
    pub schema: String,
    /// The dialect of schemas that do not declare one.
    pub dialect: Dialect,
    /// Whether `format` is asserted.
    pub formats: bool,
    /// Whether the content keywords are asserted.
    pub content: bool,
    /// Documents to register.
    pub documents: Arc<[Document]>,
    /// The fuel of each check, if the case limits it.
    pub fuel: Option<u64>,
    /// The code with which the schema must be refused.
    pub refused: Option<String>,
    /// The instances.
    pub tests: Vec<Test>,
}

/// One instance with its expected verdict.
#[derive(Clone, Debug)]
pub struct Test {
    /// What the instance demonstrates.
    pub description: String,
    /// The instance's text.
    pub data: String,
    /// The expected answer.
    pub expected: Expected,
}

/// The answer that a test expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Valid.
    Valid,
    /// Invalid.
    Invalid,
    /// Neither: the fuel must run out.
    Undecided,
    /// No verdict: the instance must be refused.
    Unreadable,
}

impl Expected {
    /// Whether `answer` is the expected one.
    #[must_use]
    pub fn met_by(self, answer: &Answer) -> bool {
        match self {
            Self::Valid => *answer == Answer::Valid,
            Self::Invalid => *answer == Answer::Invalid,
            Self::Undecided => *answer == Answer::Undecided,
            Self::Unreadable => matches!(answer, Answer::Unreadable(_)),
        }
    }
}

impl Case {
    /// The input for an engine.
    #[must_use]
    pub fn setup(&self) -> Setup<'_> {
        Setup {
            schema: &self.schema,
            dialect: self.dialect,
            formats: self.formats,
            content: self.content,
            documents: &self.documents,
            fuel: self.fuel,
        }
    }

    /// Runs the case on one engine. Records one result per test, or one for the refusal.
    pub fn run(&self, engine: &dyn Engine, tally: &mut Tally) {
        let place = format!("{} [{}]: {}", self.file, self.dialect, self.description);
        let compiled = engine.compile(&self.setup());
        if let Some(code) = &self.refused {
            tally.record(match compiled {
                Err(refusal) if refusal.code == code => Ok(()),
                Err(refusal) => Err(format!("{place}: refused as {refusal}, not as `{code}`")),
                Ok(_) => Err(format!("{place}: compiled, not refused as `{code}`")),
            });
            return;
        }
        match compiled {
            Err(refusal) => {
                for test in &self.tests {
                    tally.fail(format!(
                        "{place}: {}: {} refused the schema: {refusal}",
                        test.description,
                        engine.name()
                    ));
                }
            }
            Ok(mut compiled) => {
                for test in &self.tests {
                    if test.expected == Expected::Unreadable && engine.sees_values() {
                        continue;
                    }
                    let answer = compiled.check(&test.data);
                    tally.record(if test.expected.met_by(&answer) {
                        Ok(())
                    } else {
                        Err(format!(
                            "{place}: {}: {} says {answer}, not {:?}",
                            test.description,
                            engine.name(),
                            test.expected
                        ))
                    });
                }
            }
        }
    }
}

/// Reads every case file under `directory`.
///
/// # Errors
///
/// One line that names a file with another layout.
pub fn load(directory: &Path) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    for path in place::files(directory, "json")? {
        let text = place::text(&path)?;
        let file = relative(directory, &path);
        well_formed(&text).map_err(|e| format!("{file}: {e}"))?;
        for case in raw::items(&text) {
            let dialects = match raw::member(case, "dialects") {
                None => Dialect::ALL.to_vec(),
                Some(names) => raw::items(names)
                    .into_iter()
                    .map(|name| {
                        Dialect::from_name(&raw::string(name))
                            .ok_or_else(|| format!("{file}: no dialect is called {name}"))
                    })
                    .collect::<Result<_, _>>()?,
            };
            for dialect in dialects {
                cases.push(parse(case, &file, dialect)?);
            }
        }
    }
    Ok(cases)
}

/// Reads one case of a file in the suite's layout.
///
/// # Errors
///
/// One line that names the file and what the case lacks.
pub fn parse(case: &str, file: &str, dialect: Dialect) -> Result<Case, String> {
    let description = raw::string(raw::member(case, "description").unwrap_or_default());
    let schema = raw::member(case, "schema")
        .ok_or_else(|| format!("{file}: `{description}` has no schema"))?;
    let documents: Arc<[Document]> = raw::member(case, "documents")
        .map(raw::members)
        .unwrap_or_default()
        .into_iter()
        .map(|(uri, text)| Document {
            uri,
            text: text.to_owned(),
        })
        .collect();
    let tests = raw::items(raw::member(case, "tests").unwrap_or_default())
        .into_iter()
        .map(|test| parse_test(test, file, &description))
        .collect::<Result<_, _>>()?;
    Ok(Case {
        file: file.to_owned(),
        schema: schema.to_owned(),
        dialect,
        formats: raw::member(case, "formats") == Some("true"),
        content: raw::member(case, "content") == Some("true"),
        documents,
        fuel: raw::member(case, "fuel").and_then(|fuel| fuel.parse().ok()),
        refused: raw::member(case, "refused").map(raw::string),
        tests,
        description,
    })
}

fn parse_test(test: &str, file: &str, case: &str) -> Result<Test, String> {
    let description = raw::string(raw::member(test, "description").unwrap_or_default());
    let lacks = |what: &str| format!("{file}: `{case}`: `{description}` has no {what}");
    let data = raw::member(test, "data").ok_or_else(|| lacks("data"))?;
    let expected = match raw::member(test, "valid") {
        Some("true") => Expected::Valid,
        Some("false") => Expected::Invalid,
        Some("\"undecided\"") => Expected::Undecided,
        Some("\"unreadable\"") => Expected::Unreadable,
        _ => return Err(lacks("verdict")),
    };
    Ok(Test {
        data: data.to_owned(),
        description,
        expected,
    })
}

/// The file as a whole must be JSON. Its cases may have any depth and duplicate keys.
fn well_formed(text: &str) -> Result<(), ReadError> {
    let limits = ReadLimits {
        depth: usize::MAX,
        digits: usize::MAX,
        duplicate_keys: DuplicateKeys::KeepLast,
        ..ReadLimits::default()
    };
    OwnedDocument::read(text, &limits).map(|_| ())
}

fn relative(directory: &Path, path: &Path) -> String {
    path.strip_prefix(directory)
        .unwrap_or(path)
        .to_string_lossy()
        .into_owned()
}
