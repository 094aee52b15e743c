//! What a plan knows of one subschema: its types, and where its operations are.

use crate::model::TypeSet;

/// What one subschema asks of an instance: first its types, then the runs of operations that
/// concern each type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlanNode {
    pub(crate) types: TypeSet,
    pub(crate) traits: Traits,
    /// Which runs are not empty, as [`Run::bit`]s.
    pub(crate) present: u8,
    /// The index of its object operation, or [`NONE`].
    pub(crate) object: u32,
    /// The index of its array operation, or [`NONE`].
    pub(crate) array: u32,
    /// Index of its first operation in [`Plan::ops`].
    pub(crate) start: u32,
    /// The end of each [`Run`], counted from `start`.
    pub(crate) ends: [u16; Run::COUNT],
}

impl PlanNode {
    /// Whether one of the runs in `bits` is not empty.
    #[inline]
    pub(crate) const fn has(&self, bits: u8) -> bool {
        self.present & bits != 0
    }

    /// Maximum number of its operations: few enough to count in 16 bits.
    pub(crate) const MOST_OPS: usize = 1 << 15;

    /// Stands for a missing node: it claims every run, and no answer can be found.
    pub(crate) const DANGLING: Self = Self {
        types: TypeSet::ALL,
        traits: Traits {
            types_only: false,
            leaf: false,
            memo: false,
            lookahead: false,
        },
        present: u8::MAX,
        object: NONE - 1,
        array: NONE - 1,
        start: u32::MAX,
        ends: [1; Run::COUNT],
    };

    /// A node that only asks for types.
    pub(crate) const fn of_types(types: TypeSet) -> Self {
        Self {
            types,
            traits: Traits {
                types_only: true,
                leaf: true,
                memo: false,
                lookahead: false,
            },
            present: 0,
            object: NONE,
            array: NONE,
            start: 0,
            ends: [0; Run::COUNT],
        }
    }
}

/// What the executor can know about a node without reading its operations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Traits {
    /// It has no operations at all: the type decides.
    pub(crate) types_only: bool,
    /// It never inspects a child and applies no other subschema.
    pub(crate) leaf: bool,
    /// Paths through the schema can reach it twice at one instance location.
    pub(crate) memo: bool,
    /// For objects it needs nothing but walks once some members are known;
    /// [`Plan::find_lookahead`] fills it in.
    pub(crate) lookahead: bool,
}

/// The runs of a node's operations, in the order they are executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Run {
    /// `const` and `enum`, which settle most failures at once.
    Head,
    Number,
    String,
    Array,
    Object,
    /// Operations that apply other subschemas to the same instance.
    Any,
    /// Operations that run after all others have passed: the dynamic `unevaluated*`.
    Tail,
}

impl Run {
    pub(crate) const COUNT: usize = 7;
    pub(crate) const ALL: [Self; Self::COUNT] = [
        Self::Head,
        Self::Number,
        Self::String,
        Self::Array,
        Self::Object,
        Self::Any,
        Self::Tail,
    ];

    /// The bits of the runs whose operations inspect more than the value itself.
    pub(crate) const FURTHER: u8 =
        Self::Array.bit() | Self::Object.bit() | Self::Any.bit() | Self::Tail.bit();

    /// The bit of the run in [`PlanNode::present`].
    pub(crate) const fn bit(self) -> u8 {
        1 << self.position()
    }

    pub(crate) const fn position(self) -> usize {
        match self {
            Self::Head => 0,
            Self::Number => 1,
            Self::String => 2,
            Self::Array => 3,
            Self::Object => 4,
            Self::Any => 5,
            Self::Tail => 6,
        }
    }
}

/// The index that stands for no row.
pub(crate) const NONE: u32 = u32::MAX;
