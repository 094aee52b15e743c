//! The texts that a definition has and an earlier one had not: a model reads them wherever they are, and a comparison of what is
//! accepted does not look at them.

use std::collections::HashSet;

use toolsure_json::{Key as _, Kind, Node as _, OwnedDocument, View, pointer};
use toolsure_syntax::Keyword;
use toolsure_syntax::positions::SubschemaLayout;

use super::listing::limits;
use super::lookup::Lookup;

/// The texts in the schemas of a tool that an earlier definition did not have at the same place, and the references that lead elsewhere. A
/// new parameter brings its own texts, with those of new definitions to which only new parameters refer. Words such as names and values
/// of an enumeration are no texts, if they are few. At most 1,000, each once.
///
/// ```
/// use toolsure_analysis::diff::new_texts;
///
/// let old = r#"{"inputSchema": {"properties": {"q": {"type": "string"}}}}"#;
/// let hidden = r#"{"inputSchema": {"properties": {"q": {"type": "string", "allOf": [{"description": "Read this first"}]}}}}"#;
/// assert_eq!(new_texts(old, hidden), ["Read this first"]);
/// let added = r#"{"inputSchema": {"properties": {"q": {"type": "string"}, "n": {"description": "How many"}}}}"#;
/// assert!(new_texts(old, added).is_empty());
/// ```
#[must_use]
pub fn new_texts(old: &str, new: &str) -> Vec<String> {
    let read = |text: &str| OwnedDocument::read(text, &limits()).ok();
    let (Some(old), Some(new)) = (read(old), read(new)) else {
        return vec!["a definition that cannot be read".to_owned()];
    };
    let (old, new) = (old.document().root(), new.document().root());
    let mut search = Search {
        found: Vec::new(),
        told: HashSet::new(),
        words: 0,
        parameters: parameters(old),
        exempt: HashSet::new(),
    };
    // New parameters first: what they refer to is theirs.
    search.walk(old, new, true);
    search.found.clear();
    search.told.clear();
    search.words = 0;
    search.walk(old, new, false);
    search.found
}

struct Search {
    found: Vec<String>,
    /// The same, to find them.
    told: HashSet<String>,
    /// How many new words there are besides texts.
    words: usize,
    /// The names of all parameters that the old definition has anywhere: a member with such a name is not a new parameter.
    parameters: HashSet<String>,
    /// The references in new parameters.
    exempt: HashSet<String>,
}

/// What a value is.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Tool,
    Schema,
    /// Schemas by name, under this keyword.
    Map(Keyword),
    /// The value of this keyword, or within it.
    Of(Keyword),
    /// Anything else.
    Data,
}

/// A value with the one at the same place before.
#[derive(Clone, Copy)]
struct Pair<'v> {
    now: View<'v>,
    before: Option<View<'v>>,
    role: Role,
}

impl Search {
    fn walk(&mut self, old: View<'_>, new: View<'_>, only_parameters: bool) {
        let lookup = Lookup::new();
        let mut todo = vec![Pair {
            now: new,
            before: Some(old),
            role: Role::Tool,
        }];
        while let Some(pair) = todo.pop() {
            let before = pair
                .before
                .filter(|before| before.kind() == pair.now.kind());
            match pair.now.kind() {
                Kind::String => {
                    let text = pair.now.string();
                    if before.is_none_or(|before| before.string() != text) {
                        self.string(text, pair.role);
                    }
                }
                Kind::Array => {
                    // The order of names and values has no meaning.
                    let olds = before.filter(|_| matches!(pair.role, Role::Of(_)));
                    let olds = olds.into_iter().flat_map(View::items);
                    let olds = olds.filter(|old| old.kind() == Kind::String);
                    let known: HashSet<&str> = olds.map(|old| old.string()).collect();
                    let mut olds = before.into_iter().flat_map(View::items);
                    for now in pair.now.items() {
                        if now.kind() == Kind::String && known.contains(now.string()) {
                            continue;
                        }
                        todo.push(Pair {
                            now,
                            before: olds.next(),
                            role: pair.role,
                        });
                    }
                }
                Kind::Object => {
                    for (key, now) in pair.now.members() {
                        let name = key.text();
                        let earlier = before.and_then(|before| lookup.member(before, name));
                        let role = role_of(pair.role, name, now);
                        if pair.role == Role::Tool && role != Role::Schema {
                            // Others compare it.
                            continue;
                        }
                        if earlier.is_none() {
                            if self.is_exempt(&pair, name) {
                                if only_parameters {
                                    self.refer(now);
                                }
                                if !is_name(name) {
                                    self.tell(name);
                                }
                                continue;
                            }
                            self.name(name, pair.role);
                        }
                        // The map of the first parameters need not have been there.
                        let is_first = role == Role::Map(Keyword::Properties) && before.is_some();
                        let empty = before.filter(|_| is_first && earlier.is_none());
                        todo.push(Pair {
                            now,
                            before: earlier.or(empty),
                            role,
                        });
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether a member that was not there is a new parameter, or a definition that only those refer to.
    fn is_exempt(&self, pair: &Pair<'_>, name: &str) -> bool {
        match pair.role {
            Role::Map(Keyword::Properties) => {
                pair.before.is_some() && !self.parameters.contains(name)
            }
            Role::Map(keyword @ (Keyword::Defs | Keyword::Definitions)) => {
                let mut place = format!("#/{}", keyword.name());
                pointer::push(&mut place, name);
                self.exempt.contains(&place)
            }
            _ => false,
        }
    }

    /// Remembers what a new parameter, or a definition that it refers to, refers to.
    fn refer(&mut self, parameter: View<'_>) {
        let mut todo = vec![parameter];
        while let Some(value) = todo.pop() {
            for (key, member) in value.members() {
                if key.text() == "$ref" && member.kind() == Kind::String {
                    self.exempt.insert(member.string().to_owned());
                }
                todo.push(member);
            }
            todo.extend(value.items());
        }
    }

    /// A string that was not there.
    fn string(&mut self, text: &str, role: Role) {
        let is_reading = |keyword: Keyword| {
            matches!(
                keyword,
                Keyword::Ref | Keyword::DynamicRef | Keyword::RecursiveRef
            )
        };
        match role {
            // A pattern is no text, and its blanks are no blanks between words.
            Role::Of(Keyword::Pattern) if !text.contains(' ') && text.len() <= PATTERN => {}
            Role::Of(keyword) if is_reading(keyword) => self.tell(text),
            Role::Of(keyword) if keyword.can_reject() || names_things(keyword) => self.word(text),
            _ => self.tell(text),
        }
    }

    /// A name that was not there.
    fn name(&mut self, name: &str, role: Role) {
        match role {
            // Keywords, or members of tools, that others compare.
            Role::Tool => {}
            Role::Schema if Keyword::from_name(name).is_some() => {}
            Role::Map(Keyword::Properties) if is_name(name) => {}
            _ => self.word(name),
        }
    }

    fn word(&mut self, word: &str) {
        self.words = self.words.saturating_add(1);
        if !is_word(word) || self.words > WORDS {
            self.tell(word);
        }
    }

    fn tell(&mut self, text: &str) {
        if self.found.len() < MOST && self.told.insert(text.to_owned()) {
            self.found.push(text.to_owned());
        }
    }
}

fn role_of(parent: Role, name: &str, value: View<'_>) -> Role {
    match parent {
        Role::Tool if matches!(name, "inputSchema" | "outputSchema") => Role::Schema,
        Role::Tool | Role::Data => Role::Data,
        Role::Of(_) => parent,
        Role::Map(_) => Role::Schema,
        Role::Schema => match Keyword::from_name(name) {
            None => Role::Data,
            Some(keyword) => match keyword.layout() {
                Some(SubschemaLayout::Map) if value.kind() == Kind::Object => Role::Map(keyword),
                Some(_) if value.kind() != Kind::String => Role::Schema,
                _ => Role::Of(keyword),
            },
        },
    }
}

/// The names of all parameters of a definition.
fn parameters(tool: View<'_>) -> HashSet<String> {
    let mut names = HashSet::new();
    let mut todo = vec![(tool, Role::Tool)];
    while let Some((value, role)) = todo.pop() {
        for (key, member) in value.members() {
            if role == Role::Map(Keyword::Properties) {
                names.insert(key.text().to_owned());
            }
            todo.push((member, role_of(role, key.text(), member)));
        }
        todo.extend(value.items().map(|item| (item, role)));
    }
    names
}

/// Keywords whose strings name something, and refuse nothing by themselves.
fn names_things(keyword: Keyword) -> bool {
    keyword.name().starts_with('$') && keyword != Keyword::Comment || keyword.name() == "id"
}

/// Whether a text can be a word of a program: an identifier, a format, a value of an enumeration.
fn is_word(text: &str) -> bool {
    let parts = text.split(['-', '_', '.', '/', ':', ' ']).count();
    text.len() <= WORD && parts <= PARTS && is_name(text)
}

/// Whether a text can be the name of a parameter.
fn is_name(text: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "-_.:/$#@+".contains(c);
    text.len() <= NAME && text.chars().all(is_plain)
}

/// Bytes of a word, and of a name; what is longer can be a sentence without blanks.
const WORD: usize = 32;
const NAME: usize = 48;
/// Parts of a word.
const PARTS: usize = 4;
/// Bytes of a pattern.
const PATTERN: usize = 200;
/// New words that are no text together.
const WORDS: usize = 32;
/// Texts that are returned.
const MOST: usize = 1_000;
