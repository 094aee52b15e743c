//! Profiles: the names under which rules are turned on. Each reader is one; others stand for several
//! readers, or for a purpose.

use super::rule::Rule;
use crate::readers::{COMMON_PROVIDERS, Kind, READERS, Reader, SourcedFact, reader};

/// A fact that a rule is about, with the reader that has it.
pub(super) type Broken = (&'static Reader, &'static SourcedFact);

/// A name under which rules are turned on; see [`PROFILES`].
///
/// ```
/// use toolsure_analysis::lint::{Linter, profile};
///
/// let gemini = profile("gemini").unwrap();
/// assert!(gemini.rules().any(|rule| rule.name == "provider-keyword"));
/// let tool = r#"{"name": "t", "inputSchema": {"type": "object",
///     "properties": {"n": {"type": "integer", "exclusiveMinimum": 0}}}}"#;
/// let report = Linter::only(gemini).lint([tool]);
/// assert_eq!(report.findings[0].rule.code, "TL087");
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Profile {
    /// The name on the command line, such as `openai-strict`.
    pub name: &'static str,
    /// What it is for, in a few words.
    pub about: &'static str,
    /// The names of the readers that it stands for; with their parents.
    members: &'static [&'static str],
    /// Whether it stands for all clients too.
    all_clients: bool,
    /// Whether it turns on the rules of style.
    style: bool,
}

/// All profiles: the readers, then those that stand for several readers or a purpose.
#[expect(
    clippy::indexing_slicing,
    reason = "the compiler evaluates it, and refuses an index out of bounds"
)]
pub static PROFILES: &[Profile] = &{
    let mut all = [OTHERS[0]; READERS.len() + OTHERS.len()];
    let mut at = 0;
    while at < READERS.len() {
        all[at] = Profile {
            name: READERS[at].name,
            about: READERS[at].about,
            members: std::slice::from_ref(&READERS[at].name),
            all_clients: false,
            style: false,
        };
        at += 1;
    }
    let mut other = 0;
    while other < OTHERS.len() {
        all[at] = OTHERS[other];
        at += 1;
        other += 1;
    }
    all
};

const OTHERS: [Profile; 2] = [
    Profile {
        name: "clients",
        about: "Problems in any current client",
        members: COMMON_PROVIDERS,
        all_clients: true,
        style: false,
    },
    Profile {
        name: "strict",
        about: "Whatever could be clearer or shorter",
        members: &[],
        all_clients: false,
        style: true,
    },
];

/// The profile with this name, ignoring case.
///
/// ```
/// use toolsure_analysis::lint::profile;
///
/// assert_eq!(profile("OpenAI-Strict").map(|profile| profile.name), Some("openai-strict"));
/// assert!(profile("nobody").is_none());
/// ```
#[must_use]
pub fn profile(name: &str) -> Option<&'static Profile> {
    PROFILES
        .iter()
        .find(|profile| profile.name.eq_ignore_ascii_case(name))
}

impl Profile {
    /// The readers that it stands for, with their parents, each once.
    ///
    /// ```
    /// use toolsure_analysis::lint::profile;
    ///
    /// let names = profile("openai-strict").unwrap().readers().into_iter().map(|reader| reader.name);
    /// assert_eq!(names.collect::<Vec<_>>(), ["openai-strict", "openai"]);
    /// assert!(profile("strict").unwrap().readers().is_empty());
    /// ```
    #[must_use]
    pub fn readers(&self) -> Vec<&'static Reader> {
        let mut readers: Vec<&'static Reader> = Vec::new();
        let members = self.members.iter().filter_map(|name| reader(name));
        let is_client = |reader: &&Reader| self.all_clients && reader.kind == Kind::Client;
        let members = members.chain(READERS.iter().filter(is_client));
        for one in members.flat_map(|member| member.chain()) {
            if !readers.iter().any(|known| known.name == one.name) {
                readers.push(one);
            }
        }
        readers
    }

    /// Whether a rule is one of [`rules`](Self::rules).
    ///
    /// ```
    /// use toolsure_analysis::lint::{profile, rule};
    ///
    /// let gemini = profile("gemini").unwrap();
    /// assert!(gemini.has(rule("provider-keyword").unwrap()));
    /// assert!(!gemini.has(rule("duplicate-key").unwrap()));
    /// ```
    #[must_use]
    pub fn has(&self, rule: &Rule) -> bool {
        (self.style && rule.is_style) || rule.breaks_one_of(&self.readers())
    }

    /// Whether the rule's advice is something that one of its readers does not take.
    pub(super) fn refuses_advice(&self, rule: &Rule) -> bool {
        self.readers()
            .iter()
            .any(|reader| (rule.advice_refused)(reader))
    }
}

impl Rule {
    /// The facts that break the rule, each with the reader that has it; none for a rule that matters to all.
    ///
    /// ```
    /// use toolsure_analysis::lint::rule;
    ///
    /// let mut facts = rule("provider-keyword").unwrap().facts();
    /// assert!(facts.any(|(reader, _)| reader.name == "gemini"));
    /// assert_eq!(rule("duplicate-key").unwrap().facts().count(), 0);
    /// ```
    pub fn facts(&self) -> impl Iterator<Item = (&'static Reader, &'static SourcedFact)> {
        READERS.iter().flat_map(|reader| self.facts_of_one(reader))
    }

    /// The same facts of these readers.
    pub(super) fn facts_of<'r>(
        &'r self,
        readers: &'r [&'static Reader],
    ) -> impl Iterator<Item = Broken> + 'r {
        readers.iter().flat_map(|reader| self.facts_of_one(reader))
    }

    /// Whether one of these readers has such a fact.
    pub(super) fn breaks_one_of(&self, readers: &[&'static Reader]) -> bool {
        self.facts_of(readers).next().is_some()
    }

    fn facts_of_one(&self, reader: &'static Reader) -> impl Iterator<Item = Broken> {
        let facts = reader.own.iter().map(move |fact| (reader, fact));
        facts.filter(|(_, fact)| (self.breaks)(&fact.fact))
    }
}
