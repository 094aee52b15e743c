//! What a reader supports, as a projection asks for it: its row of the table of readers.

use crate::readers::{Fact, Limit, Reader};

use super::names::ToolName;

/// What a projection may write for a reader.
pub(super) struct Abilities {
    reader: &'static Reader,
    /// Whether keywords may stand beside `$ref`.
    pub(super) reference_siblings: bool,
    /// Whether a schema may contain itself.
    pub(super) recursion: bool,
    /// Whether the root must have no union, conjunction, `not` or `enum`.
    pub(super) plain_root: bool,
    /// Whether `type` may have several names.
    pub(super) type_arrays: bool,
    /// Whether `nullable` replaces the type `null`.
    pub(super) nullable: bool,
    /// Whether the items of an array may be a union.
    pub(super) union_items: bool,
    /// Whether keywords about values may stand beside a union.
    pub(super) union_siblings: bool,
    /// Whether an `enum` may have only strings, none of them empty.
    pub(super) enum_strings: bool,
    /// Whether an `enum` may have no objects and arrays.
    pub(super) enum_scalars: bool,
    /// Whether `minItems` must be 0 or 1.
    pub(super) low_min_items: bool,
    /// The maximum of `minLength`, `maxLength`, `minItems` and `maxItems`.
    pub(super) repetitions: Option<usize>,
    /// What each reference must begin with.
    pub(super) references_below: Option<&'static str>,
    /// Whether `type` must not stand beside `anyOf`.
    pub(super) union_types_in_branches: bool,
    /// Whether numbers that may have a fraction must have no bounds.
    pub(super) unbounded_numbers: bool,
    /// Whether each schema must have a type.
    pub(super) typed: bool,
    /// Whether each object must forbid other members.
    pub(super) closed: bool,
    /// Whether an object with arbitrary member names cannot be expressed.
    pub(super) sealed: bool,
    /// Whether each property must be required.
    pub(super) all_required: bool,
    /// Whether each array must have `items`.
    pub(super) items: bool,
    /// Whether each array with `prefixItems` must have `items`.
    pub(super) tuple_items: bool,
    /// Whether the root must have `properties`.
    pub(super) root_properties: bool,
    /// Whether the names of parameters are restricted.
    pub(super) property_names: bool,
    /// The levels of nested properties.
    pub(super) levels: Option<usize>,
    /// The maximum sizes of a schema.
    pub(super) budgets: Vec<Limit>,
    /// The requirements for names of tools.
    pub(super) name: Option<ToolName>,
    /// The maximum number of characters of a tool's description.
    pub(super) description: Option<usize>,
}

impl Abilities {
    /// What a reader supports. `server` is the name of the server, if it is known; `prefix` is the number
    /// of characters that will be put before the names of tools.
    pub(super) fn of(reader: &'static Reader, server: Option<&str>, prefix: usize) -> Self {
        let has = |fact: Fact| reader.has(fact);
        let both = reader.limit(|limit| match limit {
            Limit::CombinedName(most) => Some(most),
            _ => None,
        });
        let server = server.map_or(1, |name| name.chars().count());
        let both = both.map(|most| most.saturating_sub(server).max(SHORTEST));
        let rule = reader.tool_name();
        let longest = rule.map(|rule| rule.longest).into_iter().chain(both).min();
        let longest = longest.map(|most| most.saturating_sub(prefix).max(SHORTEST));
        let closed = has(Fact::Closed);
        Self {
            reader,
            reference_siblings: !has(Fact::NoReferenceSiblings),
            recursion: !has(Fact::NoRecursion),
            plain_root: !reader.takes_root("anyOf"),
            type_arrays: !has(Fact::OneType),
            nullable: has(Fact::Nullable),
            union_items: !has(Fact::NoUnionItems),
            union_siblings: !has(Fact::BareUnions) && !has(Fact::UnionsNotCombined),
            enum_strings: has(Fact::EnumStrings),
            // Null may stand for absent members in listed objects.
            enum_scalars: has(Fact::EnumScalars) || has(Fact::AllRequired),
            low_min_items: has(Fact::Limit(Limit::MinItems(1))),
            repetitions: reader.limit(|limit| match limit {
                Limit::Repetitions(most) => Some(most),
                _ => None,
            }),
            references_below: reader
                .pick(|fact| match fact {
                    Fact::ReferencesBelow(start) => Some(*start),
                    _ => None,
                })
                .next(),
            union_types_in_branches: has(Fact::UnionTypesInBranches),
            unbounded_numbers: has(Fact::NoNumberBounds),
            typed: closed || has(Fact::Typed),
            closed,
            sealed: closed || !reader.takes_keyword("additionalProperties"),
            all_required: has(Fact::AllRequired),
            items: has(Fact::ArrayItems),
            tuple_items: has(Fact::TupleItems),
            root_properties: has(Fact::RootProperties),
            property_names: has(Fact::PropertyNames),
            levels: reader.limit(|limit| match limit {
                Limit::Depth(most) => Some(most),
                _ => None,
            }),
            budgets: reader
                .pick(|fact| match fact {
                    Fact::Limit(
                        limit @ (Limit::Properties(_)
                        | Limit::Depth(_)
                        | Limit::EnumMembers(_)
                        | Limit::EnumText(_)
                        | Limit::Text(_)),
                    ) => Some(*limit),
                    _ => None,
                })
                .collect(),
            name: longest.map(|longest| ToolName { longest, rule }),
            description: reader.limit(|limit| match limit {
                Limit::Description(most) => Some(most),
                _ => None,
            }),
        }
    }

    /// Whether values may have to be published in another form.
    pub(super) fn encodes(&self) -> bool {
        self.typed || self.sealed || self.enum_strings || self.enum_scalars
    }

    /// Whether a keyword is supported.
    pub(super) fn takes(&self, keyword: &str) -> bool {
        self.reader.takes_keyword(keyword)
    }

    /// Whether a keyword is supported at the root.
    pub(super) fn takes_root(&self, keyword: &str) -> bool {
        self.takes(keyword) && self.reader.takes_root(keyword)
    }

    pub(super) fn takes_format(&self, format: &str) -> bool {
        self.reader.takes_format(format)
    }

    pub(super) fn takes_pattern(&self, pattern: &str) -> bool {
        self.reader.takes_pattern(pattern)
    }
}

/// The characters that a tool's name keeps, however long the server's name is.
const SHORTEST: usize = 16;
