//! What the output of a function has.

use toolsure_json::{DuplicateKeys, Kind, Node as _, OwnedDocument, ReadLimits};

pub(super) fn json(output: &str) -> Result<OwnedDocument, String> {
    let limits = ReadLimits {
        duplicate_keys: DuplicateKeys::Refuse,
        ..ReadLimits::default()
    };
    OwnedDocument::read(output.as_bytes(), &limits)
        .map_err(|error| format!("the output is not JSON: {error}: {output}"))
}

/// A member's text; empty if there is none.
pub(super) fn text(of: &OwnedDocument, name: &str) -> String {
    let member = of.document().root().member(name);
    let text = member.filter(|member| member.kind() == Kind::String);
    text.map(|text| text.string().to_owned())
        .unwrap_or_default()
}

pub(super) fn list(of: &OwnedDocument, name: &str) -> usize {
    let member = of.document().root().member(name);
    member.map_or(0, |member| member.items().count())
}

pub(super) fn items(of: &OwnedDocument) -> usize {
    of.document().root().items().count()
}
