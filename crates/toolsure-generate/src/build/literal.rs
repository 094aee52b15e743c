//! Listed values: those of `enum` and `const`, and values beside them.

use toolsure_json::{Kind, Node as _, OwnedDocument, ReadLimits, View, equal_values, json_string};
use toolsure_syntax::Keyword;
use toolsure_syntax::model::{Entry, SubschemaId, TypeSet};

use super::Builder;
use crate::conjunction::Conjunction;
use crate::decimal::Decimal;

impl<'g> Builder<'g> {
    /// The values that all lists have; `None` if there is no list.
    pub(super) fn listed(
        &self,
        found: &Conjunction<'g>,
        broken: Option<(SubschemaId, &'g Entry)>,
    ) -> Option<Vec<String>> {
        let lists = self.lists(found, broken);
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

    pub(super) fn lists(
        &self,
        found: &Conjunction<'g>,
        broken: Option<(SubschemaId, &'g Entry)>,
    ) -> Vec<Vec<View<'g>>> {
        let is_other = |sub: SubschemaId, entry: &Entry| {
            broken.is_none_or(|(at, own)| at != sub || own.keyword != entry.keyword)
        };
        let enums = found.all(self.model, Keyword::Enum);
        let enums = enums.filter(|(sub, entry, _)| is_other(*sub, entry));
        let mut lists: Vec<Vec<View<'g>>> =
            enums.map(|(_, _, list)| list.items().collect()).collect();
        let constants = found.all(self.model, Keyword::Const);
        let constants = constants.filter(|(sub, entry, _)| is_other(*sub, entry));
        lists.extend(constants.map(|(_, _, value)| vec![value]));
        lists
    }

    /// A value that a list does not have, as close to one of its values as can be.
    pub(super) fn unlisted(
        &self,
        found: &Conjunction<'g>,
        (sub, entry): (SubschemaId, &'g Entry),
    ) -> Option<String> {
        let value = found.view(self.model, sub, entry.value)?;
        let own: Vec<View<'g>> = match entry.keyword {
            Keyword::Enum => value.items().collect(),
            _ => vec![value],
        };
        let others = self.lists(found, Some((sub, entry)));
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
        new.nth(self.variant)
    }
}

/// Values of one list that are tried.
const MOST_LISTED: usize = 1_000;
