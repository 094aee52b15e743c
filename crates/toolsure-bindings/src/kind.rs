//! The kinds of findings, for programs: a `name` that identifies the kind, and the members of the
//! kind. `bindings/js/types/lean.d.ts` and `bindings/python/python/toolsure/kinds.py` have the same list
//! as types.

use toolsure_schema::{Branches, FindingKind, FoundValue, Tag};

use crate::write::Object;

/// Writes the members of a kind.
pub(crate) fn write(out: &mut Object<'_>, kind: &FindingKind) {
    match kind {
        FindingKind::Type { expected, found } => {
            out.text("name", "type");
            out.texts("expected", &**expected);
            value(out, found);
        }
        FindingKind::Const { expected, found } => {
            out.text("name", "const");
            out.text("expected", expected);
            value(out, found);
        }
        FindingKind::Enum {
            expected,
            more,
            closest,
            found,
        } => {
            out.text("name", "enum");
            out.texts("expected", expected);
            out.number("more", more);
            out.maybe("closest", closest.as_deref());
            value(out, found);
        }
        FindingKind::Minimum {
            limit,
            exclusive,
            found,
        } => bound(out, "minimum", limit, *exclusive, found),
        FindingKind::Maximum {
            limit,
            exclusive,
            found,
        } => bound(out, "maximum", limit, *exclusive, found),
        FindingKind::MultipleOf { divisor, found } => {
            out.text("name", "multipleOf");
            out.text("divisor", divisor);
            value(out, found);
        }
        FindingKind::MinLength {
            least,
            count,
            found,
        } => {
            counted(out, "minLength", "least", *least, *count);
            value(out, found);
        }
        FindingKind::MaxLength { most, count, found } => {
            counted(out, "maxLength", "most", *most, *count);
            value(out, found);
        }
        FindingKind::Pattern { pattern, found } => {
            out.text("name", "pattern");
            out.text("pattern", pattern);
            value(out, found);
        }
        FindingKind::Format { format, found } => {
            out.text("name", "format");
            out.text("format", format);
            value(out, found);
        }
        FindingKind::Content { expected, found } => {
            out.text("name", "content");
            out.text("expected", expected);
            value(out, found);
        }
        FindingKind::MinItems { least, count } => {
            counted(out, "minItems", "least", *least, *count);
        }
        FindingKind::MaxItems { most, count } => counted(out, "maxItems", "most", *most, *count),
        FindingKind::UniqueItems { first, second } => {
            out.text("name", "uniqueItems");
            out.number("first", first);
            out.number("second", second);
        }
        FindingKind::Contains => out.text("name", "contains"),
        FindingKind::MinContains { least, count } => {
            counted(out, "minContains", "least", *least, *count);
        }
        FindingKind::MaxContains { most } => {
            out.text("name", "maxContains");
            out.number("most", most);
        }
        FindingKind::MinProperties { least, count } => {
            counted(out, "minProperties", "least", *least, *count);
        }
        FindingKind::MaxProperties { most, count } => {
            counted(out, "maxProperties", "most", *most, *count);
        }
        FindingKind::Required { missing, more } => {
            out.text("name", "required");
            out.texts("missing", missing);
            out.number("more", more);
        }
        FindingKind::DependentRequired {
            present,
            missing,
            more,
        } => {
            out.text("name", "dependentRequired");
            out.text("present", present);
            out.texts("missing", missing);
            out.number("more", more);
        }
        FindingKind::UnexpectedProperty { name, closest } => {
            out.text("name", "unexpectedProperty");
            out.text("property", name);
            out.maybe("closest", closest.as_deref());
        }
        FindingKind::ForbiddenProperty { name } => {
            out.text("name", "forbiddenProperty");
            out.text("property", name);
        }
        FindingKind::UnexpectedItem { index } => {
            out.text("name", "unexpectedItem");
            out.number("index", index);
        }
        FindingKind::ForbiddenName => out.text("name", "forbiddenName"),
        FindingKind::AnyOf(branches) => union(out, "anyOf", branches),
        FindingKind::OneOf(branches) => union(out, "oneOf", branches),
        FindingKind::OneOfMany { matched } => {
            out.text("name", "oneOfMany");
            out.array("matched", matched, |out, index| {
                out.push_str(&index.to_string());
            });
        }
        FindingKind::Not { found } => {
            out.text("name", "not");
            value(out, found);
        }
        FindingKind::Never { found } => {
            out.text("name", "never");
            value(out, found);
        }
        // A kind that this crate does not know yet. The keyword and the message describe it.
        _ => out.text("name", "other"),
    }
}

fn bound(out: &mut Object<'_>, name: &str, limit: &str, exclusive: bool, found: &FoundValue) {
    out.text("name", name);
    out.text("limit", limit);
    out.boolean("exclusive", exclusive);
    value(out, found);
}

fn counted(out: &mut Object<'_>, name: &str, side: &str, limit: u64, count: usize) {
    out.text("name", name);
    out.number(side, limit);
    out.number("count", count);
}

fn union(out: &mut Object<'_>, name: &str, branches: &Branches) {
    out.text("name", name);
    out.number("count", branches.count);
    out.array("plausible", &branches.plausible, |out, index| {
        out.push_str(&index.to_string());
    });
    if let Some(tag) = &branches.tag {
        out.object("tag", |out| write_tag(out, tag));
    }
}

fn write_tag(out: &mut Object<'_>, tag: &Tag) {
    out.text("property", &tag.property);
    out.texts("expected", &tag.expected);
    out.number("more", tag.more);
    out.maybe("closest", tag.closest.as_deref());
    value(out, &tag.found);
}

fn value(out: &mut Object<'_>, found: &FoundValue) {
    out.object("found", |out| {
        out.text("type", found.kind.name());
        out.text("text", &found.text);
    });
}
