//! `toolsure.toml`, `--allow CODE@TOOL` and baselines, in every command that has findings.

use serde_json::Value;

use crate::run::{Dir, toolsure};

/// Two tools without descriptions: one has a misspelt keyword, the other an unresolved reference.
const LISTING: &str = r##"{"tools": [
  {"name": "find_pages", "inputSchema": {"type": "object", "properties": {"q": {"type": "string", "minLenght": 1, "description": "w"}}}},
  {"name": "admin", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "#/$defs/none", "description": "w"}}}}
]}"##;

/// Runs a command: its exit code, the codes and tools of its findings, its remarks on the policy.
fn found(args: &[&str]) -> (i32, Vec<String>, Vec<String>) {
    let run = toolsure(&[args, &["--format", "json"]].concat());
    let Ok(document) = serde_json::from_str::<Value>(&run.stdout) else {
        return (run.code, vec![run.stderr], Vec::new());
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut findings = Vec::new();
    for report in document["reports"].as_array().unwrap() {
        let all = report["findings"].as_array().cloned().unwrap_or_default();
        findings.extend(
            all.iter()
                .map(|one| format!("{}@{}", text(&one["code"]), text(&one["tool"]))),
        );
        for tool in report["tools"].as_array().into_iter().flatten() {
            let all = tool["findings"].as_array().unwrap();
            findings.extend(
                all.iter()
                    .map(|one| format!("{}@{}", text(&one["code"]), text(&tool["name"]))),
            );
        }
    }
    let remarks = document["configuration"].as_array().unwrap();
    let remarks = remarks
        .iter()
        .map(|one| format!("{}:{}", text(&one["code"]), one["line"]));
    (run.code, findings, remarks.collect())
}

#[test]
fn a_project_sets_levels_and_ignores_with_a_reason() {
    let dir = Dir::new();
    let listing = dir.file("tools.json", LISTING);
    let config = dir.file(
        "toolsure.toml",
        r#"
[levels]
misspelt-keyword = "warning"
TL077 = "note"
[[tools]]
name = "adm*"
levels = { unresolved-ref = "off" }
[[ignore]]
code = "TL006"
tool = "find_*"
reason = "its client shows none"
until = "2999-12-31"
[[ignore]]
code = "TL006"
tool = "admin"
reason = "until it has one"
until = "2020-01-01"
[[ignore]]
code = "TL040"
reason = "nothing is found"
"#,
    );
    let lint = ["lint", "--config", &config, "--level", "note", &listing];
    let (code, findings, remarks) = found(&lint);
    assert_eq!(code, 0, "no error is left: {findings:?}");
    for (there, finding) in [
        (true, "TL032@find_pages"),
        (true, "TL077@find_pages"),
        (false, "TL006@find_pages"),
        (true, "TL006@admin"),
        (false, "TL025@admin"),
    ] {
        assert_eq!(
            findings.contains(&finding.to_owned()),
            there,
            "{finding}: {findings:?}"
        );
    }
    assert_eq!(remarks, ["expired-ignore:13", "unused-ignore:18"]);
    assert_eq!(found(&[&lint[..], &["--fail-on", "warning"]].concat()).0, 1);
    // A flag overrides the file.
    let denied = found(&[&lint[..], &["--deny", "TL032"]].concat());
    assert_eq!(denied.0, 1);

    let check = found(&["check", "--config", &config, &listing]);
    assert_eq!((check.0, check.1), (0, Vec::<String>::new()));
    assert_eq!(
        check.2,
        ["expired-ignore:13"],
        "codes of other commands are theirs"
    );
}

#[test]
fn a_flag_ignores_a_code_of_some_tools() {
    let dir = Dir::new();
    let listing = dir.file("tools.json", LISTING);
    let lint = |allow: &str| found(&["lint", "--no-config", "--allow", allow, &listing]);
    let (_, findings, remarks) = lint("TL006@find_*,tl032");
    assert!(
        !findings.iter().any(|one| one.ends_with("@find_pages")),
        "{findings:?}"
    );
    assert!(findings.contains(&"TL006@admin".to_owned()));
    assert!(remarks.is_empty(), "{remarks:?}");
    assert_eq!(lint("TL006@other").2, ["unused-ignore:null"]);
    let (code, said, _) = lint("TL999@x");
    assert!(
        code == 2 && said[0].contains("there is no rule `TL999`"),
        "{said:?}"
    );
    let check = found(&["check", "--allow", "unresolved-ref@admin", &listing]);
    assert_eq!((check.0, check.1.len()), (0, 0));
    let other = dir.file(
        "new.json",
        &LISTING.replace("\"minLenght\": 1, ", "\"minLength\": 9, "),
    );
    assert_eq!(toolsure(&["diff", &listing, &other]).code, 1);
    assert_eq!(
        toolsure(&[
            "diff",
            "--allow",
            "schema-narrowed@find_pages",
            &listing,
            &other
        ])
        .code,
        0
    );
}

/// Findings beyond the limits have no location, so a baseline does not know them; codes do.
#[test]
fn what_is_only_counted_can_be_ignored_by_its_code() {
    let dir = Dir::new();
    let properties =
        (0..301).map(|n| format!(r#""p{n}": {{"type": "strin", "description": "d"}}"#));
    let properties: Vec<String> = properties.collect();
    let listing = dir.file(
        "tools.json",
        &format!(
            r#"{{"tools": [{{"name": "t", "description": "d", "inputSchema": {{"type": "object", "properties": {{{}}}}}}}]}}"#,
            properties.join(", ")
        ),
    );
    let baseline = dir.path("baseline.json");
    let lint = |more: &[&str]| toolsure(&[&["lint"], more, &[&*listing]].concat());
    assert_eq!(lint(&["--baseline", &baseline, "--write-baseline"]).code, 0);
    let run = lint(&["--baseline", &baseline]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("1 more not listed"), "{}", run.stdout);
    let run = lint(&["--allow", "TL027"]);
    assert_eq!(run.code, 0);
    assert!(run.stdout.contains("nothing to say"), "{}", run.stdout);
}

/// The baseline identifies a finding by what it is about, so lines may move.
#[test]
fn a_baseline_leaves_only_what_is_new() {
    let dir = Dir::new();
    let listing = dir.file("tools.json", LISTING);
    let baseline = dir.path("baseline.json");
    let run = |command: &str, more: &[&str], file: &str| {
        found(&[&[command, "--baseline", &baseline], more, &[file]].concat())
    };
    for command in ["lint", "check"] {
        assert_eq!(run(command, &["--write-baseline"], &listing).0, 0);
        assert_eq!(
            run(command, &[], &listing),
            (0, Vec::new(), Vec::new()),
            "{command}"
        );
    }
    let moved = format!(
        "\n\n{}",
        LISTING.replace(
            "{\"name\": \"admin\"",
            "\n{\"title\": \"t\", \"name\": \"admin\""
        )
    );
    let moved = dir.file("moved.json", &moved);
    assert_eq!(run("lint", &[], &moved).1, Vec::<String>::new());
    let worse = dir.file(
        "worse.json",
        &LISTING.replace(
            "\"type\": \"string\"",
            "\"type\": \"string\", \"patern\": \"x\"",
        ),
    );
    assert_eq!(run("lint", &[], &worse).1, ["TL032@find_pages"]);
    let better = dir.file("better.json", &LISTING.replace("minLenght", "minLength"));
    assert_eq!(
        run("lint", &[], &better),
        (0, Vec::new(), vec!["unused-baseline:1".to_owned()])
    );
    assert_eq!(toolsure(&["lint", "--write-baseline", &listing]).code, 2);
    let told = toolsure(&["lint", "--baseline", &baseline, &worse]);
    let document = toolsure(&["lint", "--format", "json", "--baseline", &baseline, &worse]).stdout;
    let document: Value = serde_json::from_str(&document).unwrap();
    let known = document["known"].as_u64().unwrap();
    let line = format!("{baseline}: {known} known; findings in the baseline are not shown\n");
    assert!(
        known > 1 && told.stderr.contains(&line),
        "{line}{}",
        told.stderr
    );
    // A listing without findings leaves an empty list, and the other command's list as it is.
    let clean = dir.file("clean.json", r#"{"tools": []}"#);
    assert_eq!(run("lint", &["--write-baseline"], &clean).0, 0);
    assert_ne!(run("lint", &[], &listing).1, Vec::<String>::new());
    assert_eq!(run("check", &[], &listing).1, Vec::<String>::new());
}

/// What is wrong with a baseline is told with the flag or the file that names it, and how to get one.
#[test]
fn an_unusable_baseline_names_who_asked_for_it() {
    let dir = Dir::new();
    let listing = dir.file("tools.json", LISTING);
    let missing = dir.path("none.json");
    let config = dir.file("toolsure.toml", "baseline = \"none.json\"\n");
    for (text, why) in [
        (None, "cannot be read: "),
        (Some("{"), "is not JSON: "),
        (Some("{\"version\": 2}"), "is not a baseline of version 1"),
    ] {
        if let Some(text) = text {
            std::fs::write(&missing, text).unwrap();
        }
        for (flags, by) in [
            (["--baseline", &missing], "--baseline"),
            (["--config", &config], config.as_str()),
        ] {
            for command in ["check", "lint"] {
                let run = toolsure(&[command, flags[0], flags[1], &listing]);
                let told = format!("the baseline `{missing}`, which `{by}` names, {why}");
                assert_eq!(run.code, 2, "{}", run.stderr);
                assert!(run.stderr.contains(&told), "{told}\n{}", run.stderr);
                assert!(
                    run.stderr.contains("`--write-baseline` writes one"),
                    "{}",
                    run.stderr
                );
            }
        }
    }
}

/// `--exit-zero` is for findings: what could not be looked at keeps its code, in the output too.
#[test]
fn exit_zero_changes_the_code_of_findings_only() {
    let dir = Dir::new();
    let good = dir.file(
        "good.json",
        r#"[{"name": "find", "inputSchema": {"type": "object"}}]"#,
    );
    let bad = dir.file(
        "bad.json",
        r#"[{"name": "find", "inputSchema": {"type": "objec"}}]"#,
    );
    let none = dir.path("none.json");
    for (args, found, told) in [
        (vec!["check", &bad], 6, 0),
        (vec!["lint", &bad], 1, 0),
        (vec!["diff", &good, &bad], 1, 0),
        (vec!["check", &none], 2, 2),
        (vec!["lint", &none], 2, 2),
        (vec!["check", "--", "/no/such/program"], 4, 4),
        (vec!["diff", &good, "--", "/no/such/program"], 4, 4),
    ] {
        assert_eq!(toolsure(&args).code, found, "{args:?}");
        let zero = [&args[..1], &["--exit-zero", "--format", "json"], &args[1..]].concat();
        let run = toolsure(&zero);
        assert_eq!(run.code, told, "{args:?}");
        if let Ok(document) = serde_json::from_str::<Value>(&run.stdout) {
            assert_eq!(document["exit"], told, "{args:?}");
        }
    }
}

#[test]
fn mistakes_in_the_file_are_told_with_their_line() {
    let dir = Dir::new();
    let listing = dir.file("tools.json", "[]");
    for (text, told) in [
        (
            "profils = []",
            "toml:1: there is no key `profils`; did you mean `profiles`?",
        ),
        (
            "profiles = [\n\"opnai\"]",
            "toml:2: there is no profile `opnai`; did you mean `openai`?",
        ),
        (
            "[levels]\nTL0061 = \"off\"",
            "toml:2: there is no rule or code `TL0061`; did you mean",
        ),
        (
            "[levels]\nTL065x = \"off\"",
            "toml:2: there is no rule or code `TL065x`; did you mean `TL065`?",
        ),
        (
            "[levels]\nTL006 = \"off\"\nno-anotations = \"error\"",
            "toml:3: there is no rule or code `no-anotations`; did you mean `no-annotations`?",
        ),
        (
            "[levels]\nTL006 = \"of\"",
            "toml:2: there is no level `of`; did you mean `off`?",
        ),
        ("[[ignore]]\ncode = \"TL006\"", "missing field `reason`"),
        (
            "[[ignore]]\ncode = \"TL006\"\nreason = \" \"",
            "an ignore needs a `reason`",
        ),
        (
            "[[ignore]]\ncode = \"TL006\"\nreason = \"x\"\nuntil = \"2026-02-30\"",
            "such as 2027-03-31, found `2026-02-30`",
        ),
        (
            "[limits]\ndeth = 3",
            "toml:2: there is no limit `deth`; did you mean `depth`?",
        ),
        ("[limits]\ndepth = \"0\"", "must be a number from 1 to 512"),
        ("[", "toml:1: "),
    ] {
        let config = dir.file("toolsure.toml", text);
        let run = toolsure(&["lint", "--config", &config, &listing]);
        assert!(
            run.code == 2 && run.stderr.contains(told),
            "{text}: {}",
            run.stderr
        );
    }
}

/// Limits and documents take effect in the compiler; a flag overrides the file.
#[test]
fn limits_and_documents_of_the_file_reach_the_compiler() {
    let dir = Dir::new();
    std::fs::create_dir(dir.path("schemas")).unwrap();
    dir.file("schemas/a.json", r#"{"type": "integer"}"#);
    let schema = r#"{"type": "object", "properties": {"a": {"$ref": "https://example.com/a"}}}"#;
    let listing = dir.file(
        "tools.json",
        &format!(r#"[{{"name": "t", "inputSchema": {schema}}}]"#),
    );
    let config = dir.file(
        "toolsure.toml",
        "[documents]\n\"https://example.com/a\" = \"schemas/a.json\"\n[limits]\nsubschemas = 2\n",
    );
    let check =
        |more: &[&str]| toolsure(&[&["check", "--config", &config, &listing], more].concat());
    let run = check(&[]);
    assert!(
        run.code == 6 && run.stdout.contains("--limit subschemas=N"),
        "{}",
        run.stdout
    );
    assert_eq!(check(&["--limit", "subschemas=10"]).code, 0);
    let without = ["check", "--no-config", &listing];
    assert_eq!(toolsure(&without).code, 6, "the reference leads nowhere");
}
