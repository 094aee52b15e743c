//! Schema settings: the same flags in every command that compiles, with their true defaults.

use toolgate_schema::settings::{self, Kind};

use crate::run::{Dir, toolgate};

/// Every setting stands in the help of every command that compiles, with its default.
#[test]
fn help_texts_have_every_setting_with_its_default() {
    for command in ["validate", "check", "lint"] {
        let help = toolgate(&[command, "--help"]).stdout;
        let words: Vec<&str> = help.split_whitespace().collect();
        let help = words.join(" ");
        for setting in settings::ALL {
            let default = match setting.name() {
                // A linter finds the defaults that break a format.
                "formats" if command == "lint" => "assert".to_owned(),
                _ => setting.default(),
            };
            let told = match setting.name().strip_prefix("limits.") {
                Some(name) => format!("- {name} [default: {default}]: {}", setting.help()),
                None if setting.kind() == Kind::Documents => continue,
                None => format!("[default: {default}]"),
            };
            assert!(help.contains(&told), "{command}: {told} in\n{help}");
        }
    }
    let help = toolgate(&["validate", "-h"]).stdout;
    let help: Vec<&str> = help.split_whitespace().collect();
    for (flag, setting) in [
        ("fuel", "limits.fuel"),
        ("max-instance-bytes", "limits.instance.bytes"),
    ] {
        let (_, about) = help
            .join(" ")
            .split_once(&format!("--{flag} <N>"))
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .unwrap();
        let (_, shown) = about.split_once("[default: ").unwrap();
        let (shown, _) = shown.split_once(']').unwrap();
        assert_eq!(shown, settings::find(setting).unwrap().default(), "{flag}");
    }
}

/// A schema that refers to a registered document, is of an older draft, and over a limit.
#[test]
fn settings_reach_the_compiler_of_every_command() {
    let dir = Dir::new();
    let money = dir.file("money.json", r#"{"type": "number"}"#);
    let register = format!("https://example.com/money={money}");
    let schema =
        r#"{"type": "object", "properties": {"a": {"$ref": "https://example.com/money"}}}"#;
    let single = dir.file("schema.json", schema);
    let listing = dir.file(
        "listing.json",
        &format!(r#"[{{"name": "a", "description": "b", "inputSchema": {schema}}}]"#),
    );
    for (command, file, refused) in [
        ("validate", &single, 6),
        ("check", &listing, 6),
        ("lint", &listing, 1),
    ] {
        let run = toolgate(&[command, file]);
        assert_eq!(run.code, refused, "{command}: {}", run.stdout);
        let run = toolgate(&[command, "--register", &register, file]);
        assert_eq!(run.code, 0, "{command}: {}", run.stdout);
        let args = [
            command,
            "--register",
            &register,
            "--limit",
            "subschemas=1",
            file,
        ];
        let run = toolgate(&args);
        assert_eq!(run.code, refused, "{command}: {}", run.stdout);
        let told = "raise it with `--limit subschemas=N`";
        assert!(
            command == "lint" || run.stdout.contains(told),
            "{command}: {}",
            run.stdout
        );
        let run = toolgate(&[
            command,
            "--register",
            "https://example.com/money=none.json",
            file,
        ]);
        assert_eq!(run.code, 2, "{command}: {}", run.stderr);
        let run = toolgate(&[command, "--limit", "subschema=1", file]);
        assert!(run.code == 2 && run.stderr.contains("did you mean `limits.subschemas`?"));
    }
    let bounds = r#"{"type": "object", "properties": {"a": {"type": "number", "minimum": 0, "exclusiveMinimum": true}}}"#;
    let listing = dir.file(
        "draft4.json",
        &format!(r#"[{{"name": "a", "description": "b", "inputSchema": {bounds}}}]"#),
    );
    for command in ["check", "lint"] {
        assert!(toolgate(&[command, &listing]).code > 0);
        let run = toolgate(&[command, "--dialect", "draft4", &listing]);
        assert_eq!(run.code, 0, "{command}: {}", run.stdout);
    }
    assert_eq!(
        toolgate(&["check", "--strictness", "lenient", &listing]).code,
        0
    );
}
