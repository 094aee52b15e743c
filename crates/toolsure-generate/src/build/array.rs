//! Arrays.

use toolsure_syntax::Keyword;
use toolsure_syntax::model::{Entry, Form, SubschemaId, TypeSet};

use super::{Builder, Focus, MOST_ITEMS, Position, Style};
use crate::conjunction::Conjunction;
use crate::heights::NEVER;
use crate::part::Part;
use crate::reach::{EdgeKind, is_never};
use crate::step::Step;

impl<'g> Builder<'g> {
    /// Writes an array.
    pub(super) fn array(
        &mut self,
        found: &Conjunction<'g>,
        focus: Focus<'_, 'g>,
        position: Position,
    ) -> Option<()> {
        let broken = focus.broken().map(|(_, entry)| entry);
        let aimed = focus.next();
        let (least, most) = self.lengths(found, focus)?;
        let contained = self.contained(found, broken);
        let tuple = longest_tuple(found);
        let at = match aimed.map(|edge| &edge.kind) {
            Some(EdgeKind::Item(index)) => Some(*index),
            Some(EdgeKind::OtherItem) => Some(tuple),
            Some(_) => Some(0),
            None => match focus.step() {
                Some(Step::Index(index)) => Some(*index),
                Some(_) => Some(tuple),
                None => None,
            },
        };
        let needed: usize = contained.iter().map(|(_, count)| *count).sum();
        let wanted = match self.style {
            Style::Full if position.depth < self.depth => 1.max(tuple),
            Style::Mixed if position.depth < self.depth => self.random.below(3),
            _ => 0,
        };
        let is_open = |index: usize| self.part(found, &Part::Item(index)).is_some();
        let has_item = wanted > 0 && is_open(0);
        let is_twice = broken.is_some_and(|entry| entry.keyword == Keyword::UniqueItems);
        let (varied, is_repeated) = self.extra_items(found).unwrap_or_default();
        let mut length = least
            .max(needed)
            .max(at.map_or(0, |at| at.saturating_add(1)))
            .max(if has_item { wanted } else { 0 })
            .max(if is_twice { 2 } else { 0 })
            .max(varied);
        let is_beyond = matches!(
            broken.map(|entry| entry.keyword),
            Some(Keyword::UnevaluatedItems | Keyword::Items | Keyword::AdditionalItems)
        );
        if is_beyond {
            length = length.max(tuple.saturating_add(1));
        }
        length = length.min(most.max(least));
        if length > MOST_ITEMS {
            return None;
        }
        self.out.push('[');
        let mut first: Option<String> = None;
        for index in 0..length {
            if index > 0 {
                self.out.push(',');
            }
            let part = match index < needed {
                true => Part::Contained(index),
                false => Part::Item(index),
            };
            let part = self.part(found, &part);
            let mut subs = match (part, at == Some(index) || is_beyond) {
                (Some(subs), _) => subs,
                (None, true) => Vec::new(),
                (None, false) => return None,
            };
            let mut inner = Focus::NONE;
            if at == Some(index) {
                if let Some(edge) = aimed
                    && !subs.contains(&edge.to)
                    && !is_never(&self.schema.model, edge.to)
                {
                    subs.push(edge.to);
                }
                inner = focus.inside();
            }
            // The first items are those that `contains` asks for.
            let mut before = 0_usize;
            for (sub, count) in &contained {
                if (before..before.saturating_add(*count)).contains(&index) {
                    subs.push(*sub);
                }
                before = before.saturating_add(*count);
            }
            let start = self.out.len();
            match &first {
                Some(text) if is_twice => self.out.push_str(text),
                Some(text) if is_repeated && index > tuple && at != Some(index) => {
                    self.out.push_str(text);
                }
                _ => self.item(&subs, inner, (position, index))?,
            }
            if first.is_none() || index == tuple {
                first = self.out.get(start..).map(str::to_owned);
            }
        }
        self.out.push(']');
        Some(())
    }

    fn item(
        &mut self,
        subs: &[SubschemaId],
        focus: Focus<'_, 'g>,
        (position, index): (Position, usize),
    ) -> Option<()> {
        let base = match self.style {
            Style::Mixed => self.random.below(3),
            _ => 0,
        };
        let position = position.inside(index.saturating_add(base));
        self.value(subs, TypeSet::ALL, focus, position)
    }

    /// The least and the greatest number of items.
    fn lengths(&mut self, found: &Conjunction<'g>, focus: Focus<'_, 'g>) -> Option<(usize, usize)> {
        let broken = focus.broken().map(|(_, entry)| entry);
        found.limits(
            (Keyword::MinItems, Keyword::MaxItems),
            broken,
            focus.bound(),
        )
    }

    /// What `contains` asks for, and how often.
    fn contained(
        &self,
        found: &Conjunction<'g>,
        broken: Option<&Entry>,
    ) -> Vec<(SubschemaId, usize)> {
        let mut all = Vec::new();
        for (sub, entry) in &found.entries {
            let Form::One(one) = &entry.form else {
                continue;
            };
            if entry.keyword != Keyword::Contains
                || broken.is_some_and(|broken| std::ptr::eq(broken, *entry))
                || self.schema.heights.least(*one, TypeSet::ALL) == NEVER
            {
                continue;
            }
            let count = |keyword: Keyword| {
                let entries = self
                    .schema
                    .model
                    .sub(*sub)
                    .and_then(|sub| self.schema.model.entries(sub));
                let entries = entries.unwrap_or_default();
                let own = Entry::find(entries, keyword)?;
                let is_broken = broken.is_some_and(|broken| std::ptr::eq(broken, own));
                match own.form {
                    Form::Count(count) => Some((usize::try_from(count).ok()?, is_broken)),
                    _ => None,
                }
            };
            let count = match (count(Keyword::MinContains), count(Keyword::MaxContains)) {
                (_, Some((most, true))) => most.saturating_add(1),
                (Some((least, true)), _) => least.saturating_sub(1),
                (Some((least, false)), _) => least,
                (None, _) => 1,
            };
            all.push((*one, count.min(MOST_ITEMS)));
        }
        all
    }
}

/// How many items have a schema of their own.
fn longest_tuple(found: &Conjunction<'_>) -> usize {
    let lists = found.entries.iter().filter_map(|(_, entry)| {
        let is_tuple = matches!(entry.keyword, Keyword::PrefixItems | Keyword::Items);
        match &entry.form {
            Form::List(list) if is_tuple => Some(list.len()),
            _ => None,
        }
    });
    lists.max().unwrap_or(0)
}
