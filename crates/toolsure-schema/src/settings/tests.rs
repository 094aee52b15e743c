//! Tests the table against the limits it sets, field by field, and the errors for bad values.

use super::{ALL, Kind, find, of_read_error, registration};
use crate::ModelLimits;
use crate::compiler::Compiler;
use crate::limits::Limits;
use toolsure_json::{OwnedDocument, ReadLimits};
use toolsure_syntax::LimitName;

/// Every field of `Limits` has a row, which shows that field's default and sets that field alone. A
/// new field breaks compilation here.
#[test]
fn the_table_has_every_limit_with_its_true_default() {
    let Limits {
        model,
        plan_nodes,
        instance,
        fuel,
        evaluation_depth,
    } = Limits::default();
    let ModelLimits {
        schema_bytes,
        schema_nesting,
        schema_nodes,
        schema_digits,
        depth,
        subschemas,
        enum_members,
        pattern_bytes,
        pattern_depth,
        pattern_size,
        patterns_size,
        registrations,
        reference_bytes,
    } = model;
    let ReadLimits {
        bytes,
        depth: instance_depth,
        nodes,
        digits,
        duplicate_keys: _,
    } = instance;
    let long = crate::int::units;
    let fields = [
        ("limits.schema_bytes", long(schema_bytes)),
        ("limits.schema_nesting", long(schema_nesting)),
        ("limits.schema_nodes", long(schema_nodes)),
        ("limits.schema_digits", long(schema_digits)),
        ("limits.depth", long(depth)),
        ("limits.subschemas", long(subschemas)),
        ("limits.plan_nodes", long(plan_nodes)),
        ("limits.enum_members", long(enum_members)),
        ("limits.pattern_bytes", long(pattern_bytes)),
        ("limits.pattern_depth", long(pattern_depth)),
        ("limits.pattern_size", long(pattern_size)),
        ("limits.patterns_size", long(patterns_size)),
        ("limits.registrations", long(registrations)),
        ("limits.reference_bytes", long(reference_bytes)),
        ("limits.fuel", fuel),
        ("limits.evaluation_depth", u64::from(evaluation_depth)),
        ("limits.instance.bytes", long(bytes)),
        ("limits.instance.depth", long(instance_depth)),
        ("limits.instance.nodes", long(nodes)),
        ("limits.instance.digits", long(digits)),
    ];
    for (name, default) in fields {
        let setting = find(name).unwrap();
        let shown = setting.default();
        assert_eq!(
            super::setting::read_number(&shown, true),
            Some(default),
            "{name}"
        );
        let (Kind::Count(range) | Kind::Bytes(range)) = setting.kind() else {
            unreachable!("{name} takes a number");
        };
        assert!(range.contains(&default), "{name}: {range:?}");
        // It sets this field and no other, at both ends of its range.
        for end in [*range.start(), *range.end()] {
            let set = setting.apply(Compiler::new(), &end.to_string()).unwrap();
            for other in ALL {
                let expected = if other.name() == name {
                    assert_eq!(
                        super::setting::read_number(&other.show(&set), true),
                        Some(end)
                    );
                    continue;
                } else {
                    other.default()
                };
                assert_eq!(other.show(&set), expected, "{name} wrote {}", other.name());
            }
        }
        for wrong in ["", "-1", "1.5", "x", "0", "1 PiB", "99999999999999999999"] {
            let error = setting
                .apply(Compiler::new(), wrong)
                .unwrap_err()
                .to_string();
            assert!(error.starts_with(&format!("`{name}` must be ")), "{error}");
            assert!(error.ends_with(&format!("found `{wrong}`")), "{error}");
        }
        let past = range.end().saturating_add(1).to_string();
        assert!(setting.apply(Compiler::new(), &past).is_err(), "{name}");
    }
    let numbers =
        |setting: &&super::Setting| matches!(setting.kind(), Kind::Count(_) | Kind::Bytes(_));
    assert_eq!(ALL.iter().filter(numbers).count(), fields.len());
}

#[test]
fn words_are_written_and_shown() {
    for setting in ALL {
        let Kind::Word(words) = setting.kind() else {
            continue;
        };
        assert!(words.iter().any(|(word, _)| *word == setting.default()));
        for (word, help) in words {
            assert!(!help.is_empty());
            let set = setting.apply(Compiler::new(), word).unwrap();
            assert_eq!(setting.show(&set), word);
            for other in ALL.iter().filter(|other| other.name != setting.name) {
                assert_eq!(other.show(&set), other.default());
            }
        }
    }
}

#[test]
fn names_are_unique_and_the_closest_is_offered() {
    for (index, setting) in ALL.iter().enumerate() {
        assert!(
            ALL.iter()
                .skip(index + 1)
                .all(|other| other.name != setting.name)
        );
        assert!(!setting.help.ends_with('.') && !setting.help.is_empty());
    }
    assert_eq!(
        find("limits.evaluation-depth").unwrap_err().to_string(),
        "unknown setting `limits.evaluation-depth`; did you mean `limits.evaluation_depth`?"
    );
    assert_eq!(
        find("xyz").unwrap_err().to_string(),
        "unknown setting `xyz`"
    );
}

/// Every limit that refuses a schema or an instance names the setting that raises it.
#[test]
fn limit_errors_name_their_setting() {
    for name in LimitName::ALL {
        assert_eq!(find(name.setting()).unwrap().name(), name.setting());
    }
    for (limits, text) in [
        (
            ReadLimits {
                bytes: 1,
                ..ReadLimits::default()
            },
            "[[1]]",
        ),
        (
            ReadLimits {
                depth: 1,
                ..ReadLimits::default()
            },
            "[[1]]",
        ),
        (
            ReadLimits {
                nodes: 1,
                ..ReadLimits::default()
            },
            "[[1]]",
        ),
        (
            ReadLimits {
                digits: 1,
                ..ReadLimits::default()
            },
            "[[11]]",
        ),
    ] {
        let error = OwnedDocument::read(text, &limits).unwrap_err();
        let (field, _) = error.limit().unwrap();
        let name = format!("limits.instance.{field}");
        assert_eq!(of_read_error(&error), Some(name.as_str()));
    }
    for (model, schema, setting) in [
        (
            ModelLimits {
                subschemas: 1,
                ..ModelLimits::default()
            },
            r#"{"not": {"not": {}}}"#,
            "limits.subschemas",
        ),
        (
            ModelLimits {
                schema_nesting: 2,
                ..ModelLimits::default()
            },
            r#"{"const": [[123]]}"#,
            "limits.schema_nesting",
        ),
        (
            ModelLimits {
                schema_nodes: 2,
                ..ModelLimits::default()
            },
            r#"{"const": [[123]]}"#,
            "limits.schema_nodes",
        ),
        (
            ModelLimits {
                schema_digits: 2,
                ..ModelLimits::default()
            },
            r#"{"const": [[123]]}"#,
            "limits.schema_digits",
        ),
        (
            ModelLimits {
                schema_bytes: 2,
                ..ModelLimits::default()
            },
            r#"{"const": [[123]]}"#,
            "limits.schema_bytes",
        ),
        (
            ModelLimits {
                pattern_bytes: 6,
                ..ModelLimits::default()
            },
            r#"{"pattern": "((a))aa"}"#,
            "limits.pattern_bytes",
        ),
        (
            ModelLimits {
                pattern_depth: 1,
                ..ModelLimits::default()
            },
            r#"{"pattern": "((a))"}"#,
            "limits.pattern_depth",
        ),
        (
            ModelLimits {
                pattern_size: 8,
                ..ModelLimits::default()
            },
            r#"{"pattern": "((a))"}"#,
            "limits.pattern_size",
        ),
    ] {
        let compiler = Compiler::new().limits(Limits {
            model,
            ..Limits::default()
        });
        let error = compiler.compile(schema.as_bytes()).unwrap_err();
        assert_eq!(
            error.limit().map(|limit| limit.name.setting()),
            Some(setting)
        );
        assert_eq!(
            error.help(),
            Some(format!("the setting `{setting}` raises this limit"))
        );
    }
}

#[test]
fn registrations_are_read() {
    assert_eq!(
        registration("https://example.com/a?b=c#d=a.json").unwrap(),
        ("https://example.com/a?b=c", "a.json")
    );
    for wrong in ["", "a.json", "a=b.json", "https://example.com/a=", ":a=b"] {
        assert!(registration(wrong).is_err(), "{wrong}");
    }
    let documents = find("documents").unwrap();
    assert!(documents.apply(Compiler::new(), "urn:a=b").is_err());
    let compiler = Compiler::new().register("urn:a:b", b"true").unwrap();
    assert_eq!(documents.show(&compiler), "urn:a:b");
    assert_eq!(documents.default(), "");
}
