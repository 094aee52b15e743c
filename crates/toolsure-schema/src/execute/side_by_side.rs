//! Runs several walks over one object side by side, in one pass over its text.
//!
//! For each member, the walks' subschemas are collected by its name. If one of them inspects the
//! member's children, it runs while reading; if several do, they read the member from the tape.

use std::ops::Range;

use smallvec::SmallVec;
use toolsure_json::{Key as _, Kind, Scalar};

use super::YES;
use super::lookahead::{Search, Walk};
use super::pass::Pass;
use crate::plan::{Inspection, NodeSummary};
use crate::price;

/// Targets that a member must match, with the depth of the subschemas that apply them.
type Wanted<'p> = SmallVec<[(&'p NodeSummary, u32); 4]>;

impl<'p, 's> Pass<'p, '_, '_, 's> {
    /// Passes the next object by all walks from index `first` on, and pays for them and for the
    /// searches from `first_search` on. `known` are its first members, which were read ahead.
    pub(super) fn side_by_side(
        &mut self,
        first: usize,
        first_search: usize,
        known: &Range<usize>,
    ) -> Option<()> {
        let depth = self.machine.depth;
        let (count, text) = match *self.lookahead.walks.get(first..)? {
            // The specialised walk pays for itself.
            [only] if only.object.names_decide() => {
                self.lookahead.walks.truncate(first);
                self.machine.depth = only.depth;
                self.object_by(
                    only.object,
                    #[inline(always)]
                    |pass, count| Some(pass.next_key(known, count)?.bytes()),
                )?
            }
            _ => self.members(first..self.lookahead.walks.len(), known)?,
        };
        self.machine.depth = depth;
        for at in first..self.lookahead.walks.len() {
            let Walk { object, met, .. } = *self.lookahead.walks.get(at)?;
            if count < object.min || count > object.max || met != object.required {
                return None;
            }
            let walk = self.machine.price_of_walk(object, count, text);
            self.pay(price::visits(count).checked_add(walk)?)?;
        }
        for at in first_search..self.lookahead.searches.len() {
            let price = match *self.lookahead.searches.get(at)? {
                Search::Member(name) => price::member(count, name),
                Search::Names => price::visits(count).checked_add(text)?,
            };
            self.pay(price)?;
        }
        Some(())
    }

    /// Passes all members of the next object by some walks. Returns the number of members and the
    /// price of reading their names.
    fn members(&mut self, walks: Range<usize>, known: &Range<usize>) -> Option<(usize, u64)> {
        let floor = self.stream.names();
        let plan = self.machine.plan;
        let (mut count, mut text) = (0, 0);
        // What the walks require of a member beyond its type.
        let mut wanted = Wanted::new();
        let mut more = self.stream.open(Kind::Object)?;
        while more {
            let key = self.next_key(known, count)?;
            let (name, hash) = (key.bytes(), key.hash());
            self.stream.note_hash(hash);
            text += price::text(name.len());
            let kind = self.stream.kind()?;
            wanted.clear();
            for Walk { object, depth, met } in self.lookahead.walks.get_mut(walks.clone())? {
                let slot = object.names.find(name, |_| hash);
                *met += u32::from(slot.is_some_and(|slot| slot.required));
                let rest = object.additional.as_ref().unwrap_or(&NodeSummary::TRUE);
                let target = plan.of_kind(slot.map_or(rest, |slot| &slot.target), kind);
                if target.inspection != Inspection::Type || !target.types.has_kind(kind) {
                    wanted.push((target, *depth));
                }
            }
            self.by_all(&wanted)?;
            count += 1;
            more = self.stream.after(Kind::Object)?;
        }
        self.stream.distinct(floor)?;
        Some((count, text))
    }

    /// Passes the key of the member at a position of its object.
    #[inline(always)]
    fn next_key(&mut self, known: &Range<usize>, place: usize) -> Option<Scalar<'s>> {
        let at = known.start + place;
        if at >= known.end {
            return self.stream.key();
        }
        let member = self.lookahead.members.get(at)?;
        self.stream.known_key(member)
    }

    /// Passes the next value, which must match each of some targets.
    fn by_all(&mut self, targets: &[(&'p NodeSummary, u32)]) -> Option<()> {
        let outer = self.machine.depth;
        match *targets {
            [] => self.stream.skip()?,
            [(target, depth)] => {
                self.machine.depth = depth;
                self.value(target)?;
            }
            _ => match self.stream.scalar() {
                Some(scalar) => {
                    for (target, depth) in targets {
                        self.machine.depth = *depth;
                        if self.machine.child(target, scalar) != YES {
                            return None;
                        }
                    }
                }
                None => self.whole(targets)?,
            },
        }
        self.machine.depth = outer;
        Some(())
    }
}
