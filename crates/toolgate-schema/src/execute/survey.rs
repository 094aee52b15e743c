//! One walk over an object's members that settles what is cheap and lists the rest, for
//! whoever wants to know which members fail and not only whether one does.

use std::ops::ControlFlow;

use toolgate_json::{Key as _, Kind, Node};

use super::{Answer, Machine, Stop};
use crate::plan::{ObjectPlan, Reach, Target};

/// What made the schema look at a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    /// `properties` has its name.
    Name,
    /// Its name matches one of `patternProperties`, by its place among them.
    Pattern(u32),
    /// Neither is so, and `additionalProperties` is there.
    Rest,
    /// `propertyNames` looks at the name itself.
    Key,
}

/// What is known of a member that may fail.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Standing<'p> {
    /// It does.
    Fails,
    /// Its subschema looks further than the walk did.
    Open(&'p Target),
}

/// A member that may fail.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Suspect<'p, K, N> {
    pub(crate) key: K,
    pub(crate) value: N,
    pub(crate) by: By,
    pub(crate) standing: Standing<'p>,
}

impl<'p, 'i, N: Node<'i>> Machine<'p, '_, N> {
    /// Shows every member that may fail, in the order of the members and in that of the
    /// patterns. Answers whether all required members are there.
    pub(super) fn survey(
        &mut self,
        object: &'p ObjectPlan,
        value: N,
        mut show: impl FnMut(Suspect<'p, N::Key, N>),
    ) -> Answer {
        let mut required = 0;
        let sorted = N::SORTED && object.names.is_short();
        let mut along = sorted.then(|| object.names.along());
        for (key, member) in value.members() {
            let name = key.bytes();
            self.spend(1)?;
            self.spend_bytes(name.len())?;
            let known = match &mut along {
                Some(along) => along.find(name),
                None => object.names.find(name, |ends| key.hash_of(ends)),
            };
            let mut note = |by, standing| {
                show(Suspect {
                    key,
                    value: member,
                    by,
                    standing,
                });
            };
            let mut covered = false;
            let mut clear = object.patterns.is_empty();
            if let Some(known) = known {
                required += u32::from(known.required);
                covered = known.declared;
                clear |= known.clear;
                if covered && let Some(standing) = self.glance(&known.target, member)? {
                    note(By::Name, standing);
                }
            }
            if !clear {
                for ((pattern, target), place) in object.patterns.iter().zip(0..) {
                    if self.matches(*pattern, key.text())? {
                        covered = true;
                        if let Some(standing) = self.glance(target, member)? {
                            note(By::Pattern(place), standing);
                        }
                    }
                }
            }
            if !covered
                && let Some(rest) = &object.additional
                && let Some(standing) = self.glance(rest, member)?
            {
                note(By::Rest, standing);
            }
            if let Some(names) = object.property_names
                && !self.property_name(names, key)?
            {
                note(By::Key, Standing::Fails);
            }
        }
        ControlFlow::Continue(required == object.required)
    }

    /// What is to be said of a child without looking further; nothing if it matches.
    #[inline]
    fn glance(&mut self, target: &'p Target, value: N) -> ControlFlow<Stop, Option<Standing<'p>>> {
        let kind = value.kind();
        if !target.types.admits(value, kind) {
            return FAILS;
        }
        if target.reach == Reach::Type {
            return ControlFlow::Continue(None);
        }
        let target = self.plan.of_kind(target, kind);
        if !target.types.admits(value, kind) {
            return FAILS;
        }
        ControlFlow::Continue(match target.reach {
            Reach::Type => None,
            Reach::Value if self.leaf(self.plan.node(target.node), value, kind)? => None,
            Reach::Value => return FAILS,
            Reach::Object if kind != Kind::Object => None,
            Reach::Array | Reach::Items if kind != Kind::Array => None,
            _ => Some(Standing::Open(target)),
        })
    }
}

const FAILS: ControlFlow<Stop, Option<Standing<'static>>> =
    ControlFlow::Continue(Some(Standing::Fails));
