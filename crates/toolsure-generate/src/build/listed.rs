//! Values that are written as they are: those of `enum` and `const`, and those that break a keyword by being something
//! else.

use toolsure_json::{Kind, Node as _, OwnedDocument, ReadLimits, View, equal_values, json_string};
use toolsure_syntax::Keyword;
use toolsure_syntax::model::{Entry, Form, SubschemaId, TypeSet};

use crate::conjunction::Conjunction;
use crate::decimal::Decimal;
use crate::heights::TYPES;

/// The values that all lists have; `None` if there is no list.
pub(super) fn values<'g>(
    found: &Conjunction<'g>,
    broken: Option<(SubschemaId, &'g Entry)>,
) -> Option<Vec<String>> {
    let lists = lists(found, broken);
    let (at, first) = lists
        .iter()
        .enumerate()
        .min_by_key(|(_, list)| list.len())?;
    let is_in_all = |value: &View<'g>| {
        let mut others = lists.iter().enumerate().filter(|(other, _)| *other != at);
        found.types.intersects(TypeSet::of(*value))
            && others.all(|(_, list)| list.iter().any(|one| equal_values(*one, *value)))
    };
    let all = first.iter().filter(|value| is_in_all(value));
    let texts = all.map(|value| value.raw().to_owned());
    Some(texts.take(MOST_LISTED).collect())
}

/// The values of each list but that of the keyword that is to be broken.
fn lists<'g>(
    found: &Conjunction<'g>,
    broken: Option<(SubschemaId, &'g Entry)>,
) -> Vec<Vec<View<'g>>> {
    let is_other = |sub: SubschemaId, entry: &Entry| {
        broken.is_none_or(|(at, own)| at != sub || own.keyword != entry.keyword)
    };
    let enums = found.all(Keyword::Enum);
    let enums = enums.filter(|(sub, entry, _)| is_other(*sub, entry));
    let mut lists: Vec<Vec<View<'g>>> = enums.map(|(_, _, list)| list.items().collect()).collect();
    let constants = found.all(Keyword::Const);
    let constants = constants.filter(|(sub, entry, _)| is_other(*sub, entry));
    lists.extend(constants.map(|(_, _, value)| vec![value]));
    lists
}

/// A value that a list does not have, as close to one of its values as can be.
fn unlisted<'g>(
    found: &Conjunction<'g>,
    (sub, entry): (SubschemaId, &'g Entry),
    variant: usize,
) -> Option<String> {
    let value = found.view(sub, entry.value)?;
    let own: Vec<View<'g>> = match entry.keyword {
        Keyword::Enum => value.items().collect(),
        _ => vec![value],
    };
    let others = lists(found, Some((sub, entry)));
    let beside = others.iter().flatten().map(|one| one.raw().to_owned());
    let mut candidates: Vec<String> = beside.take(MOST_LISTED).collect();
    for one in own.iter().take(4) {
        match one.kind() {
            Kind::String => {
                candidates.push(json_string(&format!("{}x", one.string())));
                candidates.push("\"\"".to_owned());
            }
            Kind::Number => {
                let number = Decimal::read(one.raw());
                let next = number.and_then(|number| {
                    let units = number.units(number.scale())?;
                    let one = Decimal::of(1, 0).units(number.scale())?;
                    Some(Decimal::of(units.checked_add(one)?, number.scale()).text())
                });
                candidates.extend(next);
                candidates.push("-1".to_owned());
            }
            Kind::Boolean => candidates.push((!one.boolean()).to_string()),
            Kind::Array => candidates.extend(["[]", "[0]"].map(str::to_owned)),
            Kind::Object => candidates.extend(["{}", "{\"a\":0}"].map(str::to_owned)),
            Kind::Null => {}
        }
    }
    candidates.extend(["\"a\"", "0", "true", "false", "null", "[]", "{}"].map(str::to_owned));
    let is_new = |text: &String| {
        let document = OwnedDocument::read(text.as_bytes(), &ReadLimits::default());
        document.is_ok_and(|document| {
            let value = document.document().root();
            !own.iter().any(|one| equal_values(*one, value))
        })
    };
    let mut new = candidates.into_iter().filter(is_new);
    new.nth(variant)
}

/// A value that breaks a keyword by its type or by not being listed. The outer `None` says that this is no way to break
/// it, the inner one that there is no such value.
pub(super) fn breaking<'g>(
    found: &Conjunction<'g>,
    (sub, entry): (SubschemaId, &'g Entry),
    variant: usize,
) -> Option<Option<String>> {
    let candidates: &[&str] = &["null", "true", "0", "0.5", "\"a\"", "[]", "{}"];
    match entry.keyword {
        Keyword::Type => {
            let Form::Types(types) = entry.form else {
                return Some(None);
            };
            // A list beside it may have a value of another type.
            let lists = lists(found, Some((sub, entry)));
            let listed = lists.first().into_iter().flatten();
            let mut listed = listed.filter(|one| !types.contains(TypeSet::of(**one)));
            if let Some(value) = listed.nth(variant) {
                return Some(Some(value.raw().to_owned()));
            }
            let others = candidates.iter().zip(TYPES);
            let mut others = others.filter(|(_, one)| !types.intersects(*one));
            let count = others.clone().count();
            // Close to what is expected: a string for a number, a number for a string.
            let preferred = match types.intersects(TypeSet::STRING) {
                true => 2,
                false => 4,
            };
            let preferred = candidates.get(preferred);
            let first = others.clone().position(|(text, _)| preferred == Some(text));
            let turn = first.unwrap_or(0).saturating_add(variant);
            let turn = turn.checked_rem(count)?;
            let (text, _) = others.nth(turn)?;
            Some(Some((*text).to_owned()))
        }
        Keyword::Enum | Keyword::Const => Some(unlisted(found, (sub, entry), variant)),
        Keyword::AnyOf | Keyword::OneOf => {
            // Two branches of `oneOf` are tried in turn with none of them.
            let turn = match entry.keyword {
                Keyword::OneOf if variant.is_multiple_of(2) => return None,
                Keyword::OneOf => variant.checked_div(2)?,
                _ => variant,
            };
            let text = candidates.get(turn)?;
            Some(Some((*text).to_owned()))
        }
        _ => None,
    }
}

/// Values of one list that are tried.
const MOST_LISTED: usize = 1_000;
