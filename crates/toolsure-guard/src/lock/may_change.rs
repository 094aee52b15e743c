//! Places in the definitions of tools that may change without approval, such as texts that a server fills from its
//! environment.

use std::borrow::Cow;
use std::collections::BTreeMap;

use toolsure_json::{Key as _, Kind, Node as _, OwnedDocument, View, json_string, quote};
use toolsure_mcp::message::Edits;

use super::canonical::limits;
use crate::text::name_matches;

/// The places in the definitions of tools that may change, by patterns of tools' names.
///
/// A place is a JSON pointer (RFC 6901) in which `*` and `?` of a name stand for any characters and for one: what is there may
/// change, come and go. With `: ` and a text after it, only a string may be there that the text matches, in which `*` stands for
/// at most 256 characters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MayChange(BTreeMap<String, Vec<Place>>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    /// The names on the way, each a pattern.
    names: Vec<String>,
    /// What the string there must match.
    text: Option<String>,
}

/// Why a place cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MayChangeError {
    /// It is not an object with arrays of texts.
    #[error("must have, for each pattern of tools' names, an array of places")]
    Shape,
    /// A place is not a JSON pointer.
    #[error("`{0}` is no place: it must begin with `/`")]
    Pointer(String),
    /// A place is the whole tool, its name, or too deep.
    #[error(
        "`{0}` is no place: it must be within the tool, not its name, and at most 64 names deep"
    )]
    Whole(String),
}

/// The rest of a place, within the value that its first names led to.
type Rest<'p> = (&'p [String], Option<&'p str>);

impl MayChange {
    /// Reads the JSON text of an object that has, for each pattern of tools' names, an array of places.
    ///
    /// ```
    /// use toolsure_guard::MayChange;
    ///
    /// let places = MayChange::parse(r#"{"get_*": ["/_meta/built", "/description: Knows * zones"]}"#)?;
    /// let tool = r#"{"name": "get_time", "description": "Knows 12 zones", "_meta": {"built": 3}}"#;
    /// assert_eq!(places.without("get_time", tool), r#"{"name": "get_time", "description": "Knows * zones"}"#);
    /// # Ok::<(), toolsure_guard::MayChangeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// It is not such an object, or a place is none.
    pub fn parse(places: &str) -> Result<Self, MayChangeError> {
        let document = OwnedDocument::read(places, &limits()).map_err(|_| MayChangeError::Shape)?;
        Self::read(document.document().root())
    }

    pub(super) fn read(places: View<'_>) -> Result<Self, MayChangeError> {
        if places.kind() != Kind::Object {
            return Err(MayChangeError::Shape);
        }
        let tools = places.members().map(|(tool, places)| {
            if places.kind() != Kind::Array {
                return Err(MayChangeError::Shape);
            }
            let place = |place: View<'_>| match place.kind() {
                Kind::String => Place::read(place.string()),
                _ => Err(MayChangeError::Shape),
            };
            let places: Result<_, _> = places.items().map(place).collect();
            Ok((tool.text().to_owned(), places?))
        });
        tools.collect::<Result<_, _>>().map(Self)
    }

    /// The definition of a tool without what may change in it, and with the patterns of texts in place of texts; as it is if it
    /// cannot be read.
    #[must_use]
    pub fn without<'t>(&self, name: &str, tool: &'t str) -> Cow<'t, str> {
        let own = self
            .0
            .iter()
            .filter(|(pattern, _)| name_matches(pattern, name));
        let places = own.flat_map(|(_, places)| places);
        let places: Vec<Rest<'_>> = places
            .map(|place| (place.names.as_slice(), place.text.as_deref()))
            .collect();
        if places.is_empty() {
            return tool.into();
        }
        let Ok(document) = OwnedDocument::read(tool, &limits()) else {
            return tool.into();
        };
        let mut edits = Edits::new();
        remove(document.document().root(), &places, &mut edits);
        edits.apply(tool).into()
    }
}

/// Removes what is at the places from a value. Returns whether nothing is left of it.
fn remove(value: View<'_>, places: &[Rest<'_>], edits: &mut Edits) -> bool {
    let mut removed = Vec::new();
    let mut member = |index: usize, name: &str, value: View<'_>| {
        let within: Vec<Rest<'_>> = places
            .iter()
            .filter_map(|(names, text)| {
                let (first, rest) = names.split_first()?;
                name_matches(first, name).then_some((rest, *text))
            })
            .collect();
        let (here, deeper): (Vec<_>, Vec<_>) =
            within.into_iter().partition(|(rest, _)| rest.is_empty());
        let template = here.iter().find_map(|(_, text)| {
            let text = (*text)?;
            (value.kind() == Kind::String && fits(text, value.string())).then_some(text)
        });
        if here.iter().any(|(_, text)| text.is_none()) {
            removed.push(index);
        } else if let Some(text) = template {
            edits.replace(value, json_string(text));
        } else if !deeper.is_empty() && remove(value, &deeper, edits) {
            removed.push(index);
        }
    };
    match value.kind() {
        Kind::Object => {
            for (index, (key, value)) in value.members().enumerate() {
                member(index, key.text(), value);
            }
        }
        Kind::Array => {
            for (index, item) in value.items().enumerate() {
                member(index, &index.to_string(), item);
            }
        }
        _ => {}
    }
    if removed.is_empty() {
        return false;
    }
    let is_empty = removed.len() == value.len();
    edits.reshape(value, |index, _| removed.binary_search(&index).is_ok(), &[]);
    is_empty
}

/// Whether a text matches a pattern, without much in place of its stars.
fn fits(pattern: &str, text: &str) -> bool {
    text.len() <= pattern.len().saturating_add(LONGEST) && name_matches(pattern, text)
}

impl Place {
    fn read(place: &str) -> Result<Self, MayChangeError> {
        let (pointer, text) = match place.split_once(": ") {
            Some((pointer, text)) => (pointer, Some(text.to_owned())),
            None => (place, None),
        };
        let shown = || quote(place, SHOWN).to_string();
        let Some(names) = pointer.strip_prefix('/') else {
            return Err(MayChangeError::Pointer(shown()));
        };
        let name = |name: &str| name.replace("~1", "/").replace("~0", "~");
        let names: Vec<String> = names.split('/').map(name).collect();
        if name_matches(names.first().map_or("", String::as_str), "name") || names.len() > DEEPEST {
            return Err(MayChangeError::Whole(shown()));
        }
        Ok(Self { names, text })
    }
}

/// Bytes that all stars of a text may stand for together.
const LONGEST: usize = 256;
const DEEPEST: usize = 64;
/// Maximum characters of a place that a message repeats.
const SHOWN: usize = 128;
