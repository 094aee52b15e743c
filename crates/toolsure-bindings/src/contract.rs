//! Tool contracts: the definition of a tool, and the checks of calls and results.

use std::sync::Arc;

use toolsure_json::{Kind, Node as _, Number, OwnedDocument, ReadError, ReadLimits};
use toolsure_mcp::check::{Checked, Checker, Decision, Fault, Refusal};
use toolsure_mcp::contract::{SchemaStore, ToolContract};
use toolsure_mcp::era::Era;
use toolsure_mcp::repair::{Edit, EditKind, Outcome, RepairLimits, repair};
use toolsure_schema::{Compiler, Strictness, settings};

use crate::options::{self, Options};
use crate::report;
use crate::write::Object;

/// A contract, and the settings of its checks.
#[derive(Debug)]
pub struct Contract {
    tool: Arc<ToolContract>,
    era: Era,
    checker: Checker,
    limits: ReadLimits,
}

impl Contract {
    /// Reads a tool's definition and compiles both schemas: leniently, unless the options say otherwise, as in
    /// the guard. Besides those of a validator there is the option `protocolVersion`, that of the peer.
    ///
    /// # Errors
    ///
    /// An option is not one, the definition is malformed, or a schema does not compile.
    pub fn read(tool: &[u8], options: &[u8]) -> Result<Self, NoContract> {
        let options = options_of(options).map_err(NoContract::option)?;
        let era = era_of(&options).map_err(NoContract::option)?;
        let limits = options.compiler().bounds().instance;
        let store = SchemaStore::with(options.compiler().clone(), SchemaStore::BYTES);
        let tool = ToolContract::read(tool, &store).map_err(|why| NoContract {
            code: why.code(),
            message: why.to_string(),
            path: None,
        })?;
        tool.verify().map_err(|why| NoContract {
            code: why.error.code(),
            message: why.to_string(),
            path: Some(format!("/{}{}", why.part.member(), why.error.pointer())),
        })?;
        Ok(Self {
            tool: Arc::new(tool),
            era,
            checker: Checker::new().limits(limits),
            limits,
        })
    }

    /// The limits on arguments and results.
    #[must_use]
    pub fn limits(&self) -> &ReadLimits {
        &self.limits
    }

    /// The tool's name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.tool.name()
    }

    /// Checks arguments or a result, and writes the decision.
    pub fn check(&mut self, out: &mut String, text: &[u8], what: What) {
        let decision = match what {
            What::Arguments => self.checker.check_arguments_bytes(&self.tool, text),
            What::Result => match OwnedDocument::read(text, &self.limits) {
                Ok(result) => {
                    let result = result.document().root();
                    self.checker.check_result(&self.tool, self.era, result)
                }
                Err(error) => return self.refuse_unread(out, &error, what),
            },
        };
        match decision.refusal().map(|refusal| &refusal.fault) {
            Some(Fault::Unreadable(error)) => self.refuse_unread(out, error, what),
            _ => write(out, &decision, self.era),
        }
    }

    /// Repairs arguments that are invalid, if the fix is certain, and writes what was done.
    ///
    /// # Errors
    ///
    /// The arguments are not JSON, or exceed the limits of a repair.
    pub fn repair(&self, out: &mut String, arguments: &[u8]) -> Result<(), ReadError> {
        let limits = RepairLimits {
            only_certain: true,
            ..RepairLimits::default()
        };
        let outcome = match self.tool.input() {
            Ok(schema) => repair(&schema, arguments, &limits)?,
            // Unreachable: both schemas were compiled.
            Err(_) => Outcome::Unrepaired { complete: false },
        };
        match outcome {
            // JavaScript would read another value than the one that was found valid.
            Outcome::Repaired(repaired) if !doubles_hold(repaired.text.as_bytes()) => {
                let mut object = Object::new(out);
                object.text("outcome", "unrepaired");
                object.boolean("complete", true);
            }
            Outcome::Valid => Object::new(out).text("outcome", "valid"),
            Outcome::Repaired(repaired) => {
                let mut object = Object::new(out);
                object.text("outcome", "repaired");
                object.member("arguments", |out| out.push_str(&repaired.text));
                object.array("edits", &repaired.edits, edit);
            }
            Outcome::Unrepaired { complete } => {
                let mut object = Object::new(out);
                object.text("outcome", "unrepaired");
                object.boolean("complete", complete);
            }
            Outcome::Undecided(why) => {
                let mut object = Object::new(out);
                object.text("outcome", "undecided");
                object.text("message", &why.to_string());
                object.maybe("setting", why.setting());
            }
        }
        Ok(())
    }

    /// Writes the decision on arguments or a result that are over a limit before they are read: undecided, so
    /// refused. `why` says which, and `setting` raises it.
    pub fn refuse(&self, out: &mut String, what: What, why: &str, setting: Option<&str>) {
        let (code, about) = match what {
            What::Arguments => ("arguments-undecided", "arguments"),
            What::Result => ("result-undecided", "result"),
        };
        let message = format!("undecided: the {about} of tool `{}`: {why}", self.name());
        // Only its text and its form count.
        let refusal = Refusal::of_arguments(self.name(), message);
        let mut object = Object::new(out);
        object.boolean("ok", false);
        object.text("code", code);
        object.text("message", refusal.text());
        object.array("errors", [], report::finding);
        object.boolean("complete", false);
        object.maybe("setting", setting);
        match what == What::Result || refusal.is_result_in(self.era) {
            true => object.member("result", |out| {
                out.push_str(&refusal.error_result(self.era))
            }),
            false => answer(&mut object, &refusal),
        }
    }

    /// Writes the decision on arguments or a result that could not be read: what is over a limit is undecided.
    fn refuse_unread(&self, out: &mut String, error: &ReadError, what: What) {
        if error.limit().is_some() {
            let setting = settings::of_read_error(error);
            return self.refuse(out, what, &error.to_string(), setting);
        }
        let about = match what {
            What::Arguments => "arguments",
            What::Result => "result",
        };
        let message = format!("the {about} of tool `{}`: {error}", self.name());
        let refusal = Refusal::of_arguments(self.name(), message);
        let fault = Fault::Unreadable(error.clone());
        let mut object = Object::new(out);
        object.boolean("ok", false);
        object.text("code", fault.code());
        object.text("message", refusal.text());
        object.array("errors", [], report::finding);
        object.boolean("complete", true);
        object.object("error", |object| {
            object.number("code", fault.rpc_code());
            object.text("message", refusal.text());
        });
    }
}

/// Options of a contract: lenient unless they say otherwise.
fn options_of(text: &[u8]) -> Result<Options, options::Refusal> {
    let lenient = Compiler::new().strictness(Strictness::Lenient);
    Options::read_with(lenient, text, &[ERA])
}

fn era_of(options: &Options) -> Result<Era, options::Refusal> {
    let version = options.own_text(ERA).map_err(options::Refusal::Option)?;
    version
        .map_or(Some(NEWEST), Era::from_version)
        .ok_or_else(|| {
            let versions = Era::ALL.map(Era::version).join(", ");
            options::Refusal::Option(format!("`{ERA}` must be one of {versions}"))
        })
}

/// Writes a decision.
pub(crate) fn write(out: &mut String, decision: &Decision, era: Era) {
    let mut object = Object::new(out);
    match decision {
        Decision::Pass(pass) => {
            object.boolean("ok", true);
            object.text("checked", checked(pass.checked));
        }
        Decision::Refuse(refusal) => {
            object.boolean("ok", false);
            object.text("code", refusal.fault.code());
            object.text("message", refusal.text());
            let report = refusal.report.as_ref();
            let findings = report.map(|report| &report.findings[..]);
            object.array("errors", findings.unwrap_or_default(), report::finding);
            let undecided = match &refusal.fault {
                Fault::UndecidedArguments(why) | Fault::UndecidedResult(why) => Some(why),
                _ => None,
            };
            let complete = report.is_none_or(|report| report.complete);
            object.boolean("complete", complete && undecided.is_none());
            object.maybe("setting", undecided.and_then(|why| why.setting()));
            // The answer of a server: a result of the tool, or else a JSON-RPC error.
            match refusal.is_result_in(era) {
                true => object.member("result", |out| out.push_str(&refusal.error_result(era))),
                false => answer(&mut object, refusal),
            }
        }
    }
}

fn answer(object: &mut Object<'_>, refusal: &Refusal) {
    object.object("error", |object| {
        object.number("code", refusal.fault.rpc_code());
        object.text("message", refusal.text());
    });
}

/// Whether `JSON.parse` reads the numbers of a text as they are: each is the one that a program writes for its double.
pub(crate) fn doubles_hold(text: &[u8]) -> bool {
    let limits = ReadLimits {
        bytes: usize::MAX,
        ..ReadLimits::default()
    };
    let Ok(document) = OwnedDocument::read(text, &limits) else {
        return false;
    };
    let mut open = vec![document.document().root()];
    while let Some(value) = open.pop() {
        match value.kind() {
            Kind::Array => open.extend(value.items()),
            Kind::Object => open.extend(value.members().map(|(_, value)| value)),
            Kind::Number if !double_holds(value.raw()) => return false,
            _ => {}
        }
    }
    true
}

fn double_holds(text: &str) -> bool {
    let double = text.parse::<f64>().ok().filter(|double| double.is_finite());
    let written = double.map(Number::from_f64);
    Number::parse(text)
        .zip(written)
        .is_some_and(|(one, other)| one == other)
}

fn edit(out: &mut String, edit: &Edit) {
    let mut object = Object::new(out);
    object.text("pointer", &edit.pointer);
    object.text(
        "kind",
        match edit.kind {
            EditKind::Parsed(_) => "parsed",
            EditKind::NullRemoved => "null-removed",
            EditKind::DefaultFilled => "default-filled",
            _ => "other",
        },
    );
    object.text("from", &edit.from);
    object.text("to", &edit.to);
    object.text("message", &edit.to_string());
}

/// Why there is no contract.
#[derive(Debug)]
pub struct NoContract {
    code: &'static str,
    message: String,
    path: Option<String>,
}

impl NoContract {
    fn option(why: options::Refusal) -> Self {
        Self {
            code: "option",
            message: why.to_string(),
            path: None,
        }
    }

    /// Writes it as an object.
    pub fn write(&self, out: &mut String) {
        let mut object = Object::new(out);
        object.text("code", self.code);
        object.text("message", &self.message);
        object.maybe("schemaPath", self.path.as_deref());
    }
}

/// What is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a message of `tools/call` has these two parts"
)]
pub enum What {
    /// The arguments of a call.
    Arguments,
    /// The result of a call: the whole result, not only its structured content.
    Result,
}

/// What a check found, in a word for programs.
#[must_use]
pub fn checked(checked: Checked) -> &'static str {
    match checked {
        Checked::Valid => "valid",
        Checked::NoOutputSchema => "no-output-schema",
        Checked::ErrorResult => "error-result",
        Checked::InputRequired => "input-required",
        Checked::TaskCreated | Checked::TaskWithoutResult => "task",
        Checked::EraWithoutOutput => "era-without-output",
        // The checker refuses undecided values, and has no other engine.
        _ => "not-checked",
    }
}

/// The option with the protocol version.
const ERA: &str = "protocolVersion";
/// The protocol version if the option is missing.
pub const NEWEST: Era = Era::V2026_07_28;
