//! Listings, messages and other texts of any size.

use super::schemas;
use super::texts::{Texts, many, reversed};

fn listing(tools: &str) -> String {
    format!(r#"{{"tools":[{tools}]}}"#)
}

pub(super) fn small_tools(size: usize) -> Texts {
    Texts::one(listing(&many(size, |n| {
        format!(
            r#"{{"name":"tool_{n}","description":"Finds the items of the day {n}.","inputSchema":{{"type":"object","properties":{{"q":{{"type":"string","description":"What to look for."}}}},"required":["q"]}}}}"#
        )
    })))
}

pub(super) fn bad_tools(size: usize) -> Texts {
    Texts::one(listing(&many(size, |n| {
        format!(r#"{{"name":"t{n}","inputSchema":{{"type":{n}}}}}"#)
    })))
}

/// Tools whose output schemas readers of draft 7 read in another way.
pub(super) fn outputs(size: usize) -> Texts {
    Texts::one(listing(&many(size, |n| {
        format!(
            r##"{{"name":"t{n}","inputSchema":{{"type":"object"}},"outputSchema":{{"type":"object","properties":{{"pair":{{"prefixItems":[{{"type":"string"}},{{"type":"integer"}}],"items":false}},"rest":{{"$ref":"#/$defs/rest","minLength":{n}}}}},"required":["pair"],"$defs":{{"rest":{{"type":"string"}}}}}}}}"##
        )
    })))
}

pub(super) fn no_tools(size: usize) -> Texts {
    Texts::one(listing(&many(size, |n| n.to_string())))
}

/// A result of a tool with such blocks.
fn result(size: usize, block: &str) -> Texts {
    let blocks = many(size, |_| block.to_owned());
    let call = r#""method":"tools/call","params":{"name":"t"}"#;
    Texts::two(format!(r#"{{"content":[{blocks}]}}"#), call)
}

pub(super) fn blocks(size: usize) -> Texts {
    result(size, r#"{"type":"text","text":"5"}"#)
}

/// Blocks that are left out.
pub(super) fn null_blocks(size: usize) -> Texts {
    result(size, "null")
}

/// Blocks that are repaired.
pub(super) fn odd_blocks(size: usize) -> Texts {
    result(
        size,
        r#"{"type":"text","text":5,"annotations":null,"_meta":[]}"#,
    )
}

pub(super) fn null_prompts(size: usize) -> Texts {
    let prompts = many(size, |_| "null".to_owned());
    Texts::two(
        format!(r#"{{"prompts":[{prompts}]}}"#),
        r#""method":"prompts/list""#,
    )
}

pub(super) fn same_names(size: usize) -> Texts {
    Texts::one(listing(&many(size, |_| {
        r#"{"name":"same","inputSchema":{"type":"object"}}"#.to_owned()
    })))
}

pub(super) fn odd_names(size: usize) -> Texts {
    Texts::one(listing(&many(size, |n| {
        format!(
            r#"{{"name":"a name with spaces {n}","inputSchema":{{"type":"object","$ref":"http://x.test/{n}"}},"outputSchema":{{"type":"array"}}}}"#
        )
    })))
}

pub(super) fn one_tool(size: usize) -> Texts {
    let inner = schemas::described(size).first;
    Texts::one(listing(&format!(
        r#"{{"name":"one","inputSchema":{inner}}}"#
    )))
}

/// The same listing, with the tools in reverse.
pub(super) fn moved_tools(size: usize) -> Texts {
    let tool = |n| {
        format!(
            r#"{{"name":"tool_{n}","inputSchema":{{"type":"object","properties":{{"q{n}":{{}}}}}}}}"#
        )
    };
    Texts::two(
        listing(&many(size / 2, tool)),
        listing(&reversed(size / 2, tool)),
    )
}

/// No tool of the first listing is in the second.
pub(super) fn other_tools(size: usize) -> Texts {
    let tool = |name: &str, n: usize| {
        format!(r#"{{"name":"{name}_{n}","inputSchema":{{"type":"object"}}}}"#)
    };
    Texts::two(
        listing(&many(size / 2, |n| tool("find_the_item", n))),
        listing(&many(size / 2, |n| tool("find_an_item", n))),
    )
}

pub(super) fn nested_arrays(size: usize) -> Texts {
    let item = format!("{}{}", "[".repeat(100), "]".repeat(100));
    Texts::one(format!("[{}]", many(size, |_| item.clone())))
}

pub(super) fn plain_numbers(size: usize) -> Texts {
    Texts::one(format!("[{}]", many(size, |n| format!("{n}.25e3"))))
}

pub(super) fn members(size: usize) -> Texts {
    Texts::one(format!("{{{}}}", many(size, |n| format!(r#""m{n}":{n}"#))))
}

pub(super) fn equal_hashes(size: usize) -> Texts {
    // Names that differ in one character far from both ends.
    let member = |n: usize| format!(r#""{}{n:06}{}":1"#, "a".repeat(40), "b".repeat(40));
    Texts::one(format!("{{{}}}", many(size, member)))
}

pub(super) fn argument_properties(size: usize) -> Texts {
    Texts::one(format!(
        "{{{}}}",
        many(size, |n| format!(
            r#""arg_{n}":{{"type":"string","required":true,"minLength":1,"description":"d"}}"#
        ))
    ))
}

pub(super) fn argument_enum(size: usize) -> Texts {
    Texts::one(format!(
        r#"{{"a":{{"type":"string","enum":[{}]}}}}"#,
        many(size, |n| format!(r#""value {n}""#))
    ))
}

pub(super) fn bad_arguments(size: usize) -> Texts {
    Texts::one(format!(
        "{{{}}}",
        many(size, |n| format!(r#""arg_{n}":{{"typ":"strng"}}"#))
    ))
}

/// A pattern that is as long as it may be; more of the size is not used.
pub(super) fn alternatives(size: usize) -> Texts {
    Texts::one(many(size.min(8_000), |n| format!("(?:word{n})+")).replace(',', "|"))
}

pub(super) fn groups(size: usize) -> Texts {
    Texts::one(format!(
        "^{}$",
        "(?:[a-z]{1,3}|[0-9])?".repeat((size / 21).clamp(1, 300))
    ))
}

/// A call whose arguments take the whole size.
pub(super) fn big_call(size: usize) -> Texts {
    let items = many(size, |n| format!(r#"{{"id":{n}}}"#));
    Texts::one(format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"forecast","arguments":{{"city":"Bremen","x":[{items}]}}}}}}"#
    ))
}

pub(super) fn big_batch(size: usize) -> Texts {
    let calls = many(size, |n| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{n},"method":"tools/call","params":{{"name":"forecast"}}}}"#
        )
    });
    Texts::one(format!("[{calls}]"))
}

/// A message that cannot be read, with an id at its end.
pub(super) fn broken_message(size: usize) -> Texts {
    let items = many(size, |n| format!(r#"{{"id":{n}}}"#));
    Texts::one(format!(
        r#"{{"jsonrpc":"2.0","method":"tools/call","params":{{"x":[{items}}},"id":7}}"#
    ))
}

/// Tools whose parameter is a union of objects that require all their members.
pub(super) fn unions(size: usize) -> Texts {
    Texts::one(listing(&many(size, |tool| {
        let branches = join(60, |branch| closed_object(25, |n| format!("m{branch}_{n}")));
        format!(
            r#"{{"name":"t{tool}","inputSchema":{{"type":"object","properties":{{"p":{{"oneOf":[{branches}]}}}},"required":["p"]}}}}"#
        )
    })))
}

/// Tools with a long list of values, beside another branch.
pub(super) fn enums(size: usize) -> Texts {
    Texts::one(listing(&many(size, |tool| {
        let values = join(4_000, |n| n.to_string());
        format!(
            r#"{{"name":"t{tool}","inputSchema":{{"type":"object","properties":{{"p":{{"anyOf":[{{"enum":[{values}]}},{{"const":null}}]}}}}}}}}"#
        )
    })))
}

/// Tools with many members, all of which are required.
pub(super) fn closed_tools(size: usize) -> Texts {
    Texts::one(listing(&many(size, |tool| {
        let object = closed_object(1_500, |n| format!("m{n}"));
        format!(r#"{{"name":"t{tool}","inputSchema":{object}}}"#)
    })))
}

fn closed_object(members: usize, name: impl Fn(usize) -> String) -> String {
    let properties = join(members, |n| format!(r#""{}":{{"type":"string"}}"#, name(n)));
    let required = join(members, |n| format!(r#""{}""#, name(n)));
    format!(
        r#"{{"type":"object","properties":{{{properties}}},"required":[{required}],"additionalProperties":false}}"#
    )
}

fn join(count: usize, piece: impl Fn(usize) -> String) -> String {
    let all: Vec<String> = (0..count).map(piece).collect();
    all.join(",")
}
