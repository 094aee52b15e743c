//! How the values of a published schema differ from those of the original.

use toolgate_syntax::model::TypeSet;

use super::tree::Json;

/// How a value that matches a published schema is encoded.
#[derive(Debug, Clone, Default)]
pub(super) struct Coding {
    /// Members, by their original names, whose absence is published as null.
    pub(super) absent: Vec<String>,
    /// Members that are published under another name.
    pub(super) renamed: Vec<Renamed>,
    pub(super) form: Form,
}

/// A member that is published under another name.
#[derive(Debug, Clone)]
pub(super) struct Renamed {
    pub(super) published: String,
    pub(super) original: String,
}

/// The form in which a value is published.
#[derive(Debug, Clone, Default)]
pub(super) enum Form {
    /// Unchanged.
    #[default]
    Plain,
    /// As a string that contains its JSON text; holds the types that the original allows.
    JsonText(TypeSet),
    /// An object as an array of objects with `key` and `value`; the values of the original follow the
    /// coding of the published `value`.
    Entries,
    /// As a string that represents it: the published string and the value.
    Words(Vec<(String, Json)>),
}

impl Coding {
    /// Whether values are unchanged, as far as this schema is concerned.
    pub(super) fn is_plain(&self) -> bool {
        self.absent.is_empty() && self.renamed.is_empty() && matches!(self.form, Form::Plain)
    }

    pub(super) fn original<'n>(&'n self, published: &'n str) -> &'n str {
        let mut renamed = self.renamed.iter();
        let found = renamed.find(|one| one.published == published);
        found.map_or(published, |one| &one.original)
    }

    pub(super) fn published<'n>(&'n self, original: &'n str) -> &'n str {
        let mut renamed = self.renamed.iter();
        let found = renamed.find(|one| one.original == original);
        found.map_or(original, |one| &one.published)
    }
}
