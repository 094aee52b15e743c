//! What a pass found by looking ahead in the text of the open objects.

use smallvec::SmallVec;
use toolsure_json::{MemberAhead, MembersAhead};

use crate::plan::{NodeIx, ObjectPlan};

/// The results of looking ahead.
#[derive(Debug)]
pub(super) struct Lookahead<'p, 's> {
    /// The walks over the open objects that looking ahead resolved.
    pub(super) walks: SmallVec<[Walk<'p>; WALKS]>,
    /// What was looked up in those objects.
    pub(super) searches: SmallVec<[Search<'p>; WALKS]>,
    /// Nodes that the machine would remember for the innermost object.
    pub(super) known: SmallVec<[NodeIx; WALKS]>,
    /// How many more nodes and unions may be resolved for the innermost object.
    pub(super) left: usize,
    /// Bytes read ahead.
    pub(super) bytes: usize,
    /// The members read ahead, of the open objects and of the next object.
    pub(super) members: SmallVec<[MemberAhead<'s>; MEMBERS]>,
    pub(super) next: NextObject<'s>,
}

/// The next object, as far as its members have been read ahead.
#[derive(Debug)]
pub(super) struct NextObject<'s> {
    /// Where the object begins.
    pub(super) start: usize,
    /// Index of its first member in the list of members read ahead.
    pub(super) floor: usize,
    /// Its remaining members; `None` if no object is known.
    pub(super) rest: Option<MembersAhead<'s>>,
}

impl Lookahead<'_, '_> {
    /// Nothing was looked at yet.
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self {
            walks: SmallVec::new(),
            searches: SmallVec::new(),
            known: SmallVec::new(),
            left: 0,
            bytes: 0,
            members: SmallVec::new(),
            next: NextObject {
                start: 0,
                floor: 0,
                rest: None,
            },
        }
    }

    /// Index of the first known member of the object at an offset.
    pub(super) fn floor_of(&self, start: usize) -> usize {
        match self.next.rest {
            Some(_) if self.next.start == start => self.next.floor,
            _ => self.members.len(),
        }
    }

    /// Forgets the members from `floor` on.
    pub(super) fn forget(&mut self, floor: usize) {
        self.members.truncate(floor);
        self.next.rest = None;
    }
}

/// A walk over an object that looking ahead resolved, which must match; its price is paid after the
/// object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Walk<'p> {
    pub(super) object: &'p ObjectPlan,
    /// The depth of its subschema.
    pub(super) depth: u32,
    /// The number of required names it has met.
    pub(super) met: u32,
}

/// What was looked up in an object; its price is paid after the object.
#[derive(Debug, Clone, Copy)]
pub(super) enum Search<'p> {
    /// One member.
    Member(&'p str),
    /// All names, in a table.
    Names,
}

/// Number of members, and of walks or searches, that need no heap allocation.
const MEMBERS: usize = 16;
const WALKS: usize = 8;
