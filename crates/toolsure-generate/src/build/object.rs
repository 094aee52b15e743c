//! Objects.

use toolsure_json::{Node as _, push_json_string};
use toolsure_syntax::Keyword;
use toolsure_syntax::model::{Form, SubschemaId, TypeSet};

use super::member_names::{MemberNames, declared};
use super::{Builder, Focus, MOST_ITEMS, Position, Style};
use crate::conjunction::{Choice, Conjunction, texts};
use crate::heights::{NEVER, PATTERN_FUEL};
use crate::part::Part;
use crate::reach::{EdgeKind, is_never};
use crate::step::Step;

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
                let pattern = self.schema.model.patterns.get(id.index())?;
                Some(self.schema.matches.first(pattern, 0, 1).pop()?)
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
        // An object that lacks one of the names that `not` forbids is enough; which one differs.
        let number = self.variation.map_or(self.variant, |it| it.number);
        let turns = (number, self.variant);
        let mut names = MemberNames::new(found, focus, turns);
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
        let (least, most) = found.limits(
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
                    && !is_never(&self.schema.model, edge.to)
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

    /// Adds the names that are required or chosen, and those that they ask for. Members may apply more subschemas: the
    /// conjunction with these is returned.
    fn choose_names(
        &mut self,
        found: &Conjunction<'g>,
        names: &mut MemberNames,
        (focus, position): (Focus<'_, 'g>, Position),
    ) -> Option<Option<Conjunction<'g>>> {
        if let Some(broken) = focus.broken() {
            // What has a dependency, so that it can be missed.
            let lists = found.asked_beside(broken);
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
            for (_, _, list) in current.all(Keyword::Required) {
                for name in texts(list).take(MOST_ITEMS) {
                    names.add(name);
                }
            }
            let mut subs: Vec<SubschemaId> = current.subs.clone();
            let mut more = Vec::new();
            for name in &names.list {
                let (asked, applied) = current.dependents(name);
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
            model: current.model,
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
    fn add_wanted(&mut self, found: &Conjunction<'g>, names: &mut MemberNames, position: Position) {
        if self.style == Style::Least || position.depth >= self.depth {
            return;
        }
        let quarters = self.variation.map_or(2, |variation| variation.quarters);
        for name in declared(&self.budget, found) {
            if self.style == Style::Mixed && self.random.below(4) >= quarters {
                continue;
            }
            if self.budget.values_left() <= names.list.len().saturating_mul(2) {
                return;
            }
            let part = self.part(found, &Part::Member(name));
            let is_possible = part.is_some_and(|subs| {
                let mut all = subs.iter();
                all.all(|one| self.schema.heights.least(*one, TypeSet::ALL) != NEVER)
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
        names: &mut MemberNames,
        (least, most): (usize, usize),
        position: Position,
    ) -> Option<()> {
        if least > MOST_ITEMS {
            return None;
        }
        names.keep_at_most(most, &found.required());
        let more = match names.list.len() < least {
            true => declared(&self.budget, found),
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

    /// A name that is not declared. `is_any` says that no subschema need allow it.
    fn other_name(
        &mut self,
        found: &Conjunction<'g>,
        position: Position,
        is_any: bool,
    ) -> Option<String> {
        let is_free = |this: &Self, name: &str| {
            !found
                .subs
                .iter()
                .any(|sub| this.schema.reach.member(*sub, name).is_some())
                && found.entries.iter().all(|(_, entry)| match &entry.form {
                    Form::Patterns(all) => {
                        !is_any
                            || all.iter().all(|(_, id, _)| {
                                let mut fuel = PATTERN_FUEL;
                                let pattern = this.schema.model.patterns.get(id.index());
                                let answer = pattern.and_then(|it| it.matches(name, &mut fuel));
                                let used = PATTERN_FUEL.saturating_sub(fuel);
                                this.budget
                                    .look(usize::try_from(used).unwrap_or(usize::MAX));
                                answer == Some(false)
                            })
                    }
                    _ => true,
                })
                && (is_any || this.part(found, &Part::Member(name)).is_some())
        };
        let name_schemas = found.name_schemas();
        for turn in 0..TRIED_NAMES {
            let turn = position.turn.saturating_add(turn);
            let name = if name_schemas.is_empty() {
                match turn {
                    0 => "other".to_owned(),
                    turn => format!("other{turn}"),
                }
            } else {
                let inner = Position {
                    depth: position.depth.saturating_add(1),
                    turn,
                };
                self.text_of(&name_schemas, Focus::NONE, inner)?
            };
            if is_free(self, &name) {
                return Some(name);
            }
        }
        // A pattern may ask for the names that are allowed.
        let patterns = found
            .entries
            .iter()
            .filter_map(|(_, entry)| match &entry.form {
                Form::Patterns(all) if !is_any => Some(all),
                _ => None,
            });
        let mut known = Vec::new();
        for (_, id, _) in patterns.flatten() {
            let pattern = self.schema.model.patterns.get(id.index())?;
            let count = position.turn.min(TRIED_NAMES).saturating_add(1);
            known.extend(self.schema.matches.first(pattern, 0, count));
        }
        known.into_iter().rfind(|name| is_free(self, name))
    }

    /// A name for a variation that no subschema declares.
    fn undeclared_name(&mut self, found: &Conjunction<'g>, position: Position) -> Option<String> {
        let number = self.variation.map_or(0, |variation| variation.number);
        let turn = number.div_euclid(4);
        match turn.checked_rem(4) {
            Some(1) => self.other_name(found, position.inside(turn), false),
            _ => self.possible_name(found, turn, false),
        }
        .or_else(|| self.other_name(found, position, true))
    }

    /// A name toward the goal.
    fn written_name(
        &mut self,
        found: &Conjunction<'g>,
        focus: Focus<'_, 'g>,
        position: Position,
    ) -> Option<String> {
        let subs = found.name_schemas();
        self.text_of(&subs, focus.inside(), position.inside(0))
    }

    /// A string that matches subschemas.
    fn text_of(
        &mut self,
        subs: &[SubschemaId],
        focus: Focus<'_, 'g>,
        position: Position,
    ) -> Option<String> {
        let outer = std::mem::take(&mut self.out);
        let made = self.value(subs, TypeSet::STRING, focus, position);
        let text = std::mem::replace(&mut self.out, outer);
        made?;
        let document = toolsure_json::OwnedDocument::read(
            text.as_bytes(),
            &toolsure_json::ReadLimits::default(),
        );
        Some(document.ok()?.document().root().string().to_owned())
    }
}

/// Rounds in which members ask for other members.
const ROUNDS: usize = 8;
/// Names that are tried for one member.
const TRIED_NAMES: usize = 40;
