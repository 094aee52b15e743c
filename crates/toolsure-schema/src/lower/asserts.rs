//! Which keywords assert something beside the others of their subschema.

use crate::dialect::Keyword;
use crate::model::{Entry, Form};

/// Whether a keyword can affect the verdict or the evaluated members, given all keywords of its
/// subschema.
pub(super) fn asserts(beside: &[Entry], entry: &Entry) -> bool {
    match (&entry.form, entry.keyword) {
        (Form::Annotation, _)
        | (_, Keyword::Defs | Keyword::Definitions | Keyword::ContentSchema)
        | (Form::Flag(false), _) => false,
        (_, Keyword::Then | Keyword::Else) => Entry::find(beside, Keyword::If).is_some(),
        (_, Keyword::MinContains | Keyword::MaxContains) => {
            Entry::find(beside, Keyword::Contains).is_some()
        }
        (_, Keyword::AdditionalItems) => matches!(
            Entry::find(beside, Keyword::Items),
            Some(Entry {
                form: Form::List(_),
                ..
            })
        ),
        _ => true,
    }
}
