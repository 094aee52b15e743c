//! The parsed pattern: a flat arena in which children precede parents.
//!
//! Because it is flat, it is dropped without recursion, and every bottom-up property ([`Facts`]) is
//! computed while it is built.

use crate::set::Class;
use toolsure_json::int::{to_u32, to_usize};

/// The index of a node in its [`Ast`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodeId(pub(crate) u32);

/// The index of a class in its [`Ast`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ClassId(pub(crate) u32);

/// A range of children in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct List {
    first: u32,
    len: u32,
}

/// One construct of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    /// Matches the empty string.
    Empty,
    /// One code point.
    Char(u32),
    /// One code point of a set.
    Class(ClassId),
    /// A condition on a position.
    Assert(Assertion),
    /// The text that one of these groups captured; `target` is an index for [`Ast::target`].
    BackReference { target: u32, fold: bool },
    /// A capturing group; the first has index 0.
    Capture { index: u32, child: NodeId },
    /// One after the other.
    Concat(List),
    /// The first alternative with which the whole pattern matches.
    Alternate(List),
    /// `child{min,max}`; `max` is [`NO_MAX`] if there is no maximum. Contains the captures
    /// `captures.0..captures.1`.
    Repeat {
        child: NodeId,
        min: u32,
        max: u32,
        greedy: bool,
        captures: (u32, u32),
    },
    /// A lookahead or lookbehind.
    Look {
        behind: bool,
        negative: bool,
        child: NodeId,
    },
}

/// The `max` of a repetition without a maximum.
pub(crate) const NO_MAX: u32 = u32::MAX;

/// The conditions on a position that depend only on its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Assertion {
    /// `^`
    Start,
    /// `$`
    End,
    /// `^` if `m` is set.
    StartLine,
    /// `$` if `m` is set.
    EndLine,
    /// `\b`, or `\B` if negative; `fold` if `i` is set.
    Word { negative: bool, fold: bool },
}

/// Facts about a node, so that it need not be visited again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The number of instructions in its linear program, saturating.
    pub(crate) cost: u64,
    /// Can match the empty string if all assertions hold.
    pub(crate) nullable: bool,
    /// Matches only at the start of the input.
    pub(crate) anchored: bool,
    /// Contains an assertion or a lookaround.
    pub(crate) asserts: bool,
    /// Contains a lookaround.
    pub(crate) looks: bool,
    /// Contains something that our finite automata cannot express, not counting lookarounds.
    pub(crate) irregular: bool,
}

/// A parsed pattern.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Ast {
    nodes: Vec<Node>,
    facts: Vec<Facts>,
    children: Vec<NodeId>,
    classes: Vec<Class>,
    targets: Vec<Vec<u32>>,
    class_bytes: usize,
    /// The number of capturing groups.
    pub(crate) captures: u32,
}

impl Ast {
    /// An empty tree with space for this many nodes.
    pub(crate) fn with_room(nodes: usize) -> Self {
        Self {
            nodes: Vec::with_capacity(nodes),
            facts: Vec::with_capacity(nodes),
            ..Self::default()
        }
    }

    /// Adds a node; its children must have been added before.
    pub(crate) fn push(&mut self, node: Node) -> NodeId {
        let facts = self.derive(node);
        let id = NodeId(to_u32(self.nodes.len()));
        self.nodes.push(node);
        self.facts.push(facts);
        id
    }

    /// Releases spare capacity: a pattern lives as long as its schema.
    pub(crate) fn shrink(&mut self) {
        self.nodes.shrink_to_fit();
        self.facts.shrink_to_fit();
        self.children.shrink_to_fit();
        self.classes.shrink_to_fit();
        self.targets.shrink_to_fit();
    }

    /// Adds a range of children.
    pub(crate) fn list(&mut self, children: &[NodeId]) -> List {
        let first = to_u32(self.children.len());
        self.children.extend_from_slice(children);
        List {
            first,
            len: to_u32(children.len()),
        }
    }

    /// Adds a class.
    pub(crate) fn add_class(&mut self, class: Class) -> ClassId {
        let id = ClassId(to_u32(self.classes.len()));
        self.class_bytes = self.class_bytes.saturating_add(class.size());
        self.classes.push(class);
        id
    }

    /// Adds the target of a backreference, to be filled in later.
    pub(crate) fn add_target(&mut self, groups: Vec<u32>) -> u32 {
        self.targets.push(groups);
        to_u32(self.targets.len() - 1)
    }

    /// Sets the groups of a target; `None` if there is no such target.
    pub(crate) fn set_target(&mut self, target: u32, groups: Vec<u32>) -> Option<()> {
        *self.targets.get_mut(to_usize(target))? = groups;
        Some(())
    }

    /// Whether each index is valid, and children always precede their parent.
    ///
    /// The parser builds no other tree. It checks once for each pattern, so that no lookup below
    /// ever falls back to a node or class that would match something that the pattern does not.
    pub(crate) fn is_consistent(&self, root: NodeId) -> bool {
        let nodes = self.nodes.iter().zip(0_u32..);
        to_usize(root.0) < self.nodes.len()
            && self.facts.len() == self.nodes.len()
            && nodes.into_iter().all(|(node, own)| match *node {
                Node::Empty | Node::Char(_) | Node::Assert(_) => true,
                Node::Class(class) => to_usize(class.0) < self.classes.len(),
                Node::BackReference { target, .. } => to_usize(target) < self.targets.len(),
                Node::Capture { child, .. }
                | Node::Repeat { child, .. }
                | Node::Look { child, .. } => child.0 < own,
                Node::Concat(list) | Node::Alternate(list) => {
                    let first = to_usize(list.first);
                    let children = self.children.get(first..first + to_usize(list.len));
                    children.is_some_and(|children| children.iter().all(|child| child.0 < own))
                }
            })
    }

    /// The node at `id`.
    pub(crate) fn node(&self, id: NodeId) -> Node {
        self.nodes
            .get(to_usize(id.0))
            .copied()
            .unwrap_or(Node::Empty)
    }

    /// The facts about the node at `id`.
    pub(crate) fn facts(&self, id: NodeId) -> Facts {
        self.facts.get(to_usize(id.0)).copied().unwrap_or(NOTHING)
    }

    /// The children in a range.
    pub(crate) fn children(&self, list: List) -> &[NodeId] {
        let first = to_usize(list.first);
        self.children
            .get(first..first + to_usize(list.len))
            .unwrap_or(&[])
    }

    /// The class at `id`.
    pub(crate) fn class(&self, id: ClassId) -> &Class {
        self.classes.get(to_usize(id.0)).unwrap_or(&NO_CLASS)
    }

    /// The groups that a backreference refers to.
    pub(crate) fn target(&self, target: u32) -> &[u32] {
        self.targets
            .get(to_usize(target))
            .map_or(&[], Vec::as_slice)
    }

    /// All nodes, children before their parents.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = Node> + '_ {
        self.nodes.iter().copied()
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The memory held, in bytes.
    pub(crate) fn size(&self) -> usize {
        self.nodes
            .len()
            .saturating_mul(NODE_BYTES)
            .saturating_add(self.class_bytes)
    }

    fn derive(&self, node: Node) -> Facts {
        match node {
            Node::Empty => NOTHING,
            Node::Char(_) | Node::Class(_) => Facts {
                cost: 1,
                nullable: false,
                ..NOTHING
            },
            Node::Assert(assertion) => Facts {
                cost: 1,
                anchored: assertion == Assertion::Start,
                asserts: true,
                irregular: !matches!(
                    assertion,
                    Assertion::Start | Assertion::End | Assertion::Word { fold: false, .. }
                ),
                ..NOTHING
            },
            Node::BackReference { .. } => Facts {
                cost: 1,
                irregular: true,
                ..NOTHING
            },
            Node::Capture { child, .. } => self.facts(child),
            Node::Concat(list) => self.derive_concat(list),
            Node::Alternate(list) => self.derive_alternate(list),
            Node::Repeat {
                child, min, max, ..
            } => {
                let inner = self.facts(child);
                let cost = inner.cost.max(1);
                let copies = if max == NO_MAX {
                    cost.saturating_mul(u64::from(min.max(1))) + 1
                } else {
                    cost.saturating_mul(u64::from(max))
                        .saturating_add(u64::from(max - min))
                };
                Facts {
                    cost: copies,
                    nullable: min == 0 || inner.nullable,
                    anchored: min > 0 && inner.anchored,
                    ..inner
                }
            }
            Node::Look { child, .. } => Facts {
                nullable: true,
                anchored: false,
                asserts: true,
                looks: true,
                ..self.facts(child)
            },
        }
    }

    fn derive_concat(&self, list: List) -> Facts {
        let mut out = NOTHING;
        // Whatever is before a `^` must match the empty string, and `^` still holds.
        for &child in self.children(list) {
            let facts = self.facts(child);
            out = Facts {
                cost: out.cost.saturating_add(facts.cost),
                nullable: out.nullable && facts.nullable,
                anchored: out.anchored || facts.anchored,
                asserts: out.asserts || facts.asserts,
                looks: out.looks || facts.looks,
                irregular: out.irregular || facts.irregular,
            };
        }
        out
    }

    fn derive_alternate(&self, list: List) -> Facts {
        let children = self.children(list);
        let mut out = Facts {
            cost: toolsure_json::int::to_u64(children.len()),
            nullable: false,
            anchored: true,
            ..NOTHING
        };
        for &child in children {
            let facts = self.facts(child);
            out = Facts {
                cost: out.cost.saturating_add(facts.cost),
                nullable: out.nullable || facts.nullable,
                anchored: out.anchored && facts.anchored,
                asserts: out.asserts || facts.asserts,
                looks: out.looks || facts.looks,
                irregular: out.irregular || facts.irregular,
            };
        }
        out
    }
}

/// The facts of the empty pattern.
const NOTHING: Facts = Facts {
    cost: 0,
    nullable: true,
    anchored: false,
    asserts: false,
    looks: false,
    irregular: false,
};

/// The class that contains no character.
static NO_CLASS: std::sync::LazyLock<Class> =
    std::sync::LazyLock::new(|| crate::set::CodeSet::default().freeze());

/// The bytes of one node with its facts and its entry in a list.
const NODE_BYTES: usize = 64;
