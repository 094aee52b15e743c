//! What a profile supports, read from the table of profiles that lint uses.
//!
//! A profile names the rules that matter to its reader. Each rule states what the reader does not accept;
//! this module turns that into what a projection may write.

use crate::lint::{Limit, Profile};

use super::names::ToolName;

/// What a projection may write for a profile.
pub(super) struct Abilities {
    profile: &'static Profile,
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
    /// Whether the names of parameters are restricted.
    pub(super) property_names: bool,
    /// Whether patterns must have no lookaround and no backreference.
    plain_patterns: bool,
    /// Whether patterns must match the whole string and have no special groups.
    whole_patterns: bool,
    /// The requirements for names of tools.
    pub(super) name: Option<ToolName>,
    /// The maximum number of characters of a tool's description.
    pub(super) description: Option<usize>,
}

impl Abilities {
    /// What the readers of a profile support. `server` is the name of the server, if it is known; `prefix`
    /// is the number of characters that will be put before the names of tools.
    pub(super) fn of(profile: &'static Profile, server: Option<&str>, prefix: usize) -> Self {
        let has = |code: &str| profile.subsets.iter().any(|subset| subset.has(code));
        let least = |kind: fn(Limit) -> Option<usize>| {
            let subsets = profile.subsets.iter();
            subsets.filter_map(|subset| subset.limit(kind)).min()
        };
        let own = least(|limit| match limit {
            Limit::Name(most) => Some(most),
            _ => None,
        });
        let both = least(|limit| match limit {
            Limit::CombinedName(most) => Some(most),
            _ => None,
        });
        let server = server.map_or(1, |name| name.chars().count());
        let both = both.map(|most| most.saturating_sub(server).max(SHORTEST));
        let longest = own.into_iter().chain(both).min();
        let longest = longest.map(|most| most.saturating_sub(prefix).max(SHORTEST));
        let closed = has("TL088") || has("TL101");
        let gemini = has("TL100");
        Self {
            profile,
            reference_siblings: !has("TL084"),
            recursion: !has("TL090"),
            plain_root: has("TL080"),
            type_arrays: !has("TL085"),
            nullable: gemini,
            union_items: !gemini,
            union_siblings: !gemini && !has("TL103"),
            enum_strings: gemini,
            enum_scalars: has("TL089"),
            low_min_items: has("TL089"),
            unbounded_numbers: has("TL103"),
            typed: closed || gemini,
            closed,
            sealed: closed || gemini,
            all_required: has("TL088"),
            items: has("TL063"),
            property_names: has("TL082"),
            plain_patterns: has("TL093"),
            whole_patterns: has("TL104"),
            name: longest.map(|longest| ToolName {
                longest,
                plain: has("TL081"),
            }),
            description: least(|limit| match limit {
                Limit::Description(most) => Some(most),
                _ => None,
            }),
        }
    }

    /// Whether a keyword is supported.
    pub(super) fn takes(&self, keyword: &str) -> bool {
        let subsets = self.profile.subsets.iter();
        subsets
            .into_iter()
            .all(|subset| subset.keywords.has(keyword))
    }

    pub(super) fn takes_format(&self, format: &str) -> bool {
        let subsets = self.profile.subsets.iter();
        let lists = subsets.filter_map(|subset| subset.formats);
        lists.into_iter().all(|list| list.contains(&format))
    }

    pub(super) fn takes_pattern(&self, pattern: &str) -> bool {
        let looks = ["(?=", "(?!", "(?<=", "(?<!"]
            .iter()
            .any(|head| pattern.contains(head));
        let bytes = pattern.as_bytes();
        let refers = pattern.match_indices('\\').any(|(at, _)| {
            bytes
                .get(at + 1)
                .is_some_and(|byte| (b'1'..=b'9').contains(byte))
        });
        let plain = !looks && !refers;
        let whole = pattern.starts_with('^') && pattern.ends_with('$') && !pattern.contains("(?");
        (plain || !self.plain_patterns) && (whole || !self.whole_patterns)
    }
}

/// The characters that a tool's name keeps, however long the server's name is.
const SHORTEST: usize = 16;
