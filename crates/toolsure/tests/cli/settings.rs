//! Schema settings: the same flags in every command that compiles, with their true defaults.

use toolsure_schema::settings::{self, Kind};

use crate::run::{Dir, toolsure};

/// The help of every command that compiles has every setting with its default.
#[test]
fn help_texts_have_every_setting_with_its_default() {
    for command in ["validate", "test", "check", "lint", "diff"] {
        let help = toolsure(&[command, "--help"]).stdout;
        let words: Vec<&str> = help.split_whitespace().collect();
        let help = words.join(" ");
        for setting in settings::ALL {
            let default = match setting.name() {
                // `lint` finds defaults that break a format; `diff` counts a format as contract.
                "formats" if ["lint", "diff"].contains(&command) => "assert".to_owned(),
                name => match LOCAL.into_iter().find(|(local, _)| *local == name) {
                    Some((_, default)) if ["validate", "test"].contains(&command) => {
                        default.to_owned()
                    }
                    _ => setting.default(),
                },
            };
            let told = match setting.name().strip_prefix("limits.") {
                Some(name) => format!("- {name} [default: {default}]: {}", setting.help()),
                None if setting.kind() == Kind::Documents => continue,
                None => format!("[default: {default}]"),
            };
            assert!(help.contains(&told), "{command}: {told} in\n{help}");
        }
    }
    let help = toolsure(&["validate", "--help"]).stdout;
    let words: Vec<&str> = help.split_whitespace().collect();
    for (flag, name) in [
        ("fuel", "limits.fuel"),
        ("max-instance-bytes", "limits.instance.bytes"),
    ] {
        let (_, about) = words
            .join(" ")
            .split_once(&format!("--{flag} <N>"))
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .unwrap();
        let (_, shown) = about.split_once("[default: ").unwrap();
        let (shown, _) = shown.split_once(']').unwrap();
        let (_, default) = LOCAL.into_iter().find(|(local, _)| *local == name).unwrap();
        assert_eq!(shown, default, "{flag}");
    }
}

/// The defaults of commands that read instances from files, where they are others.
const LOCAL: [(&str, &str); 5] = [
    (
        "limits.fuel",
        "256 for each byte of the instance, at least 2000000",
    ),
    ("limits.evaluation_depth", "1000"),
    ("limits.instance.bytes", "1 GiB"),
    ("limits.instance.depth", "512"),
    ("limits.instance.nodes", "536870913"),
];

/// Schemas that refer to a registered document, exceed a limit, or are of an older draft.
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
        let run = toolsure(&[command, file]);
        assert_eq!(run.code, refused, "{command}: {}", run.stdout);
        let run = toolsure(&[command, "--register", &register, file]);
        assert_eq!(run.code, 0, "{command}: {}", run.stdout);
        let args = [
            command,
            "--register",
            &register,
            "--limit",
            "subschemas=1",
            file,
        ];
        let run = toolsure(&args);
        assert_eq!(run.code, refused, "{command}: {}", run.stdout);
        let told = "raise it with `--limit subschemas=N`";
        assert!(run.stdout.contains(told), "{command}: {}", run.stdout);
        let run = toolsure(&[
            command,
            "--register",
            "https://example.com/money=none.json",
            file,
        ]);
        assert_eq!(run.code, 2, "{command}: {}", run.stderr);
        let run = toolsure(&[command, "--limit", "subschema=1", file]);
        assert!(run.code == 2 && run.stderr.contains("did you mean `limits.subschemas`?"));
    }
    let bounds = r#"{"type": "object", "properties": {"a": {"type": "number", "minimum": 0, "exclusiveMinimum": true}}}"#;
    let listing = dir.file(
        "draft4.json",
        &format!(r#"[{{"name": "a", "description": "b", "inputSchema": {bounds}}}]"#),
    );
    for command in ["check", "lint"] {
        assert!(toolsure(&[command, &listing]).code > 0);
        let run = toolsure(&[command, "--dialect", "draft4", &listing]);
        assert_eq!(run.code, 0, "{command}: {}", run.stdout);
    }
    assert_eq!(
        toolsure(&["check", "--strictness", "lenient", &listing]).code,
        0
    );
}

/// The same for `diff`, which compiles the schemas of two listings.
#[test]
fn settings_reach_the_compiler_of_diff() {
    let dir = Dir::new();
    let money = dir.file("money.json", r#"{"type": "number"}"#);
    let register = format!("https://example.com/money={money}");
    let listing = |name: &str, rest: &str| {
        let money = r#""a": {"$ref": "https://example.com/money"}"#;
        let schema = format!(r#"{{"type": "object", "properties": {{{money}{rest}}}}}"#);
        let tool = format!(r#"[{{"name": "a", "description": "b", "inputSchema": {schema}}}]"#);
        dir.file(name, &tool)
    };
    let old = listing("old.json", r#", "b": {"type": "string"}"#);
    let new = listing("new.json", r#", "b": {"type": "string", "format": "uuid"}"#);
    let diff = |args: &[&str]| {
        let args: Vec<&str> = ["diff", "--fail-on", "unknown"]
            .iter()
            .chain(args)
            .chain([&old.as_str(), &new.as_str()])
            .copied()
            .collect();
        toolsure(&args)
    };
    let run = diff(&[]);
    assert!(
        run.stdout.contains("both schemas are refused"),
        "{}",
        run.stdout
    );
    let registered = ["--register", register.as_str()];
    let run = diff(&registered);
    assert_eq!(run.code, 1);
    assert!(
        run.stdout.contains("`format` \"uuid\" is new"),
        "{}",
        run.stdout
    );
    let run = diff(&[registered[0], registered[1], "--formats", "annotate"]);
    assert_eq!(run.code, 0, "{}", run.stdout);
    for limit in ["subschemas=1", "schema-bytes=20"] {
        let run = diff(&[registered[0], registered[1], "--limit", limit]);
        assert_eq!(run.code, 1);
        let (name, _) = limit.split_once('=').unwrap();
        let told = format!("raise it with `--limit {}=N`", name.replace('-', "_"));
        assert!(run.stdout.contains(&told), "{}", run.stdout);
    }
    let run = diff(&["--register", "https://example.com/money=none.json"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    let run = diff(&["--limit", "subschema=1"]);
    assert!(run.code == 2 && run.stderr.contains("did you mean `limits.subschemas`?"));

    let bound = |name: &str, exclusive: &str| {
        let bound =
            format!(r#"{{"type": "number", "minimum": 0, "exclusiveMinimum": {exclusive}}}"#);
        let schema = format!(r#"{{"type": "object", "properties": {{"a": {bound}}}}}"#);
        let tool = format!(r#"[{{"name": "a", "description": "b", "inputSchema": {schema}}}]"#);
        dir.file(name, &tool)
    };
    let (old, new) = (bound("4a.json", "false"), bound("4b.json", "true"));
    let told = |args: &[&str]| {
        let all: Vec<&str> = std::iter::once(&"diff").chain(args).copied().collect();
        let all: Vec<&str> = all
            .into_iter()
            .chain([old.as_str(), new.as_str()])
            .collect();
        toolsure(&all).stdout
    };
    assert!(told(&[]).contains("both schemas are refused"));
    for draft4 in ["--dialect", "--default-dialect"] {
        let told = told(&[draft4, "draft4"]);
        assert!(
            told.contains("breaking") && told.contains("worked before"),
            "{told}"
        );
    }
    let told = told(&["--strictness", "lenient"]);
    assert!(
        told.contains("unknown") && told.contains("is left out"),
        "{told}"
    );
}

/// The tables of docs/schema-settings.md, made from the settings: all of them, then the words that some take.
fn reference() -> String {
    let mut text = String::from("| setting | takes | default | meaning |\n|---|---|---|---|\n");
    let mut words_of = String::from("\n| setting | word | meaning |\n|---|---|---|\n");
    for setting in settings::ALL {
        let name = setting.name();
        let flag = match (setting.kind(), name.strip_prefix("limits.")) {
            (Kind::Documents, _) => "--register URI=FILE".to_owned(),
            (_, Some(limit)) => format!("--limit {limit}=…"),
            (_, None) => format!("--{}", name.replace('_', "-")),
        };
        let takes = match setting.kind() {
            Kind::Word(words) => {
                for (word, help) in &words {
                    words_of.push_str(&format!("| `{flag}` | `{word}` | {help} |\n"));
                }
                let words = words.iter().map(|(word, _)| format!("`{word}`"));
                words.collect::<Vec<_>>().join(", ")
            }
            _ => setting.allowed(),
        };
        let default = match setting.default() {
            none if none.is_empty() => "none".to_owned(),
            default => format!("`{default}`"),
        };
        let help = setting.help();
        text.push_str(&format!("| `{flag}` | {takes} | {default} | {help} |\n"));
    }
    text + &words_of
}

/// A cell that is longer is not read.
#[test]
fn no_cell_of_the_page_of_settings_is_long() {
    let page = std::fs::read_to_string(SETTINGS_PAGE).unwrap();
    let rows = page.lines().filter(|line| line.starts_with('|'));
    for cell in rows.flat_map(|row| row.split('|')) {
        assert!(cell.trim().chars().count() <= 120, "{cell}");
    }
}

/// The reference page of the settings about schemas.
const SETTINGS_PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema-settings.md");

#[test]
fn the_page_of_settings_is_the_table_in_code() {
    let page = std::fs::read_to_string(SETTINGS_PAGE).unwrap();
    let (_, rest) = page.split_once("<!-- settings -->\n").unwrap();
    let (there, _) = rest.split_once("<!-- end of settings -->").unwrap();
    let table = reference();
    assert!(
        there == table,
        "between its marks, docs/schema-settings.md must have:\n{table}"
    );
}

/// If a table of README or docs gives the default of a setting, it is the true one.
#[test]
fn defaults_in_documents_are_true() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let folders = [format!("{root}/docs"), format!("{root}/docs/guard")];
    let docs = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let docs = docs.map(|entry| entry.unwrap().path());
    let mut pages: Vec<_> = docs
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.push(format!("{root}/README.md").into());
    let mut seen = 0;
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        let mut column = None;
        for line in text.lines() {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            if cells.len() < 4 {
                column = None;
                continue;
            }
            if let Some(found) = cells.iter().position(|cell| *cell == "default") {
                column = Some(found);
                continue;
            }
            // The first cell begins with the name; other lines only mention a setting.
            let name = cells[1].strip_prefix('`').unwrap_or_default();
            let name = name.split('`').next().unwrap_or_default();
            let name = if name == "fuel" { "limits.fuel" } else { name };
            let (Some(column), Ok(setting)) = (column, settings::find(name)) else {
                continue;
            };
            let guard = page
                .parent()
                .is_some_and(|folder| folder.ends_with("docs/guard"));
            let default = match name {
                "documents" => "none".to_owned(),
                // The guard is lenient, so that it keeps tools that work without it.
                "strictness" if guard => "lenient".to_owned(),
                _ => setting.default(),
            };
            let told = cells[column].trim_matches(['`', '"', '\'']);
            // Python's spelling of the default: `formats` is a boolean there.
            let told = match (name, told) {
                ("formats", "False") => "annotate",
                _ => told,
            };
            // The default of a tool's setting is the setting for all tools.
            if guard && told == "none" && line.contains(&format!("as `schemas.{name}`")) {
                continue;
            }
            assert_eq!(told, default, "{}: {line}", page.display());
            seen += 1;
        }
    }
    // Some limits are missing, because the guard has its own for messages.
    assert!(seen >= 20, "{seen}");
}
