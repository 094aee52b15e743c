//! Callers of the guard: settings that do not fit together, and what `--explain-access` says.

use crate::run::{Dir, toolsure};

const CONFIG: &str = r#"
[upstreams.a]
command = ["python3"]
[upstreams.b]
command = ["python3"]
[listen]
address = "127.0.0.1:0"

[[callers]]
token = "ci"
tools = ["a_read*", "@readOnlyHint", "!a_read_secret"]

[[callers]]
name = "admins"
group = "admins"

[[callers]]
subject = "svc-*"
upstreams = ["b"]
prompts = ["b_p"]
results = "audit"
calls = 10
per = "1 min"
burst = 5

[auth]
issuer = "https://id.example"
audiences = ["guard"]
tokens = { ci = "sha256:8a5edab282632443219e051e4ade2d1d5bbc671c781051bf1437897cbdfea0f1" }
"#;

#[test]
fn what_a_caller_may_use_is_explained_with_its_rule() {
    let dir = Dir::new();
    let file = dir.file("guard.toml", CONFIG);
    let explain = |words: &[&str]| {
        let run = toolsure(&[&["guard", "--config", &file, "--explain-access"], words].concat());
        assert_eq!(run.stderr, "", "{words:?}");
        (run.stdout.replace(&file, "guard.toml"), run.code)
    };
    for (words, expected, code) in [
        (
            &["ci", "a_read_file"][..],
            "a: a_read_file: allowed by `a_read*` of guard.toml:9 (callers 1)\n",
            0,
        ),
        (
            &["ci", "a_read_secret"],
            "a: a_read_secret: denied by `!a_read_secret` of guard.toml:9 (callers 1)\n",
            1,
        ),
        (
            &["token=ci", "b_write"],
            "b: b_write: depends on the annotations of the tool, which only the running guard knows\n",
            7,
        ),
        (
            &["subject=ann,group=admins", "b_write"],
            "b: b_write: allowed by guard.toml:13 (admins)\n",
            0,
        ),
        (
            &["ann", "a_read"],
            "a: a_read: not allowed: no rule matches this caller\n",
            1,
        ),
        (
            &["svc-1"],
            "a:\n  no rule matches this caller: it may use nothing\n\
             b:\n  guard.toml:17 (callers 3): prompts b_p; results audit; calls 10 per 1 min, burst 5\n",
            0,
        ),
    ] {
        let (text, found) = explain(words);
        assert_eq!(text, expected, "{words:?}");
        assert_eq!(found, code, "{words:?}");
    }
    for (caller, why) in [
        ("colour=red", "a caller has no `colour`"),
        ("token=nightly", "`auth.tokens` has no `nightly`"),
    ] {
        let run = toolsure(&["guard", "--config", &file, "--explain-access", caller]);
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains(why), "{}", run.stderr);
    }
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let server = "[upstreams.a]\ncommand = [\"python3\"]\n";
    let digest = "sha256:8a5edab282632443219e051e4ade2d1d5bbc671c781051bf1437897cbdfea0f1";
    for (text, expected) in [
        (
            "[listen]\naddress = \"0.0.0.0:0\"",
            "everybody who reaches `0.0.0.0:0` could use the guard",
        ),
        (
            "[[callers]]\ntools = [\"a\"]\n[listen]\naddress = \"127.0.0.1:0\"",
            "`[[callers]]` need callers that authenticate",
        ),
        (
            "[auth]\ntokens = { a = \"hush\" }\n[listen]\naddress = \"127.0.0.1:0\"",
            "the token `a` must be `sha256:`",
        ),
        (
            "[auth]\nissuer = \"https://id.example\"\n[listen]\naddress = \"127.0.0.1:0\"",
            "`auth.issuer` needs `auth.audiences`, or `listen.public_url`",
        ),
        (
            "[auth]\nissuer = \"https://id.example\"\naudiences = [\"a\"]\nalgorithms = [\"HS256\"]\n[listen]\naddress = \"127.0.0.1:0\"",
            "the algorithm `HS256` is not one of RS256",
        ),
        (
            "[auth]\nheader = \"X-User\"\n[listen]\naddress = \"127.0.0.1:0\"",
            "`auth.header` needs `listen.trusted_proxies`",
        ),
        (
            "[auth]\naudiences = [\"a\"]\n[listen]\naddress = \"127.0.0.1:0\"",
            "`auth.audiences` has no effect without `auth.issuer`",
        ),
        (
            "[auth]\nleeway = \"5 s\"\ntokens = { a = \"DIGEST\" }\n[listen]\naddress = \"127.0.0.1:0\"",
            "`auth.leeway` has no effect without `auth.issuer`",
        ),
        (
            "[auth]\ngroups_claim = \"roles\"\ntokens = { a = \"DIGEST\" }\n[listen]\naddress = \"127.0.0.1:0\"",
            "`auth.groups_claim` has no effect without `auth.issuer`",
        ),
        (
            "[admin]\ntoken = \"DIGEST\"",
            "`admin.token` has no effect without `admin.address`",
        ),
        (
            "[audit]\narguments = \"full\"",
            "`audit.arguments` has no effect without `audit.file`",
        ),
        (
            "[auth]\ntokens = { a = \"DIGEST\" }",
            "`auth.tokens` has no effect without `listen.address`",
        ),
        (
            "[listen]\naddress = \"127.0.0.1:0\"\ntls_client_ca = \"ca.pem\"",
            "`listen.tls_client_ca` needs `listen.tls_certificate`",
        ),
        (
            "[[callers]]\ntools = [\"@readonly\"]\n[auth]\ntokens = { a = \"DIGEST\" }\n[listen]\naddress = \"127.0.0.1:0\"",
            "`@readonly` is not a hint",
        ),
        (
            "[[callers]]\nupstreams = [\"c\"]\n[auth]\ntokens = { a = \"DIGEST\" }\n[listen]\naddress = \"127.0.0.1:0\"",
            "there is no upstream `c`",
        ),
        (
            "[[callers]]\ntoken = \"b\"\n[auth]\ntokens = { a = \"DIGEST\" }\n[listen]\naddress = \"127.0.0.1:0\"",
            "`auth.tokens` has no `b`",
        ),
        (
            "[[callers]]\ngroup = \"g\"\n[auth]\ntokens = { a = \"DIGEST\" }\n[listen]\naddress = \"127.0.0.1:0\"",
            "`group` matches no caller without `auth.issuer`",
        ),
        (
            "[[callers]]\ncertificate = \"x\"\n[auth]\ntokens = { a = \"DIGEST\" }\n[listen]\naddress = \"127.0.0.1:0\"",
            "`certificate` matches no caller without `listen.tls_client_ca`",
        ),
        (
            "[[callers]]\nresources = [\"!@destructiveHint\"]\n[auth]\ntokens = { a = \"DIGEST\" }\n[listen]\naddress = \"127.0.0.1:0\"",
            "`!@destructiveHint` stands for tools; resources have no hints",
        ),
        (
            "prefix = \"a_\"\n[[callers]]\ntools = [\"echo\"]\n[auth]\ntokens = { a = \"DIGEST\" }\n[listen]\naddress = \"127.0.0.1:0\"",
            "no name is like `echo`",
        ),
        (
            "[audit]\nsecrets = [\"bad\"]",
            "`bad` is not a JSON pointer",
        ),
        (
            "[[callers]]\ntool = [\"c\"]\n[auth]\ntokens = { a = \"DIGEST\" }\n[listen]\naddress = \"127.0.0.1:0\"",
            "did you mean `tools`?",
        ),
    ] {
        let dir = Dir::new();
        let text = text.replace("DIGEST", digest);
        let file = dir.file("guard.toml", &format!("{server}{text}\n"));
        let run = toolsure(&["guard", "--config", &file, "--check-config"]);
        assert_eq!(run.code, 2, "{text}: {}", run.stderr);
        assert!(run.stderr.contains(expected), "{text}: {}", run.stderr);
        assert!(!run.stderr.contains("hush"), "{}", run.stderr);
    }
    for text in [
        "[listen]\naddress = \"0.0.0.0:0\"\nopen = true",
        "[listen]\naddress = \"0.0.0.0:0\"\n[auth]\ntokens = { a = \"DIGEST DIGEST\" }",
    ] {
        let dir = Dir::new();
        let text = text.replace("DIGEST", digest);
        let file = dir.file("guard.toml", &format!("{server}{text}\n"));
        let run = toolsure(&["guard", "--config", &file, "--check-config"]);
        assert_eq!(run.code, 0, "{text}: {}", run.stderr);
    }
}

/// The page about callers shows these settings, and what is explained of them.
#[test]
fn the_page_shows_what_is_explained() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guard/callers.md");
    let page = std::fs::read_to_string(path).unwrap();
    let block = |mark: &str| {
        let (_, rest) = page.split_once(mark).unwrap();
        rest.split_once("```").unwrap().0.to_owned()
    };
    // The files and the variable are not here; the lines keep their numbers.
    let elsewhere = |line: &str| line.starts_with("tls_") || line.starts_with("headers");
    let settings = block("```toml\n");
    let lines = settings.lines();
    let lines: Vec<&str> = lines
        .map(|line| if elsewhere(line) { "#" } else { line })
        .collect();
    let dir = Dir::new();
    let file = dir.file("guard.toml", &lines.join("\n"));
    let shown = block("```console\n$ ");
    for command in shown.split("\n$ ") {
        let (command, expected) = command.split_once('\n').unwrap();
        let words = command.split(' ').skip(1);
        let words: Vec<&str> = words
            .map(|word| if word == "guard.toml" { &*file } else { word })
            .collect();
        let run = toolsure(&words);
        let found = run.stdout.replace(&file, "guard.toml");
        assert_eq!(
            found.trim_end(),
            expected.trim_end(),
            "{command}: {}",
            run.stderr
        );
    }
}
