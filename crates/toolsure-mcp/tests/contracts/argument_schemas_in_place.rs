//! Argument schemas that servers publish as `inputSchema`: which are converted, and that no JSON
//! Schema is loosened.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a panic is how a test fails"
)]

use std::fmt::Write as _;
use std::sync::Arc;

use crate::support::shared_files;
use toolsure_json::{Node as _, OwnedDocument, ReadLimits};
use toolsure_mcp::argument::in_place;
use toolsure_mcp::catalog::{Listing, ToolSet};
use toolsure_mcp::check::{Checker, Decision};
use toolsure_mcp::contract::{SchemaStore, ToolContract};
use toolsure_schema::{Schema, Verdict, Workspace};

/// What becomes of an input schema.
enum Becomes {
    /// It is converted: arguments that are accepted, and that are refused.
    Converted(&'static [&'static str], &'static [&'static str]),
    /// It has a sign, and stays JSON Schema for a reason with these words.
    Stays(&'static str),
    /// It has no sign.
    JsonSchema,
}

use Becomes::{Converted, JsonSchema, Stays};

const TABLE: &[(&str, Becomes)] = &[
    // Both shapes.
    (
        r#"{"type":"object","properties":{"t":{"type":"string","isArray":true},"f":{"type":"float"},"m":{"type":"enum","enum":["a"]}},"required":["t"]}"#,
        Converted(
            &[r#"{"t":["a"],"f":1.5,"m":"a"}"#, r#"{"t":[]}"#],
            &[
                r#"{"t":"a","f":"x"}"#,
                "{}",
                r#"{"t":["a"],"m":"b"}"#,
                r#"{"t":[1]}"#,
            ],
        ),
    ),
    (
        r#"{"q":{"type":"string","required":true,"minLength":3},"n":{"type":"integer","maximum":5}}"#,
        Converted(
            &[r#"{"q":"abc","n":5}"#],
            &["{}", r#"{"q":"ab"}"#, r#"{"q":"abc","n":6}"#],
        ),
    ),
    (
        r#"{"q":{"type":"string"}}"#,
        Converted(&["{}", r#"{"q":"a"}"#], &[r#"{"q":1}"#]),
    ),
    (
        r#"{"schemaVersion":"2025-10-09","type":"object","properties":{"q":{"type":"string"}}}"#,
        Converted(&["{}"], &[r#"{"q":1}"#]),
    ),
    // A keyword's name is the name of an argument, if the keyword could not refuse an object.
    (
        r#"{"items":{"type":"string"},"type":{"type":"string"},"format":{"type":"string","required":true}}"#,
        Converted(
            &[r#"{"format":"a"}"#],
            &["{}", r#"{"format":"a","items":1}"#],
        ),
    ),
    // Members that assert nothing do not matter.
    (
        r#"{"type":"object","title":"T","properties":{"t":{"type":"string","isArray":true,"title":"t","examples":["x"],"x-order":1}}}"#,
        Converted(&[r#"{"t":["a"]}"#], &[r#"{"t":"a"}"#]),
    ),
    // The extensions are enforced although no version is declared.
    (
        r#"{"type":"object","properties":{"t":{"type":"string","isArray":true},"p":{"type":"string","pattern":"^a"},"o":{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"]}}}"#,
        Converted(
            &[r#"{"t":["a"],"p":"ab","o":{"x":1}}"#],
            &[r#"{"p":"b"}"#, r#"{"o":{}}"#, r#"{"o":{"x":"1"}}"#],
        ),
    ),
    // What JSON Schema enforces and the notation does not have.
    (
        r#"{"type":"object","properties":{"t":{"type":"string","isArray":true}},"additionalProperties":false}"#,
        Stays("`additionalProperties`"),
    ),
    (
        r#"{"type":"object","properties":{"t":{"type":"string","isArray":true},"u":{"anyOf":[{"type":"null"}]}}}"#,
        Stays("`anyOf`"),
    ),
    (
        r#"{"type":"object","properties":{"t":{"type":"string","isArray":true},"u":{"type":["string","null"]}}}"#,
        Stays("expected"),
    ),
    (
        r#"{"type":"object","properties":{"t":{"type":"string","isArray":true},"u":{"type":"string","format":"date"}}}"#,
        Stays("`format`"),
    ),
    (
        r#"{"type":"object","properties":{"t":{"type":"string","isArray":true},"u":{"properties":{"x":{"type":"string"}}}}}"#,
        Stays("`properties`"),
    ),
    (
        r#"{"type":"object","properties":{"t":{"type":"string","isArray":true},"u":{"items":{"type":"string"}}}}"#,
        Stays("`items`"),
    ),
    (
        r#"{"type":"object","properties":{"t":{"type":"string","isArray":true},"u":{"minItems":1}}}"#,
        Stays("`minItems`"),
    ),
    (
        r#"{"type":"object","properties":{"t":{"type":"string","isArray":true},"u":false}}"#,
        Stays("not an object"),
    ),
    (
        r#"{"schemaVersion":"2025-10-09","type":"object","properties":{"p":{"type":"string","pattern":"^a"}}}"#,
        Stays("`pattern`"),
    ),
    (
        r#"{"schemaVersion":"2025-10-09","type":"object","properties":{"t":{"type":"array","items":{"type":"array","items":{"type":"string"}}}}}"#,
        Stays("`items`"),
    ),
    (
        r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"t":{"type":"string","isArray":true}}}"#,
        Stays("`$schema`"),
    ),
    (
        r##"{"type":"object","properties":{"t":{"isArray":true,"$ref":"#/$defs/a"}},"$defs":{"a":{}}}"##,
        Stays("`$ref`"),
    ),
    (
        r#"{"type":"object","properties":{"t":{"type":"string","isArray":true,"x-mcp-header":"T"}}}"#,
        Stays("`x-mcp-header`"),
    ),
    (r#"{"not":{"type":"object"}}"#, Stays("`not`")),
    (
        r#"{"additionalProperties":{"type":"string"}}"#,
        Stays("`additionalProperties`"),
    ),
    (
        r#"{"if":{"type":"object"},"then":{"type":"integer"}}"#,
        Stays("`if`"),
    ),
    (
        r#"{"properties":{"type":"string","q":{"isArray":true}}}"#,
        Stays("`properties`"),
    ),
    // JSON Schema, whatever its properties are called.
    (
        r#"{"type":"object","properties":{"isArray":{"type":"boolean"},"required":{"type":"boolean"},"schemaVersion":{"type":"string"}}}"#,
        JsonSchema,
    ),
    (
        r#"{"type":"object","properties":{"t":{"type":"array","isArray":false,"items":{"type":"string"}}}}"#,
        JsonSchema,
    ),
    (
        r#"{"type":"object","schemaVersion":"1.0","properties":{"t":{"type":"string"}}}"#,
        JsonSchema,
    ),
    (
        r#"{"type":"object","properties":{"t":{"type":"string","enum":["float","enum"]}},"required":["t"]}"#,
        JsonSchema,
    ),
    (
        r#"{"type":"object","properties":{"o":{"type":"object","properties":{"t":{"type":"string","isArray":true}}}}}"#,
        JsonSchema,
    ),
];

fn document(text: &str) -> OwnedDocument {
    OwnedDocument::read(text, &ReadLimits::default()).unwrap()
}

fn refuses(tool: &Arc<ToolContract>, arguments: &str) -> bool {
    let decision = Checker::new().check_arguments_bytes(tool, arguments.as_bytes());
    matches!(decision, Decision::Refuse(_))
}

#[test]
fn a_table_of_schemas_on_both_sides_of_the_line() {
    let store = SchemaStore::new();
    for (schema, becomes) in TABLE {
        let read = document(schema);
        let found = in_place(read.document().root());
        let tool = format!(r#"{{"name":"a","inputSchema":{schema}}}"#);
        let page = format!(r#"{{"tools":[{tool}]}}"#);
        // Every way in which a tool is read.
        let contracts = [
            ToolContract::read(tool.as_bytes(), &store)
                .ok()
                .map(Arc::new),
            ToolSet::of_pages([page.as_bytes()], &store)
                .unwrap()
                .tool("a")
                .cloned(),
            {
                let mut set = ToolSet::new();
                set.add(&Listing::read(page.as_str()).unwrap(), &store)
                    .unwrap();
                set.tool("a").cloned()
            },
        ];
        match becomes {
            Converted(accepted, refused) => {
                let twin = found.as_ref().unwrap().json_schema().unwrap();
                for contract in contracts {
                    let contract = contract.unwrap_or_else(|| panic!("{schema}"));
                    assert_eq!(contract.input_text(), twin, "{schema}");
                    assert_eq!(contract.listed_text(), tool);
                    for arguments in *accepted {
                        assert!(!refuses(&contract, arguments), "{schema} {arguments}");
                    }
                    for arguments in *refused {
                        assert!(refuses(&contract, arguments), "{schema} {arguments}");
                    }
                }
            }
            Stays(why) => {
                let found = found.unwrap_or_else(|| panic!("no sign: {schema}"));
                let said = found.json_schema().unwrap_err();
                assert!(said.contains(why), "{schema}: {said}");
                for contract in contracts.into_iter().flatten() {
                    assert_eq!(contract.input_text(), *schema);
                }
            }
            JsonSchema => {
                assert!(found.is_none(), "{schema}: {found:?}");
                for contract in contracts {
                    assert_eq!(contract.unwrap().input_text(), *schema);
                }
            }
        }
    }
}

/// A generator of schemas: JSON Schema with members of the notation thrown in.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % most
    }

    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        let count = u64::try_from(of.len()).unwrap();
        of[usize::try_from(self.below(count)).unwrap()]
    }

    fn property(&mut self, depth: u32) -> String {
        let mut members = Vec::new();
        let mut used = std::collections::HashSet::new();
        for _ in 0..self.below(5) {
            let member = match self.below(if depth == 0 { 20 } else { 24 }) {
                0..=5 => format!(
                    r#""type":"{}""#,
                    self.one(&["string", "integer", "number", "boolean", "array", "object"])
                ),
                6 => r#""isArray":true"#.to_owned(),
                7 => format!(r#""minLength":{}"#, self.below(3)),
                8 => format!(r#""maximum":{}"#, self.below(3)),
                9 => r#""enum":["a","b"]"#.to_owned(),
                10 => r#""pattern":"^a""#.to_owned(),
                11 => format!(r#""minItems":{}"#, self.below(3)),
                12 => r#""title":"t""#.to_owned(),
                13 => r#""required":["x"]"#.to_owned(),
                14 => r#""const":"a""#.to_owned(),
                15 => r#""multipleOf":2"#.to_owned(),
                16 => r#""additionalProperties":false"#.to_owned(),
                17 => r#""minProperties":1"#.to_owned(),
                18 => r#""type":["string","null"]"#.to_owned(),
                19 => r#""uniqueItems":true"#.to_owned(),
                20 | 21 => format!(r#""items":{}"#, self.property(depth - 1)),
                22 => format!(r#""properties":{}"#, self.map(depth - 1)),
                _ => format!(r#""anyOf":[{}]"#, self.property(depth - 1)),
            };
            let name = member.split(':').next().unwrap().to_owned();
            if used.insert(name) {
                members.push(member);
            }
        }
        format!("{{{}}}", members.join(","))
    }

    fn map(&mut self, depth: u32) -> String {
        let mut out = String::from("{");
        for (at, name) in ["x", "y", "z"].iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(out, r#"{comma}"{name}":{}"#, self.property(depth)).unwrap();
        }
        out + "}"
    }

    fn schema(&mut self) -> String {
        let also = self.one(&[
            "",
            "",
            "",
            r#","required":["x"]"#,
            r#","additionalProperties":false"#,
            r#","maxProperties":1"#,
        ]);
        let version = self.one(&[
            "",
            "",
            "",
            r#""schemaVersion":"2026-11-21","#,
            r#""schemaVersion":"2025-10-09","#,
        ]);
        let map = self.map(2);
        match self.below(6) {
            0 => map,
            _ => format!(r#"{{{version}"type":"object","properties":{map}{also}}}"#),
        }
    }

    fn value(&mut self, depth: u32) -> String {
        match self.below(if depth == 0 { 8 } else { 12 }) {
            0 => "null".to_owned(),
            1 => "true".to_owned(),
            2 | 3 => self.below(4).to_string(),
            4 => "1.5".to_owned(),
            5..=7 => format!(r#""{}""#, self.one(&["", "a", "b", "ab"])),
            8 | 9 => format!("[{}]", self.value(depth - 1)),
            _ => self.object(depth - 1),
        }
    }

    fn object(&mut self, depth: u32) -> String {
        let mut members = Vec::new();
        for name in ["x", "y", "z", "w"] {
            if self.below(2) == 0 {
                members.push(format!(r#""{name}":{}"#, self.value(depth)));
            }
        }
        format!("{{{}}}", members.join(","))
    }
}

/// If a JSON Schema is converted, each value that it refuses and that its converted form accepts is
/// refused only for arguments that the notation says are arrays.
#[test]
fn a_converted_schema_lets_nothing_else_through() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut workspace = Workspace::new();
    let (mut converted, mut compared, mut arrays) = (0, 0, 0);
    for _ in 0..30_000 {
        let text = random.schema();
        let read = document(&text);
        let Some(found) = in_place(read.document().root()) else {
            continue;
        };
        let (Ok(twin), Ok(schema)) = (found.json_schema(), Schema::compile(text.as_bytes())) else {
            continue;
        };
        let Ok(twin) = Schema::compile(twin.as_bytes()) else {
            continue;
        };
        converted += 1;
        let root = read.document().root();
        let map = root.member("properties").unwrap_or(root);
        for _ in 0..20 {
            let value = random.object(2);
            if !matches!(
                twin.check(&mut workspace, value.as_str()),
                Ok(Verdict::Valid)
            ) {
                continue;
            }
            compared += 1;
            let instance = document(&value);
            let report = schema.explain(&mut workspace, instance.document().root());
            for finding in &report.findings {
                let location = finding.instance_location().to_owned();
                let name = location.split('/').nth(1).unwrap_or_default().to_owned();
                let property = map.member(&name);
                let is_array = property
                    .and_then(|property| property.member("isArray"))
                    .is_some_and(|flag| flag.boolean());
                // Of an `enum` the notation checks each element.
                let is_list = property.is_some_and(|property| {
                    property
                        .member("type")
                        .is_some_and(|kind| kind.string() == "array")
                        && property.member("enum").is_some()
                });
                assert!(is_array || is_list, "{text} accepts {value}: {finding:?}");
                arrays += 1;
            }
        }
    }
    assert!(
        converted > 100 && compared > 500 && arrays > 10,
        "{converted} {compared} {arrays}"
    );
}

/// No published tool is converted.
#[toolsure_needs::needs("corpus/listings")]
#[test]
fn no_published_tool_is_converted() {
    let mut tools = 0;
    for (name, text) in shared_files("corpus/listings", "json") {
        let listing = Listing::read(text.as_str()).unwrap();
        assert!(
            listing.recognised().is_empty(),
            "{name}: {:?}",
            listing.recognised()
        );
        tools += listing
            .result()
            .member("tools")
            .map_or(0, |tools| tools.len());
    }
    assert!(tools > 5_900, "{tools} tools");
}
