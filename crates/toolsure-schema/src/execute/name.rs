//! `propertyNames`: a member's name as an instance of its own.

use toolsure_json::{Kind, Node};

use super::{Answer, Machine};
use crate::plan::NodeIx;

impl<'p, 'i, N: Node<'i>> Machine<'p, '_, N> {
    /// A member's name as a string instance of its own.
    #[inline(never)]
    pub(super) fn property_name(&mut self, schema: NodeIx, key: N::Key) -> Answer {
        self.on_names(|names| names.evaluate(schema, Name::of(key)))
    }

    /// Evaluates something on a name. A separate machine does this with the same fuel and memory,
    /// because a name is not a node of the instance.
    #[inline(always)]
    pub(super) fn on_names(
        &mut self,
        ask: impl FnOnce(&mut Machine<'p, '_, Name<'i>>) -> Answer,
    ) -> Answer {
        let mut names = self.lent();
        let answer = ask(&mut names);
        let (fuel, collections) = (names.fuel, names.collections);
        self.fuel = fuel;
        self.collections = collections;
        answer
    }
}

/// A member's name as a string instance.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Name<'i> {
    text: &'i str,
    identity: usize,
}

impl<'i> Name<'i> {
    /// The name that a key holds.
    pub(super) fn of(key: impl toolsure_json::Key<'i>) -> Self {
        Self {
            text: key.text(),
            identity: key.identity(),
        }
    }

    pub(super) fn string(self) -> &'i str {
        self.text
    }

    pub(super) fn identity(self) -> usize {
        self.identity
    }
}

impl<'i> toolsure_json::Key<'i> for Name<'i> {
    fn text(self) -> &'i str {
        self.text
    }

    fn hash(self) -> u32 {
        toolsure_json::key_hash(self.text)
    }

    fn identity(self) -> usize {
        self.identity
    }
}

impl<'i> Node<'i> for Name<'i> {
    type Key = Self;
    type Items = std::iter::Empty<Self>;
    type Members = std::iter::Empty<(Self, Self)>;

    fn kind(self) -> Kind {
        Kind::String
    }

    fn boolean(self) -> bool {
        false
    }

    fn number(self) -> toolsure_json::Number<'i> {
        toolsure_json::Number::from_i64(0)
    }

    fn string(self) -> &'i str {
        self.text
    }

    fn len(self) -> usize {
        0
    }

    fn items(self) -> Self::Items {
        std::iter::empty()
    }

    fn members(self) -> Self::Members {
        std::iter::empty()
    }

    fn item(self, _: usize) -> Option<Self> {
        None
    }

    fn member(self, _: &str) -> Option<Self> {
        None
    }

    fn identity(self) -> usize {
        self.identity
    }
}
