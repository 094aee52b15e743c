//! What a subschema is applied to: a value, or the name of a member.

use toolgate_json::{Kind, Node};

/// A value of the instance, or a member's name as `propertyNames` sees it.
#[derive(Debug, Clone, Copy)]
pub(super) enum At<'i, N> {
    /// A value.
    Value(N),
    /// A name; to a keyword it is a string.
    Name { text: &'i str, identity: usize },
}

impl<'i, N: Node<'i>> At<'i, N> {
    pub(super) fn kind(self) -> Kind {
        match self {
            Self::Value(node) => node.kind(),
            Self::Name { .. } => Kind::String,
        }
    }

    pub(super) fn string(self) -> &'i str {
        match self {
            Self::Value(node) => node.string(),
            Self::Name { text, .. } => text,
        }
    }

    pub(super) fn identity(self) -> usize {
        match self {
            Self::Value(node) => node.identity(),
            Self::Name { identity, .. } => identity,
        }
    }

    pub(super) fn len(self) -> usize {
        self.node().map_or(0, Node::len)
    }

    pub(super) fn node(self) -> Option<N> {
        match self {
            Self::Value(node) => Some(node),
            Self::Name { .. } => None,
        }
    }

    pub(super) fn array(self) -> Option<N> {
        self.node().filter(|node| node.kind() == Kind::Array)
    }

    pub(super) fn object(self) -> Option<N> {
        self.node().filter(|node| node.kind() == Kind::Object)
    }

    pub(super) fn name(self) -> Option<&'i str> {
        match self {
            Self::Value(_) => None,
            Self::Name { text, .. } => Some(text),
        }
    }
}
