//! The names of members.

use std::collections::HashSet;

use toolsure_json::Node as _;
use toolsure_syntax::Keyword;
use toolsure_syntax::model::{Form, SubschemaId, TypeSet};

use super::{Builder, Focus, Position};
use crate::conjunction::Conjunction;
use crate::heights::PATTERN_FUEL;
use crate::part::Part;

impl<'g> Builder<'g> {
    /// A name that is not declared. `is_any` says that no subschema need allow it.
    pub(super) fn other_name(
        &mut self,
        found: &Conjunction<'g>,
        position: Position,
        is_any: bool,
    ) -> Option<String> {
        let is_free = |this: &Self, name: &str| {
            !found
                .subs
                .iter()
                .any(|sub| this.reach.member(*sub, name).is_some())
                && found.entries.iter().all(|(_, entry)| match &entry.form {
                    Form::Patterns(all) => {
                        !is_any
                            || all.iter().all(|(_, id, _)| {
                                let mut fuel = PATTERN_FUEL;
                                let pattern = this.model.patterns.get(id.index());
                                let answer = pattern.and_then(|it| it.matches(name, &mut fuel));
                                let used = PATTERN_FUEL.saturating_sub(fuel);
                                this.look(usize::try_from(used).unwrap_or(usize::MAX));
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
            let pattern = self.model.patterns.get(id.index())?;
            let count = position.turn.min(TRIED_NAMES).saturating_add(1);
            known.extend(self.matches.first(pattern, 0, count));
        }
        known.into_iter().rfind(|name| is_free(self, name))
    }

    /// A name for a variation that no subschema declares.
    pub(super) fn undeclared_name(
        &mut self,
        found: &Conjunction<'g>,
        position: Position,
    ) -> Option<String> {
        let number = self.variation.map_or(0, |variation| variation.number);
        let turn = number.div_euclid(4);
        match turn.checked_rem(4) {
            Some(1) => self.other_name(found, position.inside(turn), false),
            _ => self.possible_name(found, turn, false),
        }
        .or_else(|| self.other_name(found, position, true))
    }

    /// A name toward the goal.
    pub(super) fn written_name(
        &mut self,
        found: &Conjunction<'g>,
        focus: Focus<'_, 'g>,
        position: Position,
    ) -> Option<String> {
        let subs = found.name_schemas();
        self.text_of(&subs, focus.inside(), position.inside(0))
    }

    /// A string that matches subschemas.
    pub(super) fn text_of(
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

    /// The names of the members that are declared, each once.
    pub(super) fn declared(&mut self, found: &Conjunction<'g>) -> Vec<&'g str> {
        let mut names = Vec::new();
        let mut known = HashSet::new();
        for (sub, entry) in &found.entries {
            let Form::Map(map) = &entry.form else {
                continue;
            };
            if entry.keyword != Keyword::Properties {
                continue;
            }
            self.look(map.len());
            for (key, _) in map {
                if let Some(key) = found.view(self.model, *sub, *key)
                    && known.insert(key.string())
                {
                    names.push(key.string());
                }
            }
        }
        names
    }
}

/// Names that are tried for one member.
const TRIED_NAMES: usize = 40;
