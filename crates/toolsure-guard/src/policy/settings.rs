//! The table of a policy's choices: their names, words and meanings. The configuration's keys, its reference
//! page and the dialogues of the tests are made from it.

use super::{Policy, Words};

/// A choice among a few words, or between `true` and `false`.
#[derive(Debug)]
pub struct Setting {
    /// Its key in a configuration, with its section: `policy.bad_tools`.
    pub(super) name: &'static str,
    pub(super) meaning: &'static str,
    pub(super) words: &'static [&'static str],
    pub(super) put: fn(&mut Policy, &str) -> bool,
    pub(super) word: fn(&Policy) -> &'static str,
}

impl Setting {
    /// Its key in a configuration, with its section: `policy.bad_tools`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// One sentence for a reference page.
    #[must_use]
    pub fn meaning(&self) -> &'static str {
        self.meaning
    }

    /// The words that it accepts.
    #[must_use]
    pub fn words(&self) -> &'static [&'static str] {
        self.words
    }

    /// Sets it; `false` if the word is none of [`words`](Self::words), and then nothing changes.
    pub fn put(&self, policy: &mut Policy, word: &str) -> bool {
        (self.put)(policy, word)
    }

    /// The word of its value.
    #[must_use]
    pub fn word(&self, policy: &Policy) -> &'static str {
        (self.word)(policy)
    }
}

/// The setting with this name, with or without its section.
///
/// ```
/// use toolsure_guard::Policy;
/// use toolsure_guard::policy::{BadTools, settings};
///
/// let mut policy = Policy::new();
/// assert!(settings::find("bad_tools").unwrap().put(&mut policy, "pass"));
/// assert_eq!(policy.bad_tools, BadTools::Pass);
/// ```
#[must_use]
pub fn find(name: &str) -> Option<&'static Setting> {
    let is_it = |setting: &&Setting| {
        let short = setting.name.split_once('.');
        setting.name == name || short.is_some_and(|(_, short)| short == name)
    };
    ALL.iter().find(is_it)
}

macro_rules! choice {
    ($name:literal, $($field:ident).+, $meaning:literal) => {
        Setting {
            name: $name,
            meaning: $meaning,
            words: words_of(|policy| &policy.$($field).+),
            put: |policy, word| put(&mut policy.$($field).+, word),
            word: |policy| policy.$($field).+.word(),
        }
    };
}

/// All of them, in the order of the reference page.
pub const ALL: &[Setting] = &[
    choice!(
        "policy.listing",
        listing,
        "tools with a schema that is refused: `enforce` does as `bad_tools` says, `audit` only records, `off` does not check"
    ),
    choice!(
        "policy.arguments",
        arguments,
        "calls whose arguments break the input schema: `enforce` refuses them, `audit` only records, `off` does not check"
    ),
    choice!(
        "policy.results",
        results,
        "results that break the output schema: `enforce` does as `bad_result` says, `audit` only records, `off` does not check"
    ),
    choice!(
        "policy.bad_tools",
        bad_tools,
        "`filter-out` removes a refused tool from the listing, `reject-server` makes the whole listing an error, `pass` lists the tool"
    ),
    choice!(
        "policy.bad_result",
        bad_result,
        "`replace` makes a bad result an error result, `drop-structured` removes its `structuredContent`, `flag` puts the verdict into its `_meta`"
    ),
    choice!(
        "policy.unknown_tool",
        unknown_tool,
        "the answer to a call of a tool that is hidden or not listed: `error` is the JSON-RPC error -32602, as the protocol says, `result` a result with `isError`"
    ),
    choice!(
        "policy.text_blocks",
        text_blocks,
        "results without `content`, or with structured content that is not an object and no text block: `repair` adds the text, `refuse` treats them as bad results, `report` only records"
    ),
    choice!(
        "policy.result_members",
        result_members,
        "results with members or blocks that clients cannot read: `repair` removes optional members, adds required ones that have one possible value, and turns other blocks into text, `refuse` treats them as bad results, `pass` lets them pass; lists of prompts, resources and skills follow `listing` and `bad_tools`"
    ),
    choice!(
        "policy.output",
        output,
        "results without the structured content that the tool's output schema requires: `enforce` treats them as bad results, `lift` makes the only text block the structured content if it is JSON that fits, `hide` neither lists nor checks the output schema"
    ),
    choice!(
        "policy.long_results",
        long_results,
        "results longer than `max_result_bytes`: `cut` keeps the first blocks of `content`, each whole, as long as they fit, and adds a text that says what was removed; with `refuse`, or if nothing fits, the result becomes an error result that states its length"
    ),
    choice!(
        "policy.elicitation",
        elicitation,
        "requests for forms whose `requestedSchema` the protocol does not allow: `enforce` refuses them, `audit` only records, `off` does not check"
    ),
    choice!(
        "policy.wide_numbers",
        wide_numbers,
        "calls and results with a number that a double cannot hold (`1e400`), which JavaScript and Python read as infinity"
    ),
    choice!(
        "policy.on_undecided",
        on_undecided,
        "what happens when a check reaches its limit before it has a verdict"
    ),
    choice!(
        "policy.on_unlisted",
        on_unlisted,
        "what happens to a call when the server's listing cannot be obtained"
    ),
    choice!(
        "policy.repair",
        repair,
        "repair the arguments of a call that does not match the input schema, if few changes make it valid: `certain` reads strings as the JSON that they contain (`\"5\"`, `\"[1]\"`), if there is no other way; `all` also leaves out `null` for an optional member, fills in a missing default, and takes the first of several ways; `off` refuses the call with a text for the model; always recorded (`true` is `all`, `false` is `off`)"
    ),
    choice!(
        "policy.inline_refs",
        inline_refs,
        "give clients schemas without `$ref` where that is possible within limits"
    ),
    choice!(
        "policy.costly_schemas",
        costly_schemas,
        "how schemas that are costly for clients to check are listed: `simplify` removes what is costly, `strip` the schema, `pass` nothing; calls and results are checked against the original"
    ),
    choice!(
        "policy.project",
        project,
        "output that is not an object, for clients before 2026-07-28: wrapped as `{\"result\": …}`, dropped (the text stays), or unchanged"
    ),
    choice!(
        "policy.legacy_values",
        legacy_values,
        "values that are not objects, from a server to a client that are both before 2026-07-28, where no output schema allows them: `enforce` treats them as violations of the protocol (a bad result if the output schema allows only objects, otherwise the value is removed), `project` does as `project` says; nothing happens if `project` is `off`"
    ),
    choice!(
        "policy.listed_argument_schemas",
        listed_argument_schemas,
        "check arguments against the argument schemas that servers list under `_meta` → `toolsure/argument-schema`, besides the input schemas"
    ),
    choice!(
        "policy.drift",
        drift.mode,
        "tools that differ from the lock: `enforce` does as `policy.changes` says, `audit` only records, `off` does not compare"
    ),
    choice!(
        "policy.changes.narrower",
        drift.changes.narrower,
        "tools that accept fewer calls or promise less than in the lock, or may do so, and changed defaults: `pass` records the change, `hold` removes the tool until the change is approved, `refuse` removes it without waiting for approval"
    ),
    choice!(
        "policy.changes.wider",
        drift.changes.wider,
        "tools that accept more calls or promise more, such as with a new optional parameter, whose texts pass too"
    ),
    choice!(
        "policy.changes.words",
        drift.changes.words,
        "tools with other descriptions, titles or annotations of schemas, which models read"
    ),
    choice!(
        "policy.changes.consent",
        drift.changes.consent,
        "tools with other hints about what they do, such as a new `readOnlyHint: true`"
    ),
    choice!(
        "policy.changes.execution",
        drift.changes.execution,
        "tools with another `execution`"
    ),
    choice!(
        "policy.changes.other",
        drift.changes.other,
        "tools with other icons, another `_meta` or members of vendors"
    ),
    choice!(
        "policy.changes.new_tools",
        drift.changes.new_tools,
        "tools that the lock does not have"
    ),
    choice!(
        "schemas.formats",
        formats,
        "what `format` does in arguments"
    ),
    choice!(
        "schemas.result_formats",
        result_formats,
        "what `format` does in results"
    ),
];

/// The words of a field's type.
const fn words_of<W: Words>(_: fn(&Policy) -> &W) -> &'static [&'static str] {
    W::WORDS
}

fn put<W: Words>(field: &mut W, word: &str) -> bool {
    W::of(word).map(|value| *field = value).is_some()
}
