//! The pinned `_meta` of a tool.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use toolsure_json::{Key as _, Kind, Node as _, OwnedDocument, View, push_json_string};
use toolsure_mcp::argument::LISTED;
use toolsure_mcp::contract::ToolContract;

use super::canonical::{Digest, limits};

/// The `_meta` of a tool as a digest of each member; with more than 256 members, or if it is no object, as one
/// digest of the whole. The argument schema in it belongs to the contract
/// ([`Pin`](super::Pin)).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MetaPin(BTreeMap<String, Digest>);

impl MetaPin {
    /// The name of the digest of the whole, which no pattern excepts.
    pub(crate) const WHOLE: &str = "_meta";

    /// The pin of the `_meta` of a tool's definition.
    #[must_use]
    pub fn of(tool: View<'_>) -> Self {
        let meta = tool.member("_meta");
        let Some(meta) = meta else {
            return Self::default();
        };
        let is_pinned = |name: &str| name != LISTED;
        let is_object = meta.kind() == Kind::Object;
        if !is_object || meta.members().nth(MEMBERS).is_some() {
            let all = match is_object {
                true => Digest::of_members(meta, is_pinned, None),
                false => Digest::of_members(tool, |name| name == "_meta", None),
            };
            return Self([(Self::WHOLE.to_owned(), all)].into());
        }
        let members = meta.members().filter(|(name, _)| is_pinned(name.text()));
        let pinned = members.map(|(name, value)| {
            let name = name.text();
            let digest = Digest::of_members(value, |_| false, Some((name, value)));
            (name.to_owned(), digest)
        });
        Self(pinned.collect())
    }

    /// The same for a tool that was parsed before; `None` if its text cannot be parsed alone.
    #[must_use]
    pub fn of_contract(tool: &ToolContract) -> Option<Self> {
        let document = OwnedDocument::read(tool.listed_text(), &limits()).ok()?;
        Some(Self::of(document.document().root()))
    }

    /// The first member, by name, that the two do not have in common, among those that `is_pinned`.
    #[must_use]
    pub fn difference<'a>(
        &'a self,
        other: &'a Self,
        is_pinned: impl Fn(&str) -> bool,
    ) -> Option<&'a str> {
        let names = self.0.keys().chain(other.0.keys());
        let differ = names.filter(|name| self.0.get(*name) != other.0.get(*name));
        differ
            .map(String::as_str)
            .filter(|name| is_pinned(name))
            .min()
    }

    /// Reads what [`write`](Self::write) wrote.
    pub(super) fn read(meta: View<'_>) -> Option<Self> {
        let digests = meta.members().map(|(name, digest)| {
            let text = (digest.kind() == Kind::String).then(|| digest.string());
            Some((name.text().to_owned(), Digest::read(text?)?))
        });
        digests.collect::<Option<_>>().map(Self)
    }

    pub(super) fn write(&self, out: &mut String) {
        out.push('{');
        for (index, (name, digest)) in self.0.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            push_json_string(out, name);
            // Writing to a string cannot fail.
            let _ = write!(out, r#":"{digest}""#);
        }
        out.push('}');
    }
}

/// More members than any server is known to write: a hostile one must not make its pins large.
const MEMBERS: usize = 256;
