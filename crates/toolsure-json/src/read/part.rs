//! Reads a text without the arrays and objects that its reader does not need.

use super::ahead::brackets_end;
use super::{Earlier, Pass, Reader};
use crate::bits;
use crate::document::{Document, KeyView, View};
use crate::error::ReadError;
use crate::int;
use crate::limits::ReadLimits;
use crate::node::Kind;
use crate::node_id::NodeId;
use crate::tape::{Slot, Tag, Tape};

impl Reader {
    /// For [`OwnedDocument::read_part`](crate::OwnedDocument::read_part).
    pub(crate) fn into_tape_of_part(
        mut self,
        text: &str,
        limits: &ReadLimits,
        root: u32,
        wanted: impl FnMut(u32, Option<KeyView<'_>>, Kind) -> Option<u32>,
    ) -> Result<Tape, ReadError> {
        #[cfg(feature = "count-reads")]
        crate::reads::count();
        self.reserve(text, limits);
        let mut part = Omitting {
            answer: root,
            root,
            wanted,
        };
        self.run(text, limits, &mut part)?;
        Ok(self.tape)
    }
}

struct Omitting<W> {
    /// Whether a container is read, and how to ask about what is in it.
    wanted: W,
    /// The answer for the outermost container.
    root: u32,
    /// The answer for the container that is opened next.
    answer: u32,
}

impl<W: FnMut(u32, Option<KeyView<'_>>, Kind) -> Option<u32>> Omitting<W> {
    /// Puts `null` on the tape instead of the next value, a container, if it is not wanted.
    #[inline(never)]
    fn leave_out(&mut self, pass: &mut Pass<'_, '_>, parent: u32, kind: Kind) -> bool {
        // While a container is open, its slot holds the answer for it.
        let answer = match pass.tape.slot(parent) {
            None => Some(self.root),
            Some(Slot { a: 0, .. }) => Some(0),
            Some(Slot { a, tag, .. }) => {
                let document = Document::new(pass.tape, pass.source);
                let last = document.get(NodeId::from_index(document.len() - 1));
                let key = last
                    .filter(|_| *tag == Tag::Object)
                    .and_then(View::member_key);
                (self.wanted)(*a, key, kind)
            }
        };
        self.answer = answer.unwrap_or(0);
        if answer.is_some() {
            return false;
        }
        let Some(end) = brackets_end(pass.bytes, pass.at) else {
            return false;
        };
        let slot = Slot {
            start: bits::to_offset(pass.at),
            end: bits::to_offset(end),
            a: 0,
            b: 0,
            c: parent,
            tag: Tag::Null,
        };
        let is_put = pass.push(slot).is_ok();
        if is_put {
            pass.at = end;
        }
        is_put
    }
}

impl<W: FnMut(u32, Option<KeyView<'_>>, Kind) -> Option<u32>> Earlier for Omitting<W> {
    #[inline(always)]
    fn copy(&mut self, pass: &mut Pass<'_, '_>, parent: u32) -> bool {
        match pass.peek() {
            Some(b'{') => self.leave_out(pass, parent, Kind::Object),
            Some(b'[') => self.leave_out(pass, parent, Kind::Array),
            _ => false,
        }
    }

    #[inline(always)]
    fn opened(&mut self, pass: &mut Pass<'_, '_>, own: u32) {
        if let Some(slot) = pass.tape.slots.get_mut(int::to_usize(own)) {
            slot.a = self.answer;
        }
    }
}
