//! The part of a schema that matters to an instance.

use toolsure_json::{Key as _, KeyView, Kind};

use crate::dialect::Keyword;
use crate::positions::SubschemaLayout;

/// The part of a schema that matters to instances with certain names of members: without the
/// subschemas of other `properties`, and without definitions that nothing refers to.
///
/// ```
/// use toolsure_json::key_hash;
/// use toolsure_syntax::{Parser, NeededPart, model::Shape};
///
/// let mut part = NeededPart::new(false);
/// part.add(key_hash("a"));
/// let text = r#"{"properties": {"a": {"minimum": 1}, "b": {"minimum": 2}}}"#;
/// let parser = Parser::default();
/// let document = parser.read_part(text, &part).ok_or("not JSON")?;
/// assert_eq!(document.document().len(), 9);
/// let model = parser.parse_part(document, &[], &part)?;
/// assert_ne!(model.subs[1].shape, Shape::UNDECODED);
/// assert_eq!(model.subs[2].shape, Shape::UNDECODED);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct NeededPart {
    /// A bit for each name, by its hash. Names share bits, so that the part may be larger.
    names: [u64; 8],
    pub(crate) refers: bool,
}

impl NeededPart {
    /// The part for instances without members. `refers` says whether the schema has references.
    #[must_use]
    pub fn new(refers: bool) -> Self {
        let names = [0; 8];
        Self { names, refers }
    }

    /// Adds a name of members, by its [`key_hash`](toolsure_json::key_hash).
    pub fn add(&mut self, hash: u32) {
        let (word, bit) = Self::place(hash);
        if let Some(word) = self.names.get_mut(word) {
            *word |= bit;
        }
    }

    pub(crate) fn has(&self, hash: u32) -> bool {
        let (word, bit) = Self::place(hash);
        self.names.get(word).is_none_or(|word| word & bit != 0)
    }

    /// Whether an array or object in the text of a schema is read, and what it is (see
    /// [`OwnedDocument::read_part`](toolsure_json::OwnedDocument::read_part)).
    pub(crate) fn wants(&self, around: u32, key: Option<KeyView<'_>>, kind: Kind) -> Option<u32> {
        match (around, key) {
            (PROPERTIES, Some(key)) => self.has(key.hash()).then_some(SCHEMA),
            (DEFINITIONS, _) => None,
            (SCHEMA, Some(key)) => Some(place(key.text(), kind, self.refers)),
            (SCHEMAS, _) => Some(SCHEMA),
            _ => Some(DATA),
        }
    }

    fn place(hash: u32) -> (usize, u64) {
        (toolsure_json::int::to_usize(hash >> 29), 1 << (hash & 63))
    }
}

/// What the value of a keyword is, if it is an array or an object.
fn place(keyword: &str, kind: Kind, refers: bool) -> u32 {
    let keyword = Keyword::from_name(keyword);
    match keyword.and_then(|keyword| Some((keyword, keyword.layout()?))) {
        None => DATA,
        Some((Keyword::Properties, _)) => PROPERTIES,
        Some((Keyword::Defs | Keyword::Definitions, _)) if !refers => DEFINITIONS,
        Some((_, SubschemaLayout::Schemas)) if kind == Kind::Object => SCHEMA,
        Some((_, SubschemaLayout::Schemas | SubschemaLayout::Map)) => SCHEMAS,
    }
}

/// A container without subschemas.
const DATA: u32 = 0;
pub(crate) const SCHEMA: u32 = 1;
/// An array or object of subschemas.
const SCHEMAS: u32 = 2;
/// The same, of members that an instance may lack.
const PROPERTIES: u32 = 3;
/// The same, to which nothing refers.
const DEFINITIONS: u32 = 4;
