//! Schemas that are made to be costly, and that the same options give the same instances.

use toolsure_generate::{Compiler, Generator, Options, Satisfiable};

fn towers() -> Vec<(&'static str, String)> {
    let nested = |keyword: &str, levels: usize| {
        let mut schema = "{\"type\":\"string\"}".to_owned();
        for _ in 0..levels {
            schema = format!("{{\"{keyword}\":[{schema},{schema}]}}");
        }
        schema
    };
    let references = (0..40)
        .map(|at| {
            let next = at + 1;
            format!("\"a{at}\":{{\"anyOf\":[{{\"$ref\":\"#/$defs/a{next}\"}},{{\"$ref\":\"#/$defs/a{next}\"}}]}}")
        })
        .collect::<Vec<_>>()
        .join(",");
    let branches: Vec<String> = (0..3_000).map(|n| format!("{{\"const\":{n}}}")).collect();
    let typed: Vec<String> = (0..3_000)
        .map(|n| {
            format!("{{\"type\":\"object\",\"properties\":{{\"a{n}\":{{\"type\":\"string\"}}}}}}")
        })
        .collect();
    let values: Vec<String> = (0..20_000).map(|n| n.to_string()).collect();
    let members: Vec<String> = (0..5_000)
        .map(|n| format!("\"m{n}\":{{\"enum\":[1,2]}}"))
        .collect();
    vec![
        ("5,000 members", format!("{{\"type\":\"object\",\"properties\":{{{}}}}}", members.join(","))),
        ("2^8 branches", nested("oneOf", 8)),
        ("2^10 conjuncts", nested("allOf", 10)),
        ("2^40 ways", format!("{{\"$ref\":\"#/$defs/a0\",\"$defs\":{{{references},\"a40\":true}}}}")),
        ("3,000 branches", format!("{{\"anyOf\":[{}]}}", branches.join(","))),
        (
            "3,000 branches with members, beside many values",
            format!("{{\"enum\":[{}],\"anyOf\":[{}]}}", values.join(","), typed.join(",")),
        ),
        ("a long string", r#"{"type": "string", "minLength": 1000000000}"#.to_owned()),
        ("a long array", r#"{"type": "array", "minItems": 1000000000}"#.to_owned()),
        ("many members", r#"{"type": "object", "minProperties": 1000000000}"#.to_owned()),
        ("tiny steps", r#"{"multipleOf": 1e-300, "minimum": 1e300}"#.to_owned()),
        ("endless recursion", r##"{"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#"}}}"##.to_owned()),
        ("a costly pattern", r#"{"pattern": "^(a|b|ab)*c{1,900}(?=x)"}"#.to_owned()),
        ("patterns of names", r#"{"minProperties": 300, "propertyNames": {"pattern": "^[a-c]{1,2}$"}}"#.to_owned()),
        ("unique items", r#"{"type": "array", "minItems": 500, "uniqueItems": true, "items": {"type": "boolean"}}"#.to_owned()),
    ]
}

#[test]
fn work_is_bounded_and_the_same_each_time() {
    for (name, schema) in towers() {
        let Ok(generator) = Generator::new(&Compiler::new(), schema.as_bytes()) else {
            continue;
        };
        let options = Options {
            attempts: 500,
            ..Options::default()
        };
        let (one, other) = (generator.instances(&options), generator.instances(&options));
        assert_eq!(one.valid, other.valid, "{name}");
        assert_eq!(one.invalid, other.invalid, "{name}");
        let most = options.bytes * 3;
        assert!(one.valid.iter().all(|one| one.text.len() < most), "{name}");
    }
}

#[test]
fn what_nothing_matches_is_proved() {
    for schema in [
        "false",
        r#"{"type": "integer", "minimum": 2, "maximum": 1}"#,
        r#"{"allOf": [{"type": "string"}, {"type": "integer"}]}"#,
        r##"{"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#"}}}"##,
        r#"{"enum": []}"#,
        r#"{"type": "array", "minItems": 1, "prefixItems": [false]}"#,
    ] {
        let Ok(generator) = Generator::new(&Compiler::new(), schema.as_bytes()) else {
            continue;
        };
        let instances = generator.instances(&Options::default());
        assert!(
            matches!(instances.satisfiable, Satisfiable::No(_)),
            "{schema}"
        );
    }
}

/// Where the depth of values would take too long to find, nothing is ruled out.
#[test]
fn what_is_not_known_is_possible() {
    let all = |count: usize, piece: &dyn Fn(usize) -> String| -> String {
        (0..count).map(piece).collect::<Vec<_>>().join(",")
    };
    let members = all(300, &|n| {
        format!("\"p{n}\":{{\"$ref\":\"#/$defs/d{}\"}}", n % 150)
    });
    let names = all(300, &|n| format!("\"p{n}\""));
    // Each is known only once the one before is.
    let chain = all(150, &|n| match n {
        0 => "\"d0\":{\"type\":\"string\"}".to_owned(),
        _ => format!("\"d{n}\":{{\"$ref\":\"#/$defs/d{}\"}}", n - 1),
    });
    let schema = format!(
        "{{\"type\":\"object\",\"properties\":{{{members}}},\"required\":[{names}],\"$defs\":{{{chain}}}}}"
    );
    let generator = Generator::new(&Compiler::new(), schema.as_bytes()).unwrap();
    let instances = generator.instances(&Options::default());
    assert_eq!(instances.satisfiable, Satisfiable::Yes);
}
