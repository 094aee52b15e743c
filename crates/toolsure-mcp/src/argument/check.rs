//! Checks arguments against the common form, and writes the error texts.

use std::fmt;

use toolsure_json::{Kind, Node, Number, quote};

use super::field::{ArgumentType, Fields, Length, List, Range, Rule, is_number_form, string_form};
use super::text::push_string;

/// The answer of a check. There are three, and `Undecided` is not a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "there are three answers, and every caller must decide what the third means to it"
)]
#[must_use = "an unread answer checks nothing"]
pub enum Answer {
    /// The arguments match.
    Accepted,
    /// They do not match, for these reasons.
    Refused(Refusals),
    /// The allowed work was used up before the answer was known.
    Undecided,
}

/// What is wrong with arguments, in the order of the schema's properties.
///
/// `Display` joins the texts with `; ` and stays under 2 kB.
///
/// ```
/// use toolsure_mcp::argument::{Answer, ArgumentSchema};
///
/// let schema = ArgumentSchema::read(br#"{"q": {"required": true}, "n": {"type": "integer"}}"#)?;
/// let Answer::Refused(why) = schema.check_bytes(br#"{"n": "5"}"#)? else { panic!("refused") };
/// assert!(why.is_complete());
/// assert_eq!(why.list().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusals {
    pub(super) list: Vec<Refusal>,
    pub(super) complete: bool,
}

/// One thing that is wrong with arguments. `Display` gives the text of version 2025-10-09, with the
/// argument's name escaped and cut at 64 characters.
///
/// ```
/// use toolsure_mcp::argument::{Answer, ArgumentSchema, RefusalKind};
///
/// let schema = ArgumentSchema::read(br#"{"q": {"type": "string", "required": true}}"#)?;
/// let Answer::Refused(why) = schema.check_bytes(b"{}")? else { panic!("refused") };
/// let [refusal] = why.list() else { panic!("one refusal") };
/// assert_eq!((refusal.argument(), refusal.kind()), ("q", &RefusalKind::Missing));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    argument: String,
    kind: RefusalKind,
}

/// What is wrong with one argument.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusalKind {
    /// The arguments as a whole are not an object.
    NotAnObject,
    /// A required argument is missing.
    Missing,
    /// It has the wrong type; this is the required type, with its article.
    Type(&'static str),
    /// A string is shorter than this, in characters.
    ShorterThan(u64),
    /// A string is longer than this, in characters.
    LongerThan(u64),
    /// A number is below this.
    Below(String),
    /// A number is above this.
    Above(String),
    /// It is none of the enum values.
    NotInEnum,
    /// A string does not match this pattern (an extension).
    Pattern(String),
    /// An array has fewer items than this (an extension).
    FewerThan(u64),
    /// An array has more items than this (an extension).
    MoreThan(u64),
}

impl Refusals {
    /// The collected refusals.
    pub fn list(&self) -> &[Refusal] {
        &self.list
    }

    /// Whether these are all refusals; `false` if a limit ended the check early.
    pub fn is_complete(&self) -> bool {
        self.complete
    }
}

impl Refusal {
    /// The argument, as the names and indexes that lead to it: `tags[1]`, `filter.name`; empty for
    /// the arguments as a whole. Not escaped.
    pub fn argument(&self) -> &str {
        &self.argument
    }

    /// What is wrong with it.
    pub fn kind(&self) -> &RefusalKind {
        &self.kind
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = quote(&self.argument, SHOWN);
        match &self.kind {
            RefusalKind::NotAnObject => f.write_str("arguments must be an object"),
            RefusalKind::Missing => write!(f, "missing required argument '{name}'"),
            RefusalKind::Type(expected) => write!(f, "argument '{name}' must be {expected}"),
            RefusalKind::ShorterThan(least) => {
                write!(f, "argument '{name}' string length must be >= {least}")
            }
            RefusalKind::LongerThan(most) => {
                write!(f, "argument '{name}' string length must be <= {most}")
            }
            RefusalKind::Below(least) => {
                write!(
                    f,
                    "argument '{name}' value must be >= {}",
                    quote(least, SHOWN)
                )
            }
            RefusalKind::Above(most) => {
                write!(
                    f,
                    "argument '{name}' value must be <= {}",
                    quote(most, SHOWN)
                )
            }
            RefusalKind::NotInEnum => {
                write!(f, "argument '{name}' must be one of the enum values")
            }
            RefusalKind::Pattern(pattern) => write!(
                f,
                "argument '{name}' must match pattern '{}'",
                quote(pattern, SHOWN)
            ),
            RefusalKind::FewerThan(least) => {
                write!(f, "argument '{name}' array length must be >= {least}")
            }
            RefusalKind::MoreThan(most) => {
                write!(f, "argument '{name}' array length must be <= {most}")
            }
        }
    }
}

impl fmt::Display for Refusals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut room = MOST_TEXT;
        let mut cut = !self.complete;
        for (at, refusal) in self.list.iter().enumerate() {
            let text = refusal.to_string();
            match room.checked_sub(text.len() + SEPARATOR.len()) {
                Some(left) => room = left,
                None => {
                    cut = true;
                    break;
                }
            }
            if at > 0 {
                f.write_str(SEPARATOR)?;
            }
            f.write_str(&text)?;
        }
        if cut {
            f.write_str("; and more")
        } else {
            Ok(())
        }
    }
}

impl std::error::Error for Refusal {}
impl std::error::Error for Refusals {}

/// Checks arguments.
pub(super) fn check<'i, N: Node<'i>>(
    fields: &Fields,
    arguments: N,
    most: usize,
    fuel: u64,
) -> Answer {
    let mut checker = Checker {
        most: most.max(1),
        fuel,
        refusals: Vec::new(),
        path: String::new(),
    };
    if arguments.kind() == Kind::Object {
        let ended = checker.fields(fields, arguments).err();
        checker.answer(ended)
    } else {
        let ended = checker.refuse(RefusalKind::NotAnObject).err();
        checker.answer(ended)
    }
}

/// Checks one value against the property `name`.
pub(super) fn check_value<'i, N: Node<'i>>(rule: &Rule, name: &str, value: N, fuel: u64) -> Answer {
    let mut checker = Checker {
        most: 1,
        fuel,
        refusals: Vec::new(),
        path: name.to_owned(),
    };
    let ended = checker.value(rule, value).err();
    checker.answer(ended)
}

/// The JSON texts of the values with this string form that a rule accepts, apart from its `enum`.
/// A value that the work left cannot decide on counts as accepted.
pub(super) fn values(rule: &Rule, form: &str, fuel: &mut u64) -> Vec<String> {
    let mut checker = Checker {
        most: 1,
        fuel: *fuel,
        refusals: Vec::new(),
        path: String::new(),
    };
    let may_be = |fits: fn(ArgumentType) -> bool| {
        rule.kind
            .is_none_or(|kind| kind == ArgumentType::Enum || fits(kind))
    };
    let mut values = Vec::new();
    let is_text = |kind| kind == ArgumentType::String;
    let fits = |ended: Result<(), End>| ended != Err(End::Full);
    if may_be(is_text) && (!rule.takes_text() || fits(checker.text(rule, form))) {
        let mut text = String::new();
        push_string(&mut text, form);
        values.push(text);
    }
    let number = Number::parse(form).filter(|_| is_number_form(form));
    if let Some(number) = number
        && may_be(ArgumentType::is_numeric)
        && (rule.kind != Some(ArgumentType::Integer) || number.is_integer())
        && (!rule.takes_numbers() || fits(checker.number(&rule.value, number)))
    {
        values.push(form.to_owned());
    }
    let is_boolean = |kind| kind == ArgumentType::Boolean;
    if (matches!(form, "true" | "false") && may_be(is_boolean))
        || (form == "null" && may_be(|_| false))
    {
        values.push(form.to_owned());
    }
    *fuel = checker.fuel;
    values
}

struct Checker {
    most: usize,
    fuel: u64,
    refusals: Vec<Refusal>,
    path: String,
}

/// Why a check ends early.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Fuel,
    Full,
}

impl Checker {
    fn answer(self, ended: Option<End>) -> Answer {
        if !self.refusals.is_empty() {
            return Answer::Refused(Refusals {
                list: self.refusals,
                complete: ended.is_none(),
            });
        }
        match ended {
            None => Answer::Accepted,
            Some(_) => Answer::Undecided,
        }
    }

    /// The recursion is as deep as the schema, which is bounded.
    fn fields<'i, N: Node<'i>>(&mut self, fields: &Fields, object: N) -> Result<(), End> {
        self.pay(fields.len() + 2 * object.len())?;
        let values = fields.values(object);
        for (field, value) in fields.iter().zip(values) {
            let outer = self.path.len();
            if outer > 0 {
                self.path.push('.');
            }
            self.push_name(&field.name);
            let done = match value {
                Some(value) => self.value(&field.rule, value),
                None if field.required => self.refuse(RefusalKind::Missing),
                None => Ok(()),
            };
            self.path.truncate(outer);
            done?;
        }
        Ok(())
    }

    fn value<'i, N: Node<'i>>(&mut self, rule: &Rule, value: N) -> Result<(), End> {
        self.pay(1)?;
        if let Some(kind) = rule.kind
            && !kind.holds(value)
        {
            return self.refuse(RefusalKind::Type(phrase(kind)));
        }
        match value.kind() {
            Kind::String if rule.takes_text() => self.text(rule, value.string())?,
            Kind::Number if rule.takes_numbers() => self.number(&rule.value, value.number())?,
            _ => {}
        }
        if let Some(list) = &rule.list {
            self.items(list, value)?;
        }
        if let Some(fields) = &rule.fields
            && value.kind() == Kind::Object
        {
            self.fields(fields, value)?;
        }
        if let Some(choices) = &rule.choices {
            self.pay(value.string().len() / BYTES_PER_UNIT)?;
            let among = string_form(value).is_some_and(|form| choices.has(&form));
            if !among {
                self.refuse(RefusalKind::NotInEnum)?;
            }
        }
        Ok(())
    }

    fn text(&mut self, rule: &Rule, text: &str) -> Result<(), End> {
        if rule.length != Length::default() {
            self.pay(text.len() / BYTES_PER_UNIT)?;
            let count = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
            if let Some(least) = rule.length.least.filter(|least| count < *least) {
                self.refuse(RefusalKind::ShorterThan(least))?;
            }
            if let Some(most) = rule.length.most.filter(|most| count > *most) {
                self.refuse(RefusalKind::LongerThan(most))?;
            }
        }
        for pattern in &rule.patterns {
            match pattern.matches(text, &mut self.fuel) {
                Some(true) => {}
                Some(false) => self.refuse(RefusalKind::Pattern(pattern.as_str().to_owned()))?,
                None => return Err(End::Fuel),
            }
        }
        Ok(())
    }

    fn number(&mut self, range: &Range, number: Number<'_>) -> Result<(), End> {
        let beyond = |bound: &Option<String>, wrong: std::cmp::Ordering| {
            let bound = bound.as_deref()?;
            let limit = Number::parse(bound)?;
            (number.compare(&limit) == wrong).then(|| bound.to_owned())
        };
        if let Some(least) = beyond(&range.least, std::cmp::Ordering::Less) {
            self.refuse(RefusalKind::Below(least))?;
        }
        if let Some(most) = beyond(&range.most, std::cmp::Ordering::Greater) {
            self.refuse(RefusalKind::Above(most))?;
        }
        Ok(())
    }

    fn items<'i, N: Node<'i>>(&mut self, list: &List, array: N) -> Result<(), End> {
        let count = u64::try_from(array.len()).unwrap_or(u64::MAX);
        if let Some(least) = list.count.least.filter(|least| count < *least) {
            self.refuse(RefusalKind::FewerThan(least))?;
        }
        if let Some(most) = list.count.most.filter(|most| count > *most) {
            self.refuse(RefusalKind::MoreThan(most))?;
        }
        for (at, item) in array.items().enumerate() {
            let outer = self.path.len();
            self.path.push_str(&format!("[{at}]"));
            let done = self.value(&list.element, item);
            self.path.truncate(outer);
            done?;
        }
        Ok(())
    }

    /// Adds a name, cut to more than is ever shown, so that long names cost little.
    fn push_name(&mut self, name: &str) {
        self.path.extend(name.chars().take(NAME_KEPT));
    }

    fn refuse(&mut self, kind: RefusalKind) -> Result<(), End> {
        self.refusals.push(Refusal {
            argument: self.path.clone(),
            kind,
        });
        if self.refusals.len() >= self.most {
            return Err(End::Full);
        }
        Ok(())
    }

    fn pay(&mut self, units: usize) -> Result<(), End> {
        let units = u64::try_from(units).unwrap_or(u64::MAX);
        match self.fuel.checked_sub(units) {
            Some(left) => {
                self.fuel = left;
                Ok(())
            }
            None => {
                self.fuel = 0;
                Err(End::Fuel)
            }
        }
    }
}

fn phrase(kind: ArgumentType) -> &'static str {
    match kind {
        ArgumentType::String => "a string",
        ArgumentType::Integer => "an integer",
        ArgumentType::Float | ArgumentType::Number => "a number",
        ArgumentType::Boolean => "a boolean",
        ArgumentType::Array => "an array",
        ArgumentType::Object => "an object",
        ArgumentType::Enum => "one of the enum values",
    }
}

/// The maximum number of characters of a name or a pattern in a text.
const SHOWN: usize = 64;
/// The maximum number of characters of one name that are kept.
const NAME_KEPT: usize = 256;
/// The maximum number of bytes of all texts together, without the words that say there is more.
const MOST_TEXT: usize = 2_000;
const SEPARATOR: &str = "; ";
/// The number of bytes of text checked per unit of fuel.
const BYTES_PER_UNIT: usize = 32;
