//! Objects.

use std::collections::HashSet;

use toolsure_json::push_json_string;
use toolsure_syntax::Keyword;
use toolsure_syntax::model::{SubschemaId, TypeSet};

use super::array::limits;
use super::{Builder, Focus, MOST_ITEMS, Position, Style, forbidden_names};
use crate::conjunction::{Choice, Conjunction, texts};
use crate::heights::NEVER;
use crate::part::Part;
use crate::reach::{EdgeKind, is_never};
use crate::step::Step;

/// The names of an object's members.
struct Names {
    list: Vec<String>,
    known: HashSet<String>,
    /// Names that it must not have.
    without: Vec<String>,
}

impl Names {
    fn add(&mut self, name: &str) {
        if !self.without.iter().any(|one| one == name) && self.known.insert(name.to_owned()) {
            self.list.push(name.to_owned());
        }
    }

    fn has(&self, name: &str) -> bool {
        self.known.contains(name)
    }
}

impl<'g> Builder<'g> {
    /// Writes an object.
    pub(super) fn object(
        &mut self,
        found: &Conjunction<'g>,
        (focus, forced): (Focus<'_, 'g>, &[&str]),
        position: Position,
    ) -> Option<()> {
        let broken = focus.broken().map(|(_, entry)| entry);
        let aimed = focus.next();
        let own_name = match aimed.map(|edge| &edge.kind) {
            Some(EdgeKind::Member(name)) => Some(name.clone()),
            Some(EdgeKind::Matching(id)) => {
                let pattern = self.model.patterns.get(id.index())?;
                Some(self.matches.first(pattern, 0, 1).pop()?)
            }
            Some(EdgeKind::OtherMember) => Some(self.other_name(found, position, true)?),
            Some(EdgeKind::Name) => Some(self.written_name(found, focus, position)?),
            _ => match focus.step() {
                Some(Step::Name(name)) => Some(name.clone()),
                Some(Step::AnyName) => Some(self.undeclared_name(found, position)?),
                _ => None,
            },
        };
        let is_name = matches!(aimed.map(|edge| &edge.kind), Some(EdgeKind::Name));
        let mut names = Names {
            list: Vec::new(),
            known: HashSet::new(),
            without: self.without(found, focus),
        };
        // `not` may forbid it only together with others.
        if let Some(own) = &own_name {
            names.without.retain(|name| name != own);
        }
        let extra = self.extra_name(found);
        let known = own_name.as_deref().into_iter().chain(extra.as_deref());
        for name in forced.iter().copied().chain(known) {
            names.add(name);
        }
        let extended = self.choose_names(found, &mut names, (focus, position))?;
        let found = extended.as_ref().unwrap_or(found);
        let (least, most) = limits(
            found,
            (Keyword::MinProperties, Keyword::MaxProperties),
            broken,
            focus.bound(),
        )?;
        self.fill(found, &mut names, (least, most), position)?;
        let is_extra = matches!(
            broken.map(|entry| entry.keyword),
            Some(Keyword::AdditionalProperties | Keyword::UnevaluatedProperties)
        );
        self.out.push('{');
        for (number, name) in names.list.iter().enumerate() {
            if number > 0 {
                self.out.push(',');
            }
            push_json_string(&mut self.out, name);
            self.out.push(':');
            let is_own = own_name.as_ref() == Some(name);
            let part = self.part(found, &Part::Member(name));
            let mut subs = match (part, is_own || is_extra) {
                (Some(subs), _) => subs,
                // It is there although it must not be.
                (None, true) => Vec::new(),
                (None, false) => return None,
            };
            let mut inner = Focus::NONE;
            if is_own && !is_name {
                if let Some(edge) = aimed
                    && !subs.contains(&edge.to)
                    && !is_never(self.model, edge.to)
                {
                    subs.push(edge.to);
                }
                inner = focus.inside();
            }
            let turn = match (position.depth, self.style) {
                (_, Style::Mixed) => self.random.below(3),
                // The items of one array differ in what their members have.
                _ => position.turn,
            };
            self.value(&subs, TypeSet::ALL, inner, position.inside(turn))?;
        }
        self.out.push('}');
        Some(())
    }

    /// Names that the object must not have: those that `not` forbids, and the one whose absence is wanted.
    fn without(&self, found: &Conjunction<'g>, focus: Focus<'_, 'g>) -> Vec<String> {
        let required = found.required(self.model);
        // An object that lacks one of them is enough; which one differs.
        let turn = self.variation.map_or(self.variant, |it| it.number);
        let missing = |list: Vec<&'g str>| {
            let optional = list.into_iter().filter(|name| !required.contains(name));
            let optional: Vec<&str> = optional.collect();
            let turn = turn.checked_rem(optional.len())?;
            optional.get(turn).map(|name| (*name).to_owned())
        };
        let forbidden = forbidden_names(self.model, found).into_iter();
        let mut without: Vec<String> = forbidden.filter_map(missing).collect();
        if let Some((sub, entry)) = focus.broken() {
            let names: Vec<&str> = match entry.keyword {
                Keyword::Required => {
                    let list = found.view(self.model, sub, entry.value);
                    list.into_iter().flat_map(texts).collect()
                }
                _ => {
                    let lists = found.asked_beside(self.model, (sub, entry)).into_iter();
                    lists.flat_map(|(_, list)| texts(list)).collect()
                }
            };
            let turn = self.variant.checked_rem(names.len());
            let pick = turn.and_then(|turn| names.get(turn));
            without.extend(pick.map(|name| (*name).to_owned()));
        }
        without
    }

    /// Adds the names that are required or chosen, and those that they ask for. Members may apply more subschemas: the
    /// conjunction with these is returned.
    fn choose_names(
        &mut self,
        found: &Conjunction<'g>,
        names: &mut Names,
        (focus, position): (Focus<'_, 'g>, Position),
    ) -> Option<Option<Conjunction<'g>>> {
        if let Some(broken) = focus.broken() {
            // What has a dependency, so that it can be missed.
            let lists = found.asked_beside(self.model, broken);
            let is_missed = |name: &str| names.without.iter().any(|it| it == name);
            let mut lists = lists.iter();
            if let Some((key, _)) = lists.find(|(_, list)| texts(*list).any(is_missed)) {
                names.add(key);
            }
        }
        self.add_wanted(found, names, position);
        let mut extended: Option<Conjunction<'g>> = None;
        for _ in 0..ROUNDS {
            let current = extended.as_ref().unwrap_or(found);
            for (_, _, list) in current.all(self.model, Keyword::Required) {
                for name in texts(list).take(MOST_ITEMS) {
                    names.add(name);
                }
            }
            let mut subs: Vec<SubschemaId> = current.subs.clone();
            let mut more = Vec::new();
            for name in &names.list {
                let (asked, applied) = current.dependents(self.model, name);
                more.extend(asked);
                for one in applied {
                    if !subs.contains(&one) {
                        subs.push(one);
                    }
                }
            }
            let before = names.list.len();
            for name in more {
                names.add(name);
            }
            let has_more_subs = subs.len() > current.subs.len();
            if has_more_subs {
                // What is applied in place already is not chosen again.
                let new: Vec<_> = subs.split_off(current.subs.len());
                let mut next = self.more(current, &new)?;
                next.negated.extend(current.negated.iter().copied());
                extended = Some(next);
            } else if names.list.len() == before {
                break;
            }
        }
        Some(extended)
    }

    /// The conjunction with more subschemas.
    fn more(&mut self, current: &Conjunction<'g>, new: &[SubschemaId]) -> Option<Conjunction<'g>> {
        let mut chooser = self.chooser(Choice::Least, current.types);
        let added = chooser.conjunction(new).ok()?;
        let mut all = Conjunction {
            subs: current.subs.clone(),
            entries: current.entries.clone(),
            types: added.types,
            is_never: current.is_never || added.is_never,
            negated: added.negated,
            is_lenient: current.is_lenient,
        };
        let is_new = |sub: &SubschemaId| !current.subs.contains(sub);
        all.subs.extend(added.subs.iter().copied().filter(is_new));
        let entries = added.entries.into_iter().filter(|(sub, _)| is_new(sub));
        all.entries.extend(entries);
        (!all.is_never).then_some(all)
    }

    /// Adds optional members, as the style asks.
    fn add_wanted(&mut self, found: &Conjunction<'g>, names: &mut Names, position: Position) {
        if self.style == Style::Least || position.depth >= self.depth {
            return;
        }
        let quarters = self.variation.map_or(2, |variation| variation.quarters);
        for name in self.declared(found) {
            if self.style == Style::Mixed && self.random.below(4) >= quarters {
                continue;
            }
            if self.values <= names.list.len().saturating_mul(2) {
                return;
            }
            let part = self.part(found, &Part::Member(name));
            let is_possible = part.is_some_and(|subs| {
                let mut all = subs.iter();
                all.all(|one| self.heights.least(*one, TypeSet::ALL) != NEVER)
            });
            if is_possible {
                names.add(name);
            }
        }
    }

    /// Adds or removes members until there are as many as the bounds ask for.
    fn fill(
        &mut self,
        found: &Conjunction<'g>,
        names: &mut Names,
        (least, most): (usize, usize),
        position: Position,
    ) -> Option<()> {
        if least > MOST_ITEMS {
            return None;
        }
        if names.list.len() > most {
            let required = found.required(self.model);
            let mut too_many = names.list.len().saturating_sub(most);
            let mut kept = Vec::new();
            for name in names.list.drain(..).rev() {
                if too_many > 0 && !required.contains(&name.as_str()) {
                    too_many = too_many.saturating_sub(1);
                } else {
                    kept.push(name);
                }
            }
            kept.reverse();
            names.list = kept;
        }
        let more = match names.list.len() < least {
            true => self.declared(found),
            false => Vec::new(),
        };
        for name in more {
            if names.list.len() >= least {
                break;
            }
            if self.part(found, &Part::Member(name)).is_some() {
                names.add(name);
            }
        }
        let mut number = 0_usize;
        while names.list.len() < least {
            let name = self.other_name(found, position.inside(number), false)?;
            number = number.saturating_add(1);
            if number > MOST_ITEMS {
                return None;
            }
            if !names.has(&name) {
                names.add(&name);
            }
        }
        Some(())
    }
}

/// Rounds in which members ask for other members.
const ROUNDS: usize = 8;
