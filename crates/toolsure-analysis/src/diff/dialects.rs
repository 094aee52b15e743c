//! Whether a text means the same in the dialects of both sides.

use toolsure_json::{Key as _, Kind, Node as _, View};
use toolsure_syntax::format::Format;
use toolsure_syntax::{Dialect, Keyword};

use super::subset::Comparison;

impl<'a> Comparison<'a> {
    /// Whether a part of a schema that is in both documents is known to mean the same in both. Data that
    /// looks like a keyword counts as one.
    pub(super) fn reads_alike(&mut self, part: View<'a>) -> bool {
        if self.left.dialect == self.right.dialect {
            return true;
        }
        let container = |view: &View<'a>| matches!(view.kind(), Kind::Object | Kind::Array);
        let mut todo = vec![part];
        while let Some(view) = todo.pop() {
            if !self.pay(1) {
                return false;
            }
            for (key, value) in view.members() {
                let keyword = Keyword::from_name(key.text());
                if keyword.is_some_and(|keyword| !self.is_alike(keyword, value, view)) {
                    return false;
                }
                todo.extend(Some(value).filter(container));
            }
            todo.extend(view.items().filter(container));
        }
        true
    }

    /// Whether a keyword of a schema means the same in the dialects of both sides.
    fn is_alike(&self, keyword: Keyword, value: View<'_>, schema: View<'_>) -> bool {
        let (one, other) = (self.left.dialect, self.right.dialect);
        let has_draft4 = one == Dialect::Draft4 || other == Dialect::Draft4;
        if keyword.is_in(one) != keyword.is_in(other) {
            return !keyword.can_reject() && keyword.layout().is_none();
        }
        match keyword {
            Keyword::Ref => {
                schema.len() == 1 || one.ref_hides_siblings() == other.ref_hides_siblings()
            }
            Keyword::Items => value.kind() != Kind::Array,
            Keyword::ExclusiveMinimum | Keyword::ExclusiveMaximum => !has_draft4,
            Keyword::Type => !has_draft4 || !value.raw().contains("integer"),
            Keyword::Format => {
                let format = Format::from_name(value.string());
                format.is_none_or(|format| format.in_dialect(one) == format.in_dialect(other))
            }
            Keyword::ContentEncoding | Keyword::ContentMediaType => {
                let is_asserted = |dialect| dialect == Dialect::Draft7;
                !self.right.asserts.content || is_asserted(one) == is_asserted(other)
            }
            // What `contains` evaluates differs.
            Keyword::UnevaluatedItems | Keyword::RecursiveRef | Keyword::DynamicRef => false,
            _ => true,
        }
    }
}
