//! Readers: the providers, clients and SDKs that read a listing or a result, and what each of them takes.
//!
//! [`READERS`] is the only place where this is written. Lint, projection and the guard ask it, so a new
//! reader, or a fact that changes, changes these rows and nothing else. Each fact has its evidence, its
//! source, the month of it, and what it costs to break it.

mod clients;
mod fact;
mod page;
mod pattern;
mod providers;
mod reader;
mod sdks;

pub(crate) use fact::LONG_ENUM;
pub use fact::{
    Consequence, Evidence, Fact, Keywords, Limit, NameRule, Part, Shape, SourcedFact, State,
};
pub use page::{members_table, page};
pub use pattern::{PatternLanguage, PatternRule};
pub(crate) use providers::COMMON_PROVIDERS;
pub use reader::{Kind, Reader};

use toolsure_syntax::Dialect;

const COUNT: usize = providers::ROWS.len() + clients::ROWS.len() + sdks::ROWS.len();

/// All readers: providers, clients, SDKs, then directories.
#[expect(
    clippy::indexing_slicing,
    reason = "the compiler evaluates it, and refuses an index out of bounds"
)]
pub static READERS: &[Reader] = &{
    let mut all = [providers::ROWS[0]; COUNT];
    let rows = [providers::ROWS, clients::ROWS, sdks::ROWS];
    let (mut table, mut at) = (0, 0);
    while table < rows.len() {
        let mut row = 0;
        while row < rows[table].len() {
            all[at] = rows[table][row];
            at += 1;
            row += 1;
        }
        table += 1;
    }
    all
};

/// The names of the readers that listings can be [projected for](Reader::is_projected_for).
#[expect(
    clippy::indexing_slicing,
    reason = "the compiler evaluates it, and refuses an index out of bounds"
)]
pub const PROJECTED_FOR: &[&str] = &{
    let mut names = [""; projected()];
    let (mut reader, mut at) = (0, 0);
    while reader < COUNT {
        if READERS[reader].is_projected_for() {
            names[at] = READERS[reader].name;
            at += 1;
        }
        reader += 1;
    }
    names
};

/// The number of [`PROJECTED_FOR`].
#[expect(
    clippy::indexing_slicing,
    reason = "the compiler evaluates it, and refuses an index out of bounds"
)]
const fn projected() -> usize {
    let (mut reader, mut count) = (0, 0);
    while reader < COUNT {
        if READERS[reader].is_projected_for() {
            count += 1;
        }
        reader += 1;
    }
    count
}

/// The reader with this name, ignoring case.
///
/// ```
/// use toolsure_analysis::readers::reader;
///
/// assert_eq!(reader("OpenAI-Strict").map(|reader| reader.name), Some("openai-strict"));
/// assert!(reader("nobody").is_none());
/// ```
#[must_use]
pub fn reader(name: &str) -> Option<&'static Reader> {
    READERS
        .iter()
        .find(|reader| reader.name.eq_ignore_ascii_case(name))
}

impl Reader {
    /// Itself and its parents, and theirs, each once.
    #[must_use]
    pub fn chain(&'static self) -> Vec<&'static Self> {
        let mut chain = vec![self];
        let mut at = 0;
        while let Some(next) = chain.get(at).copied() {
            for parent in next.parents.iter().filter_map(|name| reader(name)) {
                if !chain.iter().any(|known| known.name == parent.name) {
                    chain.push(parent);
                }
            }
            at = at.saturating_add(1);
        }
        chain
    }

    /// The facts of itself and its parents, each with the reader that it is about.
    pub fn facts(
        &'static self,
    ) -> impl Iterator<Item = (&'static Self, &'static SourcedFact)> + use<> {
        let chain = self.chain().into_iter();
        chain.flat_map(|reader| reader.own.iter().map(move |fact| (reader, fact)))
    }

    /// Whether a reader with this name is one of its parents, or of theirs.
    #[must_use]
    pub fn has_parent(&'static self, name: &str) -> bool {
        self.chain().iter().skip(1).any(|one| one.name == name)
    }

    /// Whether listings can be projected for it: it is a provider or a client.
    #[must_use]
    pub const fn is_projected_for(&self) -> bool {
        matches!(self.kind, Kind::Provider | Kind::Client)
    }

    /// Whether it has this fact.
    #[must_use]
    pub fn has(&'static self, fact: Fact) -> bool {
        self.facts().any(|(_, one)| one.fact == fact)
    }

    /// The facts that `pick` takes.
    pub fn pick<T>(
        &'static self,
        pick: impl Fn(&'static Fact) -> Option<T>,
    ) -> impl Iterator<Item = T> {
        self.facts().filter_map(move |(_, fact)| pick(&fact.fact))
    }

    /// The smallest limit of a kind: `reader.limit(|limit| match limit { Limit::Tools(most) => Some(most), _
    /// => None })`.
    pub fn limit(&'static self, kind: impl Fn(Limit) -> Option<usize>) -> Option<usize> {
        let limits = self.pick(|fact| match fact {
            Fact::Limit(limit) => kind(*limit),
            _ => None,
        });
        limits.min()
    }

    /// The rule for names of tools; of several, the one with the fewest characters.
    #[must_use]
    pub fn tool_name(&'static self) -> Option<&'static NameRule> {
        let rules = self.pick(|fact| match fact {
            Fact::ToolName(rule) => Some(rule),
            _ => None,
        });
        rules.min_by_key(|rule| rule.longest)
    }

    /// Whether it accepts and enforces a keyword in an input schema.
    #[must_use]
    pub fn takes_keyword(&'static self, keyword: &str) -> bool {
        self.pick(|fact| match fact {
            Fact::Keywords(keywords) => Some(keywords.has(keyword)),
            _ => None,
        })
        .all(|takes| takes)
    }

    /// Whether it accepts and enforces a format in an input schema.
    #[must_use]
    pub fn takes_format(&'static self, format: &str) -> bool {
        self.pick(|fact| match fact {
            Fact::Formats(formats) => Some(formats.contains(&format)),
            _ => None,
        })
        .all(|takes| takes)
    }

    /// Whether it takes a pattern in an input schema.
    #[must_use]
    pub fn takes_pattern(&'static self, pattern: &str) -> bool {
        self.pick(|fact| match fact {
            Fact::Patterns(Part::Input, rule) => Some(rule.takes(pattern)),
            _ => None,
        })
        .all(|takes| takes)
    }

    /// Whether it takes a keyword at the root of an input schema.
    #[must_use]
    pub fn takes_root(&'static self, keyword: &str) -> bool {
        self.pick(|fact| match fact {
            Fact::RootWithout(keywords) => Some(keywords.contains(&keyword)),
            _ => None,
        })
        .all(|lacks| !lacks)
    }

    /// The dialect in which it reads a schema whatever `$schema` says.
    #[must_use]
    pub fn reads_as(&'static self, part: Part) -> Option<Dialect> {
        self.pick(|fact| match fact {
            Fact::ReadsAs(of, dialect) | Fact::Declares(of, dialect) if *of == part => {
                Some(*dialect)
            }
            _ => None,
        })
        .next()
    }
}
