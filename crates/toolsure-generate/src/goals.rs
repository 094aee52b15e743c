//! What instances are to cover, and what they are to break.

use toolsure_json::{Node as _, View};
use toolsure_syntax::Keyword;
use toolsure_syntax::model::{Dangling, Entry, Form, Model, Shape, SubschemaId, TypeSet};

use crate::build::Aim;
use crate::heights::{Heights, NEVER, TYPES};
use crate::implied::Implications;
use crate::instances::Purpose;
use crate::reach::{Edge, EdgeKind, Reach, is_never};

/// Something that a valid instance is to have.
pub(crate) struct Cover<'g> {
    pub(crate) path: Vec<&'g Edge>,
    pub(crate) aim: Aim<'g>,
    pub(crate) purpose: Purpose,
    /// The subschema that a value must match for this.
    pub(crate) sub: SubschemaId,
    /// Whether any instance with such a value will do.
    pub(crate) is_any: bool,
    /// Whether it is proved that there is none.
    pub(crate) is_impossible: bool,
}

/// A keyword that an invalid instance is to break.
pub(crate) struct Break<'g> {
    pub(crate) path: Vec<&'g Edge>,
    pub(crate) aim: Aim<'g>,
    pub(crate) keyword: Keyword,
    /// The location of the keyword.
    pub(crate) location: String,
    /// Whether it is proved that no value breaks it alone.
    pub(crate) is_impossible: bool,
}

/// The location of a subschema: a JSON pointer, after the URI of its document if that has one.
pub(crate) fn location(model: &Model, sub: SubschemaId) -> Result<String, Dangling> {
    let own = model.sub(sub)?;
    let pointer = model.pointer(own)?;
    let document = model.docs.get(own.doc.index()).ok_or(Dangling)?;
    Ok(match document.uri.as_str() {
        "" => pointer,
        uri => format!("{uri}#{pointer}"),
    })
}

/// All that valid instances are to cover: each subschema first.
pub(crate) fn covers<'g>(
    model: &'g Model,
    reach: &'g Reach,
    heights: &Heights,
) -> Result<Vec<Cover<'g>>, Dangling> {
    let mut all = Vec::new();
    for (number, edge) in reach.edges.iter().enumerate() {
        let is_first = reach.is_first(number);
        // What is applied in any case needs no instance of its own.
        if is_never(model, edge.to) || (!is_first && edge.kind == EdgeKind::Same) {
            continue;
        }
        let mut path = reach.path_to(edge.from);
        path.push(edge);
        all.push(Cover {
            path,
            aim: Aim::Any,
            purpose: Purpose::Subschema(location(model, edge.to)?),
            sub: edge.to,
            is_any: is_first,
            is_impossible: heights.is_proof && !is_possible(heights, edge),
        });
    }
    for sub in &reach.subs {
        let own = model.sub(*sub)?;
        let at = location(model, *sub)?;
        for entry in model.entries(own)? {
            let mut add = |aim: Aim<'g>, purpose: Purpose| {
                all.push(Cover {
                    path: reach.path_to(*sub),
                    aim,
                    purpose,
                    sub: *sub,
                    is_any: false,
                    is_impossible: false,
                });
            };
            let location = || format!("{at}/{}", entry.keyword.name());
            let view = model.view(own.doc, entry.value).ok_or(Dangling)?;
            match (&entry.form, entry.keyword) {
                (Form::Types(types), _) => {
                    let names = [
                        "null", "boolean", "integer", "number", "string", "array", "object",
                    ];
                    let own: Vec<_> = TYPES
                        .into_iter()
                        .zip(names)
                        .filter(|(one, _)| types.intersects(*one))
                        .collect();
                    if own.len() > 1 {
                        for (one, name) in own {
                            add(Aim::Type(one), Purpose::Type(name, location()));
                        }
                    }
                }
                (Form::Literal, Keyword::Enum) => {
                    for (index, value) in view.items().enumerate().take(MOST_LISTED) {
                        let purpose = Purpose::Listed(format!("{}/{index}", location()));
                        add(Aim::Text(value.raw().to_owned()), purpose);
                    }
                }
                (Form::Bound { .. }, _) => add(Aim::At(entry), Purpose::Bound(location())),
                (Form::Count(_), keyword)
                    if !matches!(keyword, Keyword::MinContains | Keyword::MaxContains) =>
                {
                    add(Aim::At(entry), Purpose::Bound(location()));
                }
                (_, Keyword::Default) => {
                    add(
                        Aim::Text(view.raw().to_owned()),
                        Purpose::Listed(location()),
                    );
                }
                (_, Keyword::Examples) => {
                    for (index, value) in view.items().enumerate().take(MOST_EXAMPLES) {
                        let purpose = Purpose::Listed(format!("{}/{index}", location()));
                        add(Aim::Text(value.raw().to_owned()), purpose);
                    }
                }
                _ => {}
            }
        }
    }
    Ok(all)
}

/// Whether some value may match the subschema that an edge leads to.
fn is_possible(heights: &Heights, edge: &Edge) -> bool {
    let around = match &edge.kind {
        kind if kind.is_in_place() => TypeSet::ALL,
        kind if kind.is_item() => TypeSet::ARRAY,
        _ => TypeSet::OBJECT,
    };
    let inside = match edge.kind {
        EdgeKind::Name => TypeSet::STRING,
        _ => TypeSet::ALL,
    };
    heights.least(edge.from, around) != NEVER && heights.least(edge.to, inside) != NEVER
}

/// All keywords that instances are to break.
pub(crate) fn breaks<'g>(
    model: &'g Model,
    reach: &'g Reach,
    heights: &Heights,
) -> Result<Vec<Break<'g>>, Dangling> {
    let mut all = Vec::new();
    let implications = Implications::new(model, reach, heights);
    if is_never(model, model.root) {
        all.push(Break {
            path: Vec::new(),
            aim: Aim::Text("null".to_owned()),
            keyword: Keyword::Unknown,
            location: location(model, model.root)?,
            is_impossible: false,
        });
    }
    for edge in &reach.edges {
        if is_never(model, edge.to) && !matches!(edge.kind, EdgeKind::Branch(_)) {
            let mut path = reach.path_to(edge.from);
            let is_impossible = implications.is_accepted(&path, (edge.from, edge.keyword));
            path.push(edge);
            all.push(Break {
                path,
                aim: match edge.kind {
                    EdgeKind::Same => Aim::Text("null".to_owned()),
                    _ => Aim::Any,
                },
                keyword: edge.keyword,
                location: format!("{}/{}", location(model, edge.from)?, edge.keyword.name()),
                is_impossible,
            });
        }
    }
    for sub in &reach.subs {
        let own = model.sub(*sub)?;
        if matches!(own.shape, Shape::Always(_)) {
            continue;
        }
        let at = location(model, *sub)?;
        let entries = model.entries(own)?;
        for entry in entries {
            let view = model.view(own.doc, entry.value).ok_or(Dangling)?;
            if !can_break(entry, view) {
                continue;
            }
            let path = reach.path_to(*sub);
            let broken = (*sub, entry.keyword);
            let breaks_another = match entry.form {
                Form::Types(types) => implications.breaks_another(&path, *sub, types)?,
                _ => false,
            };
            let is_impossible = breaks_another || implications.is_accepted(&path, broken);
            all.push(Break {
                path,
                aim: Aim::Break(*sub, entry),
                keyword: entry.keyword,
                location: format!("{at}/{}", entry.keyword.name()),
                is_impossible,
            });
        }
    }
    Ok(all)
}

/// Whether a value can fail because of the keyword itself, not of a subschema that it applies.
fn can_break(entry: &Entry, value: View<'_>) -> bool {
    match (&entry.form, entry.keyword) {
        (Form::Literal, Keyword::Required) => value.len() > 0,
        (Form::Literal, Keyword::DependentRequired) => {
            value.members().any(|(_, list)| list.len() > 0)
        }
        (Form::Literal, keyword) => keyword.can_reject(),
        (Form::Count(0), Keyword::MinLength | Keyword::MinItems | Keyword::MinProperties) => false,
        (Form::Flag(is_set), Keyword::UniqueItems) => *is_set,
        (Form::Types(types), _) => !types.is_all(),
        (
            Form::Bound { .. }
            | Form::Count(_)
            | Form::Pattern(_)
            | Form::Format(_)
            | Form::Content(_),
            _,
        ) => true,
        (Form::One(_), keyword) => matches!(keyword, Keyword::Not | Keyword::Contains),
        (Form::List(_), keyword) => matches!(keyword, Keyword::AnyOf | Keyword::OneOf),
        (Form::Dependencies(_), _) => true,
        _ => false,
    }
}

/// Values of one `enum`, and of one `examples`.
const MOST_LISTED: usize = 100;
const MOST_EXAMPLES: usize = 20;
