//! The pieces of work that are measured, each on one whole set.

use std::hint::black_box;

use serde::de::IgnoredAny;
use serde_json::Value;
use toolsure_bench::workload::{Set, Workload};
use toolsure_json::{OwnedDocument, ReadLimits};
use toolsure_schema::{Compiler, Schema, ValueNode, Verdict, Workspace};
use toolsure_testkit::Dialect;
use toolsure_testkit::engine::Setup;
use toolsure_testkit::peers::{Boon, BoonCompiled, Jsonschema};

/// A set with everything that is made before the clock runs.
pub(crate) struct Prepared<'a> {
    set: &'a Set,
    compiler: Compiler,
    ready: Vec<Ready<'a>>,
    workspace: Workspace,
}

/// One schema compiled by every engine, its instances parsed every way.
struct Ready<'a> {
    workload: &'a Workload,
    schema: Value,
    ours: Schema,
    jsonschema: jsonschema::Validator,
    /// Absent where `boon` refuses the schema.
    boon: Option<BoonCompiled>,
    valid: Vec<Parsed>,
    invalid: Vec<Parsed>,
}

struct Parsed {
    value: Value,
    tape: OwnedDocument,
}

/// A piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Ours: schema bytes to a compiled schema.
    CompileOurs,
    /// `serde_json::from_slice` and `jsonschema`.
    CompileJsonschema,
    /// `serde_json::from_slice` and `boon`.
    CompileBoon,
    /// Ours: instance bytes to a verdict.
    BytesOurs,
    /// `serde_json::from_slice` and `jsonschema`.
    BytesJsonschema,
    /// `serde_json::from_slice` and `boon`.
    BytesBoon,
    /// Ours on a tape that was read before.
    TapeOurs,
    /// Ours on a parsed `Value`.
    ValueOurs,
    /// `jsonschema` on a parsed `Value`.
    ValueJsonschema,
    /// `boon` on a parsed `Value`.
    ValueBoon,
    /// Ours on the bytes of invalid instances.
    InvalidBytesOurs,
    /// `serde_json::from_slice` and `jsonschema` on invalid instances.
    InvalidBytesJsonschema,
    /// Ours on parsed invalid instances.
    InvalidOurs,
    /// `jsonschema` on parsed invalid instances.
    InvalidJsonschema,
    /// Ours on parsed invalid instances, up to the first fault, without its text.
    FirstOurs,
    /// `jsonschema` on parsed invalid instances, up to the first error.
    FirstJsonschema,
    /// Ours on parsed invalid instances, every fault found, without texts.
    ErrorsOurs,
    /// `jsonschema` on parsed invalid instances, every error found, without texts.
    ErrorsJsonschema,
    /// Ours on parsed invalid instances, every fault with its place and its message.
    TextsOurs,
    /// `jsonschema` on parsed invalid instances, every error with its place and its message.
    TextsJsonschema,
    /// `boon` on parsed invalid instances; it always collects errors.
    ErrorsBoon,
    /// `serde_json` to a `Value`.
    Parse,
    /// `serde_json` over the bytes, keeping nothing.
    Walk,
    /// `sonic-rs` over the bytes, keeping nothing.
    WalkSonic,
    /// Ours from bytes to a tape.
    Tape,
    /// `simd-json` from bytes to its tape.
    TapeSimd,
}

impl Task {
    /// Every task, in the order in which they are interleaved.
    pub(crate) const ALL: [Self; 26] = [
        Self::CompileOurs,
        Self::CompileJsonschema,
        Self::CompileBoon,
        Self::BytesOurs,
        Self::BytesJsonschema,
        Self::BytesBoon,
        Self::TapeOurs,
        Self::ValueOurs,
        Self::ValueJsonschema,
        Self::ValueBoon,
        Self::InvalidBytesOurs,
        Self::InvalidBytesJsonschema,
        Self::InvalidOurs,
        Self::InvalidJsonschema,
        Self::FirstOurs,
        Self::FirstJsonschema,
        Self::ErrorsOurs,
        Self::ErrorsJsonschema,
        Self::TextsOurs,
        Self::TextsJsonschema,
        Self::ErrorsBoon,
        Self::Parse,
        Self::Walk,
        Self::WalkSonic,
        Self::Tape,
        Self::TapeSimd,
    ];

    /// The name in the JSON report.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::CompileOurs => "compile/ours",
            Self::CompileJsonschema => "compile/jsonschema",
            Self::CompileBoon => "compile/boon",
            Self::BytesOurs => "bytes/ours",
            Self::BytesJsonschema => "bytes/jsonschema",
            Self::BytesBoon => "bytes/boon",
            Self::TapeOurs => "tape/ours",
            Self::ValueOurs => "value/ours",
            Self::ValueJsonschema => "value/jsonschema",
            Self::ValueBoon => "value/boon",
            Self::InvalidBytesOurs => "invalid-bytes/ours",
            Self::InvalidBytesJsonschema => "invalid-bytes/jsonschema",
            Self::InvalidOurs => "invalid-value/ours",
            Self::InvalidJsonschema => "invalid-value/jsonschema",
            Self::FirstOurs => "first/ours",
            Self::FirstJsonschema => "first/jsonschema",
            Self::ErrorsOurs => "errors/ours",
            Self::ErrorsJsonschema => "errors/jsonschema",
            Self::TextsOurs => "texts/ours",
            Self::TextsJsonschema => "texts/jsonschema",
            Self::ErrorsBoon => "errors/boon",
            Self::Parse => "parse/serde_json",
            Self::Walk => "walk/serde_json",
            Self::WalkSonic => "walk/sonic-rs",
            Self::Tape => "parse/ours",
            Self::TapeSimd => "parse/simd-json",
        }
    }
}

impl<'a> Prepared<'a> {
    /// Compiles and parses everything, and checks that every engine gives the right verdicts.
    ///
    /// One engine after the other, so that what belongs to one lies together in memory, as in a
    /// program that has only this engine.
    ///
    /// # Errors
    ///
    /// One line if ours or `jsonschema` refuses a schema or calls a valid instance anything else.
    pub(crate) fn new(set: &'a Set) -> Result<Self, String> {
        let compiler = Compiler::new();
        let mut workspace = Workspace::new();
        let ours = for_each(set, |workload| {
            let compiled = compiler.compile(workload.schema.as_bytes());
            compiled.map_err(|e| e.to_string())
        })?;
        let schemas = for_each(set, |workload| {
            serde_json::from_str::<Value>(&workload.schema).map_err(|e| e.to_string())
        })?;
        let setup = |workload: &'a Workload| Setup::new(&workload.schema, Dialect::Draft202012);
        let given = || set.schemas.iter().zip(&schemas);
        let jsonschema = given().map(|(workload, value)| {
            let validator = Jsonschema::default().validator(value, &setup(workload));
            validator.map_err(|e| e.to_string())
        });
        let jsonschema = jsonschema.collect::<Result<Vec<_>, String>>()?;
        let boon =
            given().map(|(workload, value)| Boon::compiled(value.clone(), &setup(workload)).ok());
        let boon: Vec<_> = boon.collect();
        let valid = parsed(set, |workload| &workload.valid)?;
        let invalid = parsed(set, |workload| &workload.invalid)?;
        let engines = schemas.into_iter().zip(ours).zip(jsonschema).zip(boon);
        let instances = valid.into_iter().zip(invalid);
        let ready = set.schemas.iter().zip(engines).zip(instances);
        let ready = ready.map(|((workload, engines), (valid, invalid))| {
            let (((schema, ours), jsonschema), boon) = engines;
            Ready {
                workload,
                schema,
                ours,
                jsonschema,
                boon,
                valid,
                invalid,
            }
        });
        let ready: Vec<_> = ready.collect();
        for one in &ready {
            one.verify(&mut workspace)?;
        }
        Ok(Self {
            set,
            compiler,
            ready,
            workspace,
        })
    }

    /// How many schemas or instances one run of the task handles; 0 if it cannot run.
    pub(crate) fn units(&self, task: Task) -> usize {
        let boon = self.ready.iter().all(|ready| ready.boon.is_some());
        let invalid = || self.ready.iter().map(|ready| ready.invalid.len()).sum();
        match task {
            Task::CompileOurs | Task::CompileJsonschema => self.ready.len(),
            Task::CompileBoon if boon => self.ready.len(),
            Task::ErrorsBoon if boon => invalid(),
            Task::CompileBoon | Task::BytesBoon | Task::ValueBoon | Task::ErrorsBoon if !boon => 0,
            Task::InvalidBytesOurs
            | Task::InvalidBytesJsonschema
            | Task::InvalidOurs
            | Task::InvalidJsonschema
            | Task::FirstOurs
            | Task::FirstJsonschema
            | Task::ErrorsOurs
            | Task::ErrorsJsonschema
            | Task::TextsOurs
            | Task::TextsJsonschema => invalid(),
            _ => self.set.instances(),
        }
    }

    /// Runs the task once over the whole set.
    pub(crate) fn run(&mut self, task: Task) {
        let Self {
            compiler,
            ready,
            workspace,
            ..
        } = self;
        for ready in &*ready {
            ready.run(task, compiler, workspace);
        }
    }
}

impl Ready<'_> {
    /// Checks that every engine gives the right verdict on every instance.
    fn verify(&self, workspace: &mut Workspace) -> Result<(), String> {
        let mut simd_json = SimdJson::default();
        for text in &self.workload.valid {
            let skips = sonic_rs::from_slice::<IgnoredAny>(text.as_bytes()).is_ok();
            if !skips || !simd_json.parses(text.as_bytes()) {
                return Err("sonic-rs or simd-json refuses a text".to_owned());
            }
        }
        let lists = [
            (&self.valid, Verdict::Valid),
            (&self.invalid, Verdict::Invalid),
        ];
        for (list, expected) in lists {
            for instance in list {
                let verdict = self.ours.check(workspace, &instance.value);
                let tape = self.ours.check(workspace, instance.tape.document().root());
                if verdict != expected || tape != expected {
                    return Err(format!("ours says {verdict} and {tape}, not {expected}"));
                }
                if self.jsonschema.is_valid(&instance.value) != (expected == Verdict::Valid) {
                    return Err(format!("jsonschema does not say {expected}"));
                }
            }
        }
        Ok(())
    }

    fn run(&self, task: Task, compiler: &Compiler, workspace: &mut Workspace) {
        let setup = Setup::new(&self.workload.schema, Dialect::Draft202012);
        let schema = self.workload.schema.as_bytes();
        match task {
            Task::CompileOurs => drop(black_box(compiler.compile(black_box(schema)))),
            Task::CompileJsonschema => {
                let value = value(schema);
                let _ = black_box(Jsonschema::default().validator(&value, &setup));
            }
            Task::CompileBoon => {
                let _ = black_box(Boon::compiled(self.schema.clone(), &setup));
            }
            Task::BytesOurs => each(&self.workload.valid, |text| {
                let _ = black_box(self.ours.check(workspace, text));
            }),
            Task::BytesJsonschema => each(&self.workload.valid, |text| {
                black_box(self.jsonschema.is_valid(&value(text)));
            }),
            Task::BytesBoon => each(&self.workload.valid, |text| {
                black_box(self.boon.as_ref().map(|boon| boon.is_valid(&value(text))));
            }),
            Task::InvalidBytesOurs => each(&self.workload.invalid, |text| {
                let _ = black_box(self.ours.check(workspace, text));
            }),
            Task::InvalidBytesJsonschema => each(&self.workload.invalid, |text| {
                black_box(self.jsonschema.is_valid(&value(text)));
            }),
            Task::Parse => each(&self.workload.valid, |text| drop(black_box(value(text)))),
            Task::Walk => each(&self.workload.valid, |text| {
                let _ = black_box(serde_json::from_slice::<IgnoredAny>(text));
            }),
            Task::WalkSonic => each(&self.workload.valid, |text| {
                let _ = black_box(sonic_rs::from_slice::<IgnoredAny>(text));
            }),
            Task::TapeSimd => {
                let mut floor = SimdJson::default();
                each(&self.workload.valid, |text| {
                    black_box(floor.parses(text));
                });
            }
            Task::Tape => {
                let mut reader = toolsure_json::Reader::new();
                let limits = ReadLimits::default();
                each(&self.workload.valid, |text| {
                    let _ = black_box(reader.read(text, &limits).map(|document| document.len()));
                });
            }
            Task::TapeOurs => {
                for instance in &self.valid {
                    let root = instance.tape.document().root();
                    let _ = black_box(self.ours.check(workspace, root));
                }
            }
            Task::ValueOurs | Task::InvalidOurs => {
                for instance in self.instances(task) {
                    let _ = black_box(self.ours.check(workspace, &instance.value));
                }
            }
            Task::ValueJsonschema | Task::InvalidJsonschema => {
                for instance in self.instances(task) {
                    black_box(self.jsonschema.is_valid(&instance.value));
                }
            }
            Task::ValueBoon | Task::ErrorsBoon => {
                for instance in self.instances(task) {
                    black_box(
                        self.boon
                            .as_ref()
                            .map(|boon| boon.is_valid(&instance.value)),
                    );
                }
            }
            Task::FirstOurs => {
                let mut workspace = Workspace::new().findings(1);
                for instance in self.instances(task) {
                    let node = ValueNode::new(&instance.value);
                    black_box(self.ours.faults(&mut workspace, node).len());
                }
            }
            Task::FirstJsonschema => {
                for instance in self.instances(task) {
                    let _ = black_box(self.jsonschema.validate(&instance.value));
                }
            }
            Task::ErrorsOurs => {
                for instance in self.instances(task) {
                    let node = ValueNode::new(&instance.value);
                    black_box(self.ours.faults(workspace, node).iter().count());
                }
            }
            Task::TextsOurs => {
                for instance in self.instances(task) {
                    let report = self.ours.explain(workspace, &instance.value);
                    for finding in &report.findings {
                        black_box(finding.to_string());
                    }
                }
            }
            Task::TextsJsonschema => {
                for instance in self.instances(task) {
                    for error in self.jsonschema.iter_errors(&instance.value) {
                        black_box(error.instance_path().to_string());
                        black_box(error.to_string());
                    }
                }
            }
            Task::ErrorsJsonschema => {
                for instance in self.instances(task) {
                    black_box(self.jsonschema.iter_errors(&instance.value).count());
                }
            }
        }
    }

    fn instances(&self, task: Task) -> &[Parsed] {
        match task {
            Task::ValueOurs | Task::ValueJsonschema | Task::ValueBoon => &self.valid,
            _ => &self.invalid,
        }
    }
}

/// What `simd-json` keeps from one text to the next. It unescapes strings in place, so each text is copied first.
#[derive(Default)]
struct SimdJson {
    text: Vec<u8>,
    buffers: simd_json::Buffers,
    tape: Option<simd_json::Tape<'static>>,
}

impl SimdJson {
    /// Whether it reads a text to its tape.
    fn parses(&mut self, text: &[u8]) -> bool {
        self.text.clear();
        self.text.extend_from_slice(text);
        let tape = self.tape.take().unwrap_or_else(simd_json::Tape::null);
        let mut tape = tape.reset();
        let parsed = simd_json::fill_tape(&mut self.text, &mut self.buffers, &mut tape);
        black_box(&tape);
        self.tape = Some(tape.reset());
        parsed.is_ok()
    }
}

fn each(texts: &[String], mut work: impl FnMut(&[u8])) {
    for text in texts {
        work(black_box(text.as_bytes()));
    }
}

fn value(text: &[u8]) -> Value {
    serde_json::from_slice(text).unwrap_or_default()
}

/// Does the same for each workload of a set.
fn for_each<'s, T>(
    set: &'s Set,
    work: impl FnMut(&'s Workload) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    set.schemas.iter().map(work).collect()
}

/// The instances of each workload, first all of them as values, then all as tapes.
fn parsed(
    set: &Set,
    texts: impl Fn(&Workload) -> &Vec<String>,
) -> Result<Vec<Vec<Parsed>>, String> {
    let values = for_each(set, |workload| {
        let values = texts(workload).iter();
        let values = values.map(|text| serde_json::from_str(text).map_err(|e| e.to_string()));
        values.collect::<Result<Vec<_>, String>>()
    })?;
    let tapes = for_each(set, |workload| {
        let limits = ReadLimits::default();
        let tapes = texts(workload).iter();
        let tapes = tapes
            .map(|text| OwnedDocument::read(text.as_bytes(), &limits).map_err(|e| e.to_string()));
        tapes.collect::<Result<Vec<_>, String>>()
    })?;
    let lists = values.into_iter().zip(tapes);
    let lists = lists.map(|(values, tapes)| {
        let both = values.into_iter().zip(tapes);
        both.map(|(value, tape)| Parsed { value, tape }).collect()
    });
    Ok(lists.collect())
}
