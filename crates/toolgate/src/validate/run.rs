//! One run: every instance of every input judged, printed and counted.

use toolgate_schema::{CompileError, Schema};

use super::contract::Sources;
use super::human::Look;
use super::input::Input;
use super::jsonl::Lines;
use super::judge::{Judge, Outcome};
use super::options;
use super::output::Output;
use super::progress::Progress;
use super::tally::Tally;
use super::{Format, ValidateArgs, human, json, workflow};
use crate::exit::{Exit, Failure};
use crate::render::Source;
use crate::term::Term;

/// A run under way.
pub(super) struct Run<'r> {
    args: &'r ValidateArgs,
    term: &'r Term,
    sources: &'r Sources<'r>,
    look: Look,
    output: Output,
    progress: Progress,
    tally: Tally,
}

impl<'r> Run<'r> {
    pub(super) fn new(args: &'r ValidateArgs, term: &'r Term, sources: &'r Sources<'r>) -> Self {
        Self {
            args,
            term,
            sources,
            look: Look {
                styled: term.styles_stdout(),
                most: args.max_findings,
                lines: args.jsonl,
            },
            output: Output::new(),
            progress: Progress::none(),
            tally: Tally::default(),
        }
    }

    /// Says why the schema was refused.
    pub(super) fn refused(&mut self, error: &CompileError) -> Result<Exit, Failure> {
        let sources = self.sources;
        match (self.args.output, self.args.format) {
            (Some(_), _) => self.term.aside(&human::refusal(error, sources, true)),
            (None, Format::Human) => {
                self.write(&human::refusal(error, sources, self.look.styled))?;
            }
            (None, Format::Json) => self.write(&json::refusal(error, sources))?,
            (None, Format::Github) => self.write(&workflow::refusal(error, sources))?,
        }
        self.output.flush()?;
        let name = sources.schema_name();
        self.term.note(&format!("{name}: the schema was refused"));
        Ok(Exit::Schema)
    }

    /// Judges all instances.
    pub(super) fn instances(
        &mut self,
        schema: &Schema,
        instances: &[Input],
    ) -> Result<Exit, Failure> {
        self.compiled(schema, instances.is_empty())?;
        let mut judge = Judge::new(schema, options::limits(self.args).instance);
        for input in instances {
            if !self.output.is_open() {
                break;
            }
            if self.args.jsonl {
                self.lines(&mut judge, input)?;
            } else {
                self.file(&mut judge, input)?;
            }
        }
        self.output.flush()?;
        // Whoever has seen enough does not wait for a sum, which would not be one of all.
        if !instances.is_empty() && self.output.is_open() {
            self.term.note(&self.tally.summary());
        }
        Ok(self.tally.exit())
    }

    /// Says what is to be said of a schema that compiled.
    fn compiled(&mut self, schema: &Schema, alone: bool) -> Result<(), Failure> {
        let warnings = schema.warnings();
        let sources = self.sources;
        match (self.args.output, self.args.format) {
            (Some(_), _) => {
                let look = Look {
                    styled: true,
                    ..self.look
                };
                self.term.aside(&human::warnings(warnings, sources, look));
            }
            (None, Format::Human) => {
                self.write(&human::warnings(warnings, sources, self.look))?;
            }
            (None, Format::Json) if alone || !warnings.is_empty() => {
                self.write(&json::compiled(warnings, sources))?;
            }
            (None, Format::Json) => {}
            (None, Format::Github) => {
                self.write(&workflow::warnings(warnings, sources, self.look.most))?;
            }
        }
        if alone {
            self.output.flush()?;
            let name = sources.schema_name();
            self.term.note(&format!("{name}: the schema is ok"));
        }
        Ok(())
    }

    /// A file that is one instance.
    fn file(&mut self, judge: &mut Judge<'_>, input: &Input) -> Result<(), Failure> {
        let name = input.name();
        match input.read(self.args.max_instance_bytes) {
            Ok(bytes) => self.judge(judge, &name, &Source::new(&name, &bytes)),
            Err(error) => self.missing(&name, error),
        }
    }

    /// A file of which each line is an instance.
    fn lines(&mut self, judge: &mut Judge<'_>, input: &Input) -> Result<(), Failure> {
        let name = input.name();
        let stream = match input.open() {
            Ok(stream) => stream,
            Err(error) => return self.missing(&name, error),
        };
        if self.term.shows_progress() {
            self.progress =
                Progress::over(&toolgate_json::quote(&name, 40).to_string(), input.size());
        }
        let mut lines = Lines::new(stream, self.args.max_instance_bytes);
        while self.output.is_open() {
            if lines.must_wait() {
                self.output.flush()?;
            }
            match lines.next() {
                Ok(Some(line)) => {
                    let source = Source::line(&name, line.bytes, line.number, line.start);
                    self.judge(judge, &name, &source)?;
                }
                Ok(None) => break,
                Err(error) => {
                    self.missing(&name, error)?;
                    break;
                }
            }
            self.progress.reach(lines.bytes_read());
        }
        self.progress.finish();
        self.progress = Progress::none();
        Ok(())
    }

    fn judge(
        &mut self,
        judge: &mut Judge<'_>,
        name: &str,
        source: &Source<'_>,
    ) -> Result<(), Failure> {
        match self.args.output {
            None => {
                let outcome = judge.explain(source.bytes);
                self.print(&outcome, name, source)
            }
            Some(format) => {
                let (outcome, output) = judge.output(source.bytes, format.format());
                self.print_output(&outcome, output, source)
            }
        }
    }

    /// An input without an instance.
    fn missing(&mut self, name: &str, error: std::io::Error) -> Result<(), Failure> {
        let outcome = Outcome::Missing(error);
        let source = Source::new(name, &[]);
        match self.args.output {
            None => self.print(&outcome, name, &source),
            Some(_) => self.print_output(&outcome, None, &source),
        }
    }

    fn print(&mut self, outcome: &Outcome, name: &str, source: &Source<'_>) -> Result<(), Failure> {
        self.tally.count(outcome);
        let (look, sources) = (self.look, self.sources);
        let text = match self.args.format {
            Format::Human => human::instance(outcome, source, sources, look),
            Format::Json => json::instance(outcome, name, source, sources, look.lines),
            Format::Github => workflow::instance(outcome, source, sources, look.most),
        };
        self.write(&text)
    }

    /// Prints a standard output, which is one line; `null` for what could not be read, so that
    /// lines and instances stay in step.
    fn print_output(
        &mut self,
        outcome: &Outcome,
        output: Option<String>,
        source: &Source<'_>,
    ) -> Result<(), Failure> {
        self.tally.count(outcome);
        let mut line = crate::render::json::harmless(output.as_deref().unwrap_or("null"));
        line.push('\n');
        self.write(&line)?;
        if matches!(outcome, Outcome::Valid | Outcome::Invalid(_)) {
            return Ok(());
        }
        let look = Look {
            styled: true,
            ..self.look
        };
        let text = human::instance(outcome, source, self.sources, look);
        self.progress.aside(|| self.term.aside(&text));
        Ok(())
    }

    fn write(&mut self, text: &str) -> Result<(), Failure> {
        self.output.write(text, &self.progress)
    }
}
