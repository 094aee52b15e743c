//! `toolgate diff`: classes, proofs, formats and exit codes.

use serde_json::Value;

use crate::run::{Dir, toolgate};

fn listing(schema: &str, description: &str) -> String {
    format!(
        "{{\"tools\": [{{\"name\": \"find\", \"description\": \"{description}\", \"inputSchema\": {schema}}}]}}"
    )
}

const OLD: &str = r#"{"type": "object", "properties": {"q": {"type": "string"}}}"#;
const NARROW: &str =
    r#"{"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}"#;

#[test]
fn a_break_is_shown_with_its_proof_and_fails() {
    let dir = Dir::new();
    let old = dir.file("old.json", &listing(OLD, "a"));
    let new = dir.file("new.json", &listing(NARROW, "a"));
    let run = toolgate(&["diff", &old, &new]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(
        run.stdout
            .contains("breaking    input: `q` is now required"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("worked before: {}"), "{}", run.stdout);
    let back = toolgate(&["diff", &new, &old]);
    assert_eq!(back.code, 0);
    assert!(
        back.stdout.contains("`q` is no longer required"),
        "{}",
        back.stdout
    );
    assert_eq!(toolgate(&["diff", "--fail-on", "any", &new, &old]).code, 1);
    let same = toolgate(&["diff", "--fail-on", "any", &old, &old]);
    assert_eq!(
        (same.code, same.stdout.contains("no change in 1 tool")),
        (0, true)
    );
}

/// A parameter that is no longer declared passes the gate with a warning, unless warnings fail it.
#[test]
fn a_dropped_parameter_is_a_warning_and_a_new_one_compatible() {
    let dir = Dir::new();
    let old = dir.file("old.json", &listing(OLD, "a"));
    let new = dir.file("new.json", &listing(r#"{"type": "object"}"#, "a"));
    let run = toolgate(&["diff", &old, &new]);
    let told = "warning     input: `q` is no longer declared";
    assert!(run.code == 0 && run.stdout.contains(told), "{}", run.stdout);
    let strict = ["diff", "--fail-on", "warning", &old, &new];
    assert_eq!(toolgate(&strict).code, 1);
    let back = toolgate(&["diff", &new, &old]);
    let told = "compatible  input: `q` is new";
    assert!(back.stdout.contains(told), "{}", back.stdout);
    assert_eq!(toolgate(&["diff", "--open", &new, &old]).code, 1);
}

/// A long text is shown by the words that changed, and whole in JSON.
#[test]
fn changed_descriptions_are_shown_word_by_word() {
    let dir = Dir::new();
    let long =
        "Finds the pages that match all words of the query, the newest first, twenty at most.";
    let old = dir.file("old.json", &listing(OLD, long));
    let new = dir.file("new.json", &listing(OLD, &long.replace("newest", "oldest")));
    let run = toolgate(&["diff", &old, &new]);
    let told = "… all words of the query, the [-newest-] {+oldest+} first, twenty at most.";
    assert!(run.stdout.contains(told), "{}", run.stdout);
    let run = toolgate(&["diff", "--format", "json", &old, &new]);
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    let change = &document["tools"][0]["changes"][0];
    assert_eq!(change["before"], long);
    assert_eq!(
        change["words"][1],
        serde_json::json!({"removed": "newest "})
    );
}

#[test]
fn machines_get_json_and_workflow_commands() {
    let dir = Dir::new();
    let old = dir.file("old.json", &listing(OLD, "a"));
    let new = dir.file("new.json", &listing(NARROW, "b"));
    let run = toolgate(&["diff", "--format", "json", &old, &new]);
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (document["version"].as_u64(), document["exit"].as_u64()),
        (Some(1), Some(1))
    );
    assert_eq!(document["class"], "breaking");
    let changes = document["tools"][0]["changes"].as_array().unwrap();
    assert_eq!(changes[0]["witness"], serde_json::json!({}));
    assert!(
        changes
            .iter()
            .any(|change| change["aspect"] == "words" && change["class"] == "compatible")
    );
    let commands = toolgate(&["diff", "--format", "github", &old, &new]).stdout;
    assert!(commands.starts_with("::error file="), "{commands}");
    assert_eq!(commands.lines().count(), 1);
}

#[test]
fn what_is_no_listing_is_refused() {
    let dir = Dir::new();
    let old = dir.file("old.json", &listing(OLD, "a"));
    for text in ["{", "{}", r#"{"mcpServers": {}}"#] {
        let other = dir.file("other.json", text);
        assert_eq!(toolgate(&["diff", &old, &other]).code, 2, "{text}");
    }
    assert_eq!(toolgate(&["diff", "-", "-"]).code, 2);
}

/// GitHub shows few annotations; of very many the first are printed and the others counted.
#[test]
fn github_gets_few_commands_and_the_number_of_the_others() {
    let dir = Dir::new();
    let listing = |name: &str, of: &str| {
        let tool = |number: usize| {
            let property =
                format!(r#"{{"type": "object", "properties": {{"a": {{"type": "{of}"}}}}}}"#);
            format!(r#"{{"name": "t{number}", "description": "b", "inputSchema": {property}}}"#)
        };
        let tools: Vec<String> = (0..60).map(tool).collect();
        dir.file(name, &format!("[{}]", tools.join(", ")))
    };
    let old = listing("old.json", "string");
    let new = listing("new.json", "integer");
    let bad = listing("bad.json", "strin");
    let commands: [&[&str]; 3] = [&["diff", &old, &new], &["check", &bad], &["lint", &bad]];
    for command in commands {
        let github = [command, &["--format", "github"]].concat();
        let few = toolgate(&github).stdout;
        assert_eq!(few.matches("::error ").count(), 50, "{few}");
        assert!(few.contains("::10 errors"), "{few}");
        assert!(few.contains("not printed; `--all` prints them"), "{few}");
        let all = toolgate(&[github.as_slice(), &["--all"]].concat()).stdout;
        assert_eq!(all.matches("::error ").count(), 60);
        assert!(!all.contains("not printed"));
    }
}
