//! One run: judges, prints and counts every instance of every input.

use std::io;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use toolsure_json::{ReadLimits, quote};
use toolsure_schema::{CompileError, Schema};

use super::args::{Format, ValidateArgs};
use super::belt::Belt;
use super::contract::{Sources, Texts};
use super::human::Look;
use super::jsonl::{Block, Blocks};
use super::judge::{Judge, Outcome};
use super::output::Output;
use super::print::{Printed, Printer};
use super::progress::Progress;
use super::tally::Tally;
use super::{human, json, sarif, workflow};
use crate::exit::{Exit, Failure};
use crate::input::Input;
use crate::interrupt::ExitOnInterrupt;
use crate::local::Fuel;
use crate::render::{Severity, Source, count};
use crate::term::{Canvas, Term};
use crate::text;

/// A run in progress.
pub(super) struct Run<'r> {
    args: &'r ValidateArgs,
    term: &'r Term,
    texts: &'r Texts,
    /// The limits for reading an instance.
    limits: ReadLimits,
    fuel: Fuel,
    printer: Printer<'r>,
    output: Output,
    /// For SARIF: whether no result was written yet.
    first: bool,
    progress: Progress,
    tally: Tally,
    /// Instances that were reported, and others that are not valid but were not reported.
    reported: usize,
    hidden: u64,
    /// Whether enough was reported, for the threads that judge.
    full: Arc<AtomicBool>,
    /// Whether the output was closed before the end of an input that may have none.
    cut_short: bool,
}

impl<'r> Run<'r> {
    pub(super) fn new(
        args: &'r ValidateArgs,
        term: &'r Term,
        texts: &'r Texts,
        limits: ReadLimits,
        fuel: Fuel,
    ) -> Self {
        let for_people = args.output.is_none() && args.format == Format::Human;
        Self {
            args,
            term,
            texts,
            limits,
            fuel,
            printer: Printer {
                args,
                sources: texts.sources(),
                look: Look {
                    canvas: term.stdout(),
                    most: args.max_findings,
                    lines: args.jsonl,
                },
                aside: aside(term),
                quiet: term.quiet,
            },
            output: Output::new(for_people.then_some(*term)),
            first: true,
            progress: Progress::none(),
            tally: Tally::default(),
            reported: 0,
            hidden: 0,
            full: Arc::new(AtomicBool::new(false)),
            cut_short: false,
        }
    }

    /// Reports why the schema was refused.
    pub(super) fn refused(&mut self, error: &CompileError) -> Result<Exit, Failure> {
        let Printer { sources, look, .. } = &self.printer;
        let text = match (self.args.output, self.args.format) {
            (Some(_), _) => {
                self.term
                    .aside(&human::refusal(error, sources, aside(self.term)));
                String::new()
            }
            (None, Format::Human) => human::refusal(error, sources, look.canvas),
            (None, Format::Json) => json::refusal(error, sources),
            (None, Format::Github) => workflow::of_schema(error, Severity::Error, sources),
            (None, Format::Sarif) => sarif::of_schema(error, Severity::Error, sources),
        };
        self.begin()?;
        self.write(&text)?;
        self.end()?;
        self.output.flush(&self.progress)?;
        let name = self.printer.sources.schema_name();
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
        let written = match self.args.jsonl {
            true => instances
                .iter()
                .try_for_each(|input| self.lines(schema, input)),
            false => self.files(schema, instances),
        };
        self.progress.finish();
        self.progress = Progress::none();
        written?;
        if !instances.is_empty() {
            self.end()?;
        }
        if self.hidden > 0 && !self.is_sarif() {
            let more = count(self.hidden, "more instance");
            self.write(&format!(
                "… and {more} that are not valid; `--all` shows them\n\n"
            ))?;
        }
        self.output.flush(&self.progress)?;
        // If the reader closed our output, the sum would be incomplete, and nobody waits for it.
        if !instances.is_empty() && self.output.is_open() {
            self.term.note(&self.tally.summary());
        }
        Ok(match self.tally.exit() {
            Exit::Ok if self.cut_short => Exit::Closed,
            exit => exit,
        })
    }

    /// Writes the warnings of a compiled schema and, without an instance, that the schema is ok.
    fn compiled(&mut self, schema: &Schema, alone: bool) -> Result<(), Failure> {
        let warnings = schema.warnings();
        let Printer { sources, look, .. } = &self.printer;
        let each = |print: fn(&CompileError, Severity, &Sources<'_>) -> String| -> String {
            let first = warnings.iter().take(look.most);
            first
                .map(|warning| print(warning.error(), Severity::Warning, sources))
                .collect()
        };
        let text = match (self.args.output, self.args.format) {
            (Some(_), _) => {
                let look = Look {
                    canvas: aside(self.term),
                    ..*look
                };
                self.term.aside(&human::warnings(warnings, sources, look));
                String::new()
            }
            (None, Format::Human) => human::warnings(warnings, sources, *look),
            (None, Format::Json) if !warnings.is_empty() || (alone && !self.term.quiet) => {
                json::compiled(warnings, sources)
            }
            (None, Format::Json) => String::new(),
            (None, Format::Github) => each(workflow::of_schema),
            (None, Format::Sarif) => each(sarif::of_schema),
        };
        self.begin()?;
        self.write(&text)?;
        if alone {
            self.end()?;
            self.output.flush(&self.progress)?;
            let name = self.printer.sources.schema_name();
            self.term.note(&format!("{name}: the schema is ok"));
        }
        Ok(())
    }

    /// Judges files that are one instance each.
    fn files(&mut self, schema: &Schema, instances: &[Input]) -> Result<(), Failure> {
        let mut judge = Judge::new(schema, self.fuel);
        let sizes = instances.iter().map(|input| input.size().unwrap_or(0));
        let sizes: Vec<u64> = sizes.collect();
        let total = sizes
            .iter()
            .fold(0_u64, |sum, size| sum.saturating_add(*size));
        let _interruptible = self.progress_over(Some(total));
        let mut done = 0_u64;
        for (input, size) in instances.iter().zip(sizes) {
            self.file(&mut judge, input, done)?;
            done = done.saturating_add(size);
        }
        Ok(())
    }

    /// Judges a file that is one instance, after `before` bytes of other files.
    fn file(&mut self, judge: &mut Judge<'_>, input: &Input, before: u64) -> Result<(), Failure> {
        let name = input.name();
        self.progress.name(&quote(&name, 40).to_string());
        let progress = &self.progress;
        let read = |bytes: u64| progress.reach(before.saturating_add(bytes));
        let read = input.read_with(self.limits.bytes, read).and_then(|text| {
            let json = text::json_of(input.path(), text.bytes, self.limits.bytes);
            let (bytes, original) = json.map_err(io::Error::other)?;
            Ok((bytes, original, text.start))
        });
        match read {
            Ok((bytes, original, start)) => {
                self.progress.work(bytes.len());
                let source = Source::line(&name, &bytes, 1, start).of(original.as_ref());
                let printed = match self.enough(0) {
                    true => self.printer.judge_silently(judge, &source),
                    false => self.printer.judge(judge, &name, &source),
                };
                self.show(printed)
            }
            Err(error) => self.missing(&name, error),
        }
    }

    /// Whether nothing more is printed, because nobody reads it or `printed` results are enough.
    fn enough(&self, printed: usize) -> bool {
        let most = self.printer.most();
        !self.output.is_open()
            || most.is_some_and(|most| self.reported.saturating_add(printed) >= most)
    }

    /// Shows progress over this many bytes, on a terminal. While the result exists, an interrupt
    /// removes the bar and ends the program.
    fn progress_over(&mut self, bytes: Option<u64>) -> Option<ExitOnInterrupt> {
        if !self.term.shows_progress() {
            return None;
        }
        self.progress = Progress::over(bytes, self.term.is_ascii());
        Some(ExitOnInterrupt::new(self.term))
    }

    /// Judges a file with an instance on each line: one thread reads, others judge blocks of lines,
    /// and this one writes the results in order.
    fn lines(&mut self, schema: &Schema, input: &Input) -> Result<(), Failure> {
        let name = input.name();
        let stream = match input.open() {
            Ok(stream) => stream,
            Err(error) => return self.missing(&name, error),
        };
        let interruptible = self.progress_over(input.size());
        self.progress.name(&quote(&name, 40).to_string());
        // If nobody reads the results, a file is still judged to its end, for the exit code. A stream
        // may have no end.
        let is_endless = input.size().is_none();
        let workers = thread::available_parallelism().map_or(1, NonZero::get);
        let belt = Arc::new(Belt::new(workers.saturating_mul(AHEAD)));
        let (fuel, most) = (self.fuel, self.limits.bytes);
        let reader = Arc::clone(&belt);
        // The thread may wait for input that never comes, so it is not joined.
        thread::spawn(move || read(Blocks::new(stream, most), &reader));
        let (args, texts, look) = (self.args, self.texts, self.printer.look);
        let (aside, quiet) = (self.printer.aside, self.printer.quiet);
        let full = Arc::clone(&self.full);
        let full = &*full;
        let written = thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    let sources = texts.sources();
                    let printer = Printer {
                        args,
                        sources,
                        look,
                        aside,
                        quiet,
                    };
                    let mut judge = Judge::new(schema, fuel);
                    belt.work(|block| block_of(&printer, &mut judge, full, &name, block));
                });
            }
            let written = self.written(&belt, &name, is_endless);
            belt.stop();
            written
        });
        self.progress.finish();
        self.progress = Progress::none();
        drop(interruptible);
        written
    }

    /// Writes the results of the pool.
    fn written(
        &mut self,
        belt: &Belt<Work, Done>,
        name: &str,
        is_endless: bool,
    ) -> Result<(), Failure> {
        loop {
            let mut flushed = Ok(());
            // The reader of our output sees all results so far before we wait for more input.
            let Some(done) = belt.take(|| flushed = self.output.flush(&self.progress)) else {
                return flushed;
            };
            flushed?;
            match done {
                Ok((printed, end)) => {
                    self.show(printed)?;
                    self.progress.reach(end);
                }
                Err(error) => self.missing(name, error)?,
            }
            if !self.output.is_open() {
                self.full.store(true, Ordering::Relaxed);
                if is_endless {
                    self.cut_short = true;
                    return Ok(());
                }
            }
        }
    }

    /// Reports an input that cannot be read.
    fn missing(&mut self, name: &str, error: io::Error) -> Result<(), Failure> {
        let outcome = Outcome::Missing(error);
        let printed = self
            .printer
            .outcome(&outcome, name, &Source::new(name, &[]));
        self.show(printed)
    }

    fn show(&mut self, mut printed: Printed) -> Result<(), Failure> {
        if let Some(most) = self.printer.most() {
            printed.cut(most.saturating_sub(self.reported));
            self.reported = self.reported.saturating_add(printed.ends.len());
            let full = self.reported >= most || !self.output.is_open();
            self.full.store(full, Ordering::Relaxed);
        }
        self.hidden = self.hidden.saturating_add(printed.hidden);
        self.tally.add(printed.tally);
        self.write(&printed.text)?;
        if !printed.aside.is_empty() {
            self.progress.aside(|| self.term.aside(&printed.aside));
        }
        Ok(())
    }

    fn is_sarif(&self) -> bool {
        self.args.output.is_none() && self.args.format == Format::Sarif
    }

    /// Writes the beginning of the document, before all results.
    fn begin(&mut self) -> Result<(), Failure> {
        match self.is_sarif() {
            true => self.output.write(&sarif::head(), &self.progress),
            false => Ok(()),
        }
    }

    /// Writes the end of the document, after all results.
    fn end(&mut self) -> Result<(), Failure> {
        match self.is_sarif() {
            true => self.output.write(&sarif::tail(self.hidden), &self.progress),
            false => Ok(()),
        }
    }

    fn write(&mut self, text: &str) -> Result<(), Failure> {
        if self.is_sarif() && !text.is_empty() {
            // Each result begins with a comma; the first must not.
            let first = std::mem::replace(&mut self.first, false);
            let text = match first {
                true => text.strip_prefix(',').unwrap_or(text),
                false => text,
            };
            return self.output.write(text, &self.progress);
        }
        self.output.write(text, &self.progress)
    }
}

/// How text beside the specification's output is drawn: styled; [`Term::aside`] can remove styles.
fn aside(term: &Term) -> Canvas {
    Canvas {
        styled: true,
        ..term.stderr()
    }
}

/// A block of lines, or why there are no more.
type Work = io::Result<Block>;
/// The results for its lines, and the byte after it.
type Done = io::Result<(Printed, u64)>;

/// Adds the blocks of an input to the pool until the input ends or the pool stops.
fn read(mut blocks: Blocks<impl io::Read>, belt: &Belt<Work, Done>) {
    while let Some(block) = blocks.next().transpose() {
        let failed = block.is_err();
        if !belt.bring(block) || failed {
            break;
        }
    }
    belt.end();
}

/// Judges the lines of a block.
fn block_of(
    printer: &Printer<'_>,
    judge: &mut Judge<'_>,
    full: &AtomicBool,
    name: &str,
    block: Work,
) -> Done {
    let block = block?;
    let mut printed = Printed::default();
    for line in block.lines() {
        let source = Source::line(name, line.bytes, line.number, line.start);
        let is_enough = |most| printed.ends.len() >= most;
        let next = match full.load(Ordering::Relaxed) || printer.most().is_some_and(is_enough) {
            true => printer.judge_silently(judge, &source),
            false => printer.judge(judge, name, &source),
        };
        printed.add(next);
    }
    Ok((printed, block.end))
}

/// Blocks in the pool for each thread that judges.
const AHEAD: usize = 4;
