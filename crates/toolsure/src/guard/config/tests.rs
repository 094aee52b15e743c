//! What the settings accept, refuse and report.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::*;
use toolsure_guard::policy::{
    BadResult, BadTools, ChangeMode, DriftMode, LegacyValues, Mode, Repair,
};
use toolsure_schema::settings as settings_of_engine;

/// A file for one test, removed when dropped.
struct Temporary(PathBuf);

impl Temporary {
    fn new(text: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("toolsure-config-{}-{count}.toml", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, text).unwrap();
        Self(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _nothing_to_do_about_it = std::fs::remove_file(&self.0);
    }
}

fn load(
    file: &str,
    environment: &[(&str, &str)],
    flags: &[(&str, &str)],
) -> Result<Config, Vec<String>> {
    load_with(file, environment, flags, Server::default())
}

fn load_with(
    file: &str,
    environment: &[(&str, &str)],
    flags: &[(&str, &str)],
    server: Server,
) -> Result<Config, Vec<String>> {
    let file = Temporary::new(file);
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let loaded = Config::load(&Sources {
        makes_locks: false,
        file: Some(&file.0),
        environment: environment.iter().map(owned).collect(),
        flags: flags
            .iter()
            .map(|(key, value)| Override::flag(format!("--set {key}"), key, *value))
            .collect(),
        server,
    });
    let name = format!("{}:", file.0.display());
    loaded.map_err(|faults| {
        let lines = faults.lines();
        lines.map(|line| line.replace(&name, "")).collect()
    })
}

fn faults(file: &str) -> Vec<String> {
    load(file, &[], &[]).err().unwrap_or_default()
}

const ONE: &str = "[upstreams.a]\ncommand = [\"x\"]\n";

#[test]
fn every_part_of_a_file_is_read() {
    let config = load(
        r#"
        [upstreams.files]
        command = ["npx", "server"]
        listen = "127.0.0.1:8081"
        env = { TOKEN = "${SECRET}", PLAIN = "1" }
        [upstreams.far]
        url = "http://127.0.0.1:1/mcp"
        headers = { Authorization = "Bearer ${SECRET}" }
        [listen]
        address = "127.0.0.1:8080"
        [policy]
        arguments = "audit"
        bad_tools = "reject-server"
        repair = true
        [limits]
        message = "1 MiB"
        pending = 10
        [times]
        call = "1500ms"
        [rate]
        calls = 5
        [[tools]]
        match = "delete_*"
        arguments = "enforce"
        bad_result = "flag"
        repair = false
        calls = 1
        per = "1 min"
        "#,
        &[("SECRET", "s3"), ("TOOLSURE_PORT", "tcp://10.0.0.1:80")],
        &[],
    );
    let config = config.unwrap_or_else(|faults| panic_with(&faults));
    let files = config.upstreams.get("files").unwrap();
    assert_eq!(
        files.env,
        [
            ("PLAIN".to_owned(), "1".to_owned()),
            ("TOKEN".to_owned(), "s3".to_owned())
        ]
    );
    assert_eq!(files.path.as_deref(), Some("/mcp"));
    let far = config.upstreams.get("far").unwrap();
    assert_eq!(
        far.headers,
        [("Authorization".to_owned(), "Bearer s3".to_owned())]
    );
    let policy = config.policy("far", far);
    assert_eq!(
        (policy.arguments, policy.results),
        (Mode::Audit, Mode::Enforce)
    );
    assert_eq!(policy.bad_tools, BadTools::RejectServer);
    assert_eq!(policy.repair, Repair::All);
    assert_eq!(policy.limits.message_bytes, 1 << 20);
    assert_eq!(policy.limits.pending, 10);
    assert_eq!(policy.request_timeout, Some(Duration::from_millis(1_500)));
    assert_eq!(policy.rate.map(|rate| rate.calls), Some(5));
    let rule = policy.tools.first().unwrap();
    assert_eq!(rule.name, "delete_*");
    assert_eq!((rule.arguments, rule.results), (Some(Mode::Enforce), None));
    assert_eq!(
        (rule.bad_result, rule.repair),
        (Some(BadResult::Flag), Some(Repair::Off))
    );
    assert_eq!(
        rule.rate.map(|rate| (rate.calls, rate.per)),
        Some((1, Duration::from_secs(60)))
    );
}

#[test]
fn faults_have_their_places_and_what_was_meant() {
    for (text, expected) in [
        (
            "[policy]\nresult = \"audit\"\n",
            &["2:1: there is no key `result` (did you mean `results`?)"][..],
        ),
        (
            "[polizy]\n",
            &["1:2: there is no section `polizy` (did you mean `policy`?)"],
        ),
        (
            "[policy]\nresults = \"enfroce\"\n",
            &[
                "2:11: `results`: expected `enforce`, `audit` or `off`, found `enfroce`; did you mean `enforce`?",
            ],
        ),
        (
            "[policy]\nrepair = 1\n",
            &["2:10: `repair`: expected `certain`, `all` or `off`, found `1`"],
        ),
        (
            "[limits]\nmessage = \"1 PiB\"\npending = 0\n",
            &[
                "2:11: `message`: expected bytes from 1 KiB to 1 GiB, found `1 PiB`",
                "3:11: `pending`: expected a number from 1 to 1000000, found less",
            ],
        ),
        (
            "[times]\ncall = 30\n",
            &[
                "2:8: `call`: expected a time from 100 ms to 24 h, found `30`: a time has a unit, such as \"30s\"",
            ],
        ),
        (
            "[times]\ncall = \"99999999999999999999999 h\"\n",
            &[
                "2:8: `call`: expected a time from 100 ms to 24 h, found `99999999999999999999999 h`",
            ],
        ),
        (
            "[listen]\naddress = \"localhost\"\n",
            &["2:11: `address`: expected an address `IP:PORT`, found `localhost`"],
        ),
        ("a = [\n", &["1:6: unclosed array, expected `]`"]),
        (
            "[[tools]]\nresults = \"off\"\n",
            &["1:1: a rule needs `match`, a pattern of tool names"],
        ),
        (
            "tools = 1\n",
            &["1:9: expected `[[tools]]`, a list of tables, found integer"],
        ),
        (
            "[upstreams.\"a b\"]\nurl = \"http://x/\"\n",
            &["1:12: `a b` cannot be an upstream's name: 1 to 64 letters, digits, `-` and `_`"],
        ),
        (
            "[upstreams.a]\ncommand = \"npx x\"\n",
            &["2:11: `command`: expected a list of strings, found `npx x`"],
        ),
        (
            "[upstreams.a]\nurl = \"http://x/\"\ncommand = [\"x\"]\n",
            &["1:12: upstream `a`: has both `command` and `url`"],
        ),
        (
            "[upstreams.a]\ncommand = [\"x\"]\nenv = { A = \"${NO}\" }\n",
            &["1:12: upstream `a`: the environment variable `NO` is not set"],
        ),
        (
            "[upstreams.a]\nurl = \"ftp://x/\"\n",
            &["1:12: upstream `a`: `ftp://x/` is not an http or https URL"],
        ),
        (
            "",
            &[
                "there is no server: give a command after `--`, `--upstream URL`, or `[upstreams.NAME]` in the file",
            ],
        ),
    ] {
        assert_eq!(faults(text), expected, "{text}");
    }
}

#[test]
fn upstreams_without_an_address_of_their_own_have_one_listing() {
    let load = |more: &str| {
        let config = load(&format!("{ONE}{more}"), &[], &[]);
        config.unwrap_or_else(|faults| panic_with(&faults))
    };
    let merged = |config: &Config| {
        let merged = config.merged().into_iter();
        let merged = merged.map(|(name, upstream)| Config::prefix(name, upstream));
        merged.collect::<Vec<_>>()
    };
    assert_eq!(merged(&load("")), [""; 0]);
    assert_eq!(merged(&load("prefix = \"x.\"\n")), ["x."]);
    let two = "[upstreams.b]\nurl = \"http://x/\"\nprefix = \"far-\"\n";
    assert_eq!(merged(&load(two)), ["a_", "far-"]);
    let apart = "[upstreams.b]\nurl = \"http://x/\"\nlisten = \"127.0.0.1:2\"\n[listen]\naddress = \"127.0.0.1:1\"\n";
    assert_eq!(merged(&load(apart)), [""; 0]);
}

#[test]
fn settings_that_do_not_fit_together_are_refused() {
    for (more, expected) in [
        (
            "[upstreams.b]\ncommand = [\"y\"]\nlisten = \"127.0.0.1:1\"\n",
            "with `upstreams.NAME.listen` the other upstreams need an address too, `listen.address`: standard input and output serve only one client",
        ),
        (
            "[upstreams.b]\ncommand = [\"y\"]\nprefix = \"a_\"\n",
            "1:12: the prefix `a_` of `a` begins with the prefix `a_` of `b`, so a tool name could belong to either",
        ),
        (
            "[upstreams.a_b]\ncommand = [\"y\"]\n",
            "3:12: the prefix `a_b_` of `a_b` begins with the prefix `a_` of `a`, so a tool name could belong to either",
        ),
        (
            "prefix = \"a b\"\n",
            "1:12: invalid prefix `a b` for `a`: expected 1 to 64 of the characters `A`-`Z`, `a`-`z`, `0`-`9`, `_`, `-` and `.`",
        ),
        (
            "prefix = \"a_\"\nlisten = \"127.0.0.1:1\"\n",
            "1:12: upstream `a`: `prefix` is for upstreams that share a listing, but this one has its own address",
        ),
        (
            "[upstreams.b]\ncommand = [\"y\"]\npath = \"/b\"\n",
            "3:12: upstream `b`: `path` needs the upstream's own address, `listen`; upstreams that share an address are served at `/mcp`",
        ),
        (
            "[listen]\ntls_key = \"k\"\naddress = \"127.0.0.1:0\"\n",
            "4:1: `listen.tls_certificate` and `listen.tls_key` go together",
        ),
        (
            "[listen]\naddress = \"127.0.0.1:1\"\n[admin]\naddress = \"127.0.0.1:1\"\n",
            "4:1: `127.0.0.1:1` is used twice; `listen.address`, `admin.address` and each `upstreams.NAME.listen` need different addresses",
        ),
        (
            "[log]\nlevel = \"loud\"\n",
            "4:1: `log.level`: `loud` is neither a level nor a list of `module=level`",
        ),
        (
            "[upstreams.b]
command = [\"y\"]
listen = \"127.0.0.1:2\"
[listen]
address = \"127.0.0.1:2\"
",
            "7:1: `127.0.0.1:2` is used twice; `listen.address`, `admin.address` and each `upstreams.NAME.listen` need different addresses",
        ),
        (
            "path = \"x\"
",
            "1:12: upstream `a`: `path` must start with `/` and have letters, digits and `-_.~/` only, found `x`",
        ),
        (
            "[[tools]]
match = \"\"
hidden = true
",
            "4:9: `match`: expected a string, found an empty string",
        ),
    ] {
        assert_eq!(faults(&format!("{ONE}{more}")), [expected], "{more}");
    }
}

#[test]
fn flags_beat_the_environment_which_beats_the_file() {
    let file =
        format!("{ONE}[policy]\nresults = \"off\"\narguments = \"off\"\nlisting = \"off\"\n");
    let environment = [
        ("TOOLSURE__POLICY__RESULTS", "audit"),
        ("TOOLSURE__POLICY__ARGUMENTS", "audit"),
    ];
    let config = load(&file, &environment, &[("policy.results", "enforce")]);
    let config = config.unwrap_or_else(|faults| panic_with(&faults));
    let policy = config.policy;
    assert_eq!(
        (policy.results, policy.arguments, policy.listing),
        (Mode::Enforce, Mode::Audit, Mode::Off)
    );
}

#[test]
fn the_environment_alone_is_enough() {
    let environment = [
        ("TOOLSURE__UPSTREAMS__MY_FILES__COMMAND", "[\"npx\", \"x\"]"),
        ("TOOLSURE__LIMITS__MESSAGE", "2MiB"),
    ];
    let config = load("", &environment, &[]).unwrap_or_else(|faults| panic_with(&faults));
    assert_eq!(
        config.upstreams.get("my_files").unwrap().command,
        ["npx", "x"]
    );
    assert_eq!(config.bounds.message_bytes, 2 << 20);
    // A variable's name cannot have a hyphen.
    let file = "[upstreams.my-files]\ncommand = [\"x\"]\n";
    let config = load(file, &environment, &[]).unwrap_or_else(|faults| panic_with(&faults));
    assert_eq!(config.upstreams.keys().collect::<Vec<_>>(), ["my-files"]);
}

#[test]
fn faults_outside_of_the_file_name_what_was_written() {
    let environment = [
        ("TOOLSURE__POLICY__RESULT", "audit"),
        ("TOOLSURE__LIMITS__PENDING", "many"),
    ];
    let found = load(ONE, &environment, &[("policy.drift", "refuse")])
        .err()
        .unwrap();
    assert_eq!(
        found,
        [
            "`TOOLSURE__LIMITS__PENDING`: expected a number from 1 to 1000000, found `many`",
            "`TOOLSURE__POLICY__RESULT`: there is no key `policy.result` (did you mean `policy.results`?)",
            "`--set policy.drift`: expected `enforce`, `audit` or `off`, found `refuse`",
        ]
    );
}

#[test]
fn a_lock_is_read_and_refuses_drift_unless_another_is_set() {
    let lock = Temporary::new(
        r#"{"version": 1, "tools": [{"name": "a", "inputSchema": {"type": "object"}}]}"#,
    );
    for (drift, expected) in [
        ("", (Mode::Enforce, ChangeMode::Hold)),
        (
            "[policy]\ndrift = \"audit\"\n",
            (Mode::Audit, ChangeMode::Hold),
        ),
        (
            "[policy.changes]\nwords = \"pass\"\n",
            (Mode::Enforce, ChangeMode::Pass),
        ),
    ] {
        let file = format!(
            "{drift}[upstreams.a]\ncommand = [\"x\"]\nlock = {:?}\n",
            lock.0.display().to_string()
        );
        let config = load(&file, &[], &[]).unwrap_or_else(|faults| panic_with(&faults));
        let policy = config.policy("a", config.upstreams.get("a").unwrap());
        assert_eq!((policy.drift.mode, policy.drift.changes.words), expected);
        assert!(policy.drift.lock.is_some());
        let review = policy.drift.review.unwrap();
        assert!(review.starts_with("`toolsure lock review "), "{review}");
    }
    assert_eq!(
        faults("[policy.changes]\nwords = \"pass\"\n[upstreams.a]\ncommand = [\"x\"]\n"),
        ["2:1: `policy.changes.words` has no effect without the `lock` of an upstream"]
    );
    let missing = faults("[upstreams.a]\ncommand = [\"x\"]\nlock = \"no-such-file\"\n");
    assert!(
        missing.len() == 1 && missing.iter().all(|line| line.contains("cannot read `")),
        "{missing:?}"
    );
}

#[test]
fn the_command_line_gives_one_server_and_the_file_none_then() {
    let server = Server {
        upstream: Some(Upstream::new(vec!["x".to_owned()], None, Vec::new())),
        ..Server::default()
    };
    let config =
        load_with("", &[], &[], server.clone()).unwrap_or_else(|faults| panic_with(&faults));
    let upstream = config.upstreams.get("server").unwrap();
    assert_eq!(upstream.path.as_deref(), Some("/mcp"));
    let found = load_with(ONE, &[], &[], server).err().unwrap();
    assert_eq!(
        found,
        [
            "`the server on the command line`: the settings already have a server, `a` (leave one of the two out)"
        ]
    );
}

/// The policy knows the era of the server, and what to do with values between legacy peers.
#[test]
fn the_policy_of_a_translated_upstream_knows_that_its_server_is_modern() {
    for (word, modern) in [
        ("off", false),
        ("legacy-clients", true),
        ("modern-clients", false),
    ] {
        let file = format!(
            "[upstreams.a]\ncommand = [\"x\"]\ntranslate = \"{word}\"\n[policy]\nlegacy_values = \"project\"\n"
        );
        let config = load(&file, &[], &[]).unwrap_or_else(|faults| panic_with(&faults));
        let policy = config.policy("a", config.upstreams.get("a").unwrap());
        assert_eq!(policy.translated_from_modern, modern, "{word}");
        assert_eq!(policy.legacy_values, LegacyValues::Project);
    }
    let plain = load(ONE, &[], &[]).unwrap_or_else(|faults| panic_with(&faults));
    let policy = plain.policy("a", plain.upstreams.get("a").unwrap());
    assert_eq!(policy.legacy_values, LegacyValues::Enforce);
}

#[test]
fn what_a_reload_cannot_change_is_named() {
    let old = load(ONE, &[], &[]).unwrap_or_else(|faults| panic_with(&faults));
    let new = "[upstreams.a]\ncommand = [\"y\"]\nenv = { A = \"1\" }\n[listen]\naddress = \"127.0.0.1:1\"\n[policy]\nresults = \"off\"\n[upstreams.b]\nurl = \"http://x/\"\nlisten = \"127.0.0.1:2\"\n";
    let new = load(new, &[], &[]).unwrap_or_else(|faults| panic_with(&faults));
    assert_eq!(
        old.fixed_changes(&new),
        ["listen.address", "upstreams.a.command", "upstreams.a.env"]
    );
    assert_eq!(old.fixed_changes(&old), [""; 0]);
}

fn panic_with(faults: &[String]) -> Config {
    panic!("{}", faults.join("\n"))
}

#[test]
fn session_keys_come_from_the_environment_or_a_file_and_are_in_no_message() {
    let long = "a key of more than thirty-two bytes";
    let config = load(
        &format!("{ONE}[sessions]\nkeys = [\"${{NEW}}\", \"${{OLD}}-{long}\"]"),
        &[("NEW", long), ("OLD", "old")],
        &[],
    );
    let config = config.unwrap_or_else(|faults| panic_with(&faults));
    let old = format!("old-{long}");
    assert_eq!(config.sessions.secrets, [long, old.as_str()]);
    let digits = "12345678901234567890123456789012";
    for value in [long, digits] {
        let config = load(ONE, &[("TOOLSURE__SESSIONS__KEYS", value)], &[]);
        let config = config.unwrap_or_else(|faults| panic_with(&faults));
        assert_eq!(config.sessions.secrets, [value]);
    }
    let with = |text: &str| {
        let file = Temporary::new(text);
        let name = file.0.display().to_string();
        load(&format!("{ONE}[sessions]\nkey_file = {name:?}"), &[], &[])
    };
    let config = with(&format!("# the newest first\n{long}2\n\n  {long}1  \n"));
    let config = config.unwrap_or_else(|faults| panic_with(&faults));
    assert_eq!(
        config.sessions.secrets,
        [format!("{long}2"), format!("{long}1")]
    );
    let none = with("# none\n").err().unwrap_or_default().join(" ");
    assert!(none.contains("there is no session key in"), "{none}");
    for (text, why) in [
        (
            "keys = \"hush-hush\"",
            "session key 1 has 9 bytes, not 32 to 1024",
        ),
        (
            "keys = [\"${NOT}\"]",
            "the environment variable `NOT` is not set",
        ),
        (
            "keys = \"x\"\nkey_file = \"y\"",
            "set only one of `sessions.keys` and `sessions.key_file`",
        ),
        ("key_file = \"not-there\"", "cannot read"),
    ] {
        let faults = faults(&format!("{ONE}[sessions]\n{text}")).join(" ");
        assert!(faults.contains(why), "{faults}");
        assert!(
            !faults.contains("hush") && !faults.contains("1234"),
            "{faults}"
        );
    }
}

#[test]
fn limits_hold_for_each_upstream_and_for_the_guard_in_front_of_several() {
    let file = format!(
        "{ONE}[limits]\nmessage = \"1 MiB\"\npending = 3\nfuel = 4000\nlisting = \"2 MiB\"\n[times]\ncall = \"7 s\"\nlist = \"3 s\"\n"
    );
    let config = load(&file, &[], &[]).unwrap();
    let (name, upstream) = config.upstreams.iter().next().unwrap();
    let judging = config.policy(name, upstream);
    assert_eq!(judging.request_timeout, Some(Duration::from_secs(7)));
    for policy in [judging, config.without_filters()] {
        assert_eq!(policy.limits.message_bytes, 1 << 20);
        assert_eq!(policy.limits.listing_bytes, 2 << 20);
        assert_eq!((policy.limits.pending, policy.limits.fuel), (3, 4_000));
        assert_eq!(policy.list_timeout, Duration::from_secs(3));
    }
}

/// Swaps two letters in the middle, or adds one to a name of fewer than four.
fn misspelled(name: &str) -> String {
    let mut letters: Vec<char> = name.chars().collect();
    let at = letters.len() / 2;
    match letters.len() > 3 && letters[at - 1] != letters[at] {
        true => letters.swap(at - 1, at),
        false => letters.push('x'),
    }
    letters.into_iter().collect()
}

/// A table, and the name in it, of each key; with the words that it takes.
fn names<T: 'static>(
    keys: impl Iterator<Item = &'static keys::Key<T>>,
    table: &str,
) -> Vec<(String, String, Vec<&'static str>)> {
    let one = |key: &keys::Key<T>| {
        let words = match &key.slot {
            slot::Slot::Word { words, .. } => words.to_vec(),
            slot::Slot::Choice(setting, _) => {
                let words = setting.words().iter();
                words
                    .copied()
                    .filter(|word| !matches!(*word, "true" | "false"))
                    .collect()
            }
            slot::Slot::Setting(name, _) => match settings_of_engine::find(name).unwrap().kind() {
                settings_of_engine::Kind::Word(words) => {
                    words.iter().map(|(word, _)| *word).collect()
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        match key.name.rsplit_once('.') {
            Some((section, name)) => (format!("[{section}]"), name.to_owned(), words),
            None => (table.to_owned(), key.name.to_owned(), words),
        }
    };
    keys.map(one).collect()
}

/// Each key and each word in the tables of keys, misspelled, in the file; and in the environment and
/// as a flag, which have no `[[tools]]`.
#[test]
fn each_misspelled_name_is_told_with_what_was_meant() {
    let mut all = names(keys::global(), "");
    all.extend(names(keys::UPSTREAM.iter(), "[upstreams.b]"));
    all.extend(names(keys::TOOL.iter(), "[[tools]]"));
    let meant = |told: Vec<String>, what: &str| {
        assert!(
            told.join("\n").contains("did you mean `"),
            "{what}: {told:?}"
        );
    };
    let mut words_seen = 0;
    for (table, name, words) in &all {
        let wrong = format!("{table}\n{} = 1\n", misspelled(name));
        meant(faults(&wrong), &wrong);
        let path = table.trim_matches(['[', ']']);
        let is_outside = path != "tools";
        let variable =
            |name: &str| format!("TOOLSURE__{}__{name}", path.replace('.', "__")).to_uppercase();
        if is_outside {
            let wrong = variable(&misspelled(name));
            meant(load(ONE, &[(&wrong, "1")], &[]).err().unwrap(), &wrong);
            let wrong = format!("{path}.{}", misspelled(name));
            meant(load(ONE, &[], &[(&wrong, "1")]).err().unwrap(), &wrong);
        }
        for word in words {
            words_seen += 1;
            let wrong = format!("{table}\n{name} = \"{}\"\n", misspelled(word));
            meant(faults(&wrong), &wrong);
            if is_outside {
                let told = load(ONE, &[(&variable(name), &misspelled(word))], &[]);
                meant(told.err().unwrap(), &wrong);
            }
        }
    }
    let tables = keys::sections().chain(["upstreams", "tools"]);
    for table in tables {
        let wrong = format!("[{}]\n", misspelled(table));
        meant(faults(&wrong), &wrong);
    }
    meant(faults("[schemas.limtis]\n"), "[schemas.limtis]");
    meant(faults("[log]\nlevel = \"inof\"\n"), "log.level");
    assert!(
        all.len() > 100 && words_seen > 50,
        "{} {words_seen}",
        all.len()
    );
}

#[test]
#[cfg(feature = "valkey")]
fn what_replicas_share() {
    let file = format!(
        "{ONE}[shared]\nstore = \"valkeys://store:6380/1\"\nkey = \"${{KEY}}\"\npassword = \"${{WORD}}\"\npins = \"refuse\"\nquarantine = \"0 ms\"\n"
    );
    let key = "of thirty-two bytes, or even more";
    let environment = [("KEY", key), ("WORD", "hush")];
    let config = load(&file, &environment, &[]).unwrap();
    let ready = config.shared.ready.clone().unwrap();
    assert_eq!(ready.secret, key);
    assert_eq!(ready.options.password.as_deref(), Some("hush"));
    assert_eq!(ready.options.prefix, "toolsure");
    assert_eq!(ready.terms.pins, DriftMode::Refuse);
    assert!(!ready.terms.quarantine);
    assert_eq!(
        config.fixed_changes(&load(ONE, &[], &[]).unwrap()),
        [
            "shared.store",
            "shared.password",
            "shared.key",
            "shared.pins",
            "shared.quarantine"
        ]
    );
    let secret = Temporary::new(&format!("  {key}\n"));
    let path = secret.0.display().to_string();
    let flags = [
        ("shared.store", "redis://[::1]"),
        ("shared.key_file", &path),
    ];
    let ready = load(ONE, &[], &flags).unwrap().shared.ready.unwrap();
    assert_eq!(ready.secret, key);

    assert!(load(ONE, &[], &[]).unwrap().shared.ready.is_none());
    for (flags, wrong) in [
        (
            &[("shared.pins", "refuse")][..],
            "`shared.pins` needs `shared.store`",
        ),
        (
            &[("shared.store", "valkey://store")],
            "`shared.store` needs `shared.key_file`",
        ),
        (
            &[
                ("shared.store", "valkey://store"),
                ("shared.key", "hush, hush"),
            ],
            "`shared.key` has 10 bytes, not 32 to 1024",
        ),
        (
            &[
                ("shared.store", "valkey://:hush@store"),
                ("shared.key", key),
            ],
            "must not have a user or a password",
        ),
        (
            &[
                ("shared.store", "valkey://store"),
                ("shared.key", key),
                ("shared.key_file", &path),
            ],
            "set only one of `shared.key` and `shared.key_file`",
        ),
        (
            &[
                ("shared.store", "valkey://store"),
                ("shared.key", key),
                ("shared.prefix", "{x}"),
            ],
            "the prefix `{x}` is not",
        ),
        (&[("shared.password_file", "/there/is/none")], "cannot read"),
        (
            &[("shared.every", "1 ms")],
            "expected a time from 10 ms to 10 s",
        ),
    ] {
        let faults = load(ONE, &[], flags).err().unwrap().join("\n");
        assert!(faults.contains(wrong), "{faults}");
        assert!(!faults.contains("hush"), "{faults}");
    }
}

#[test]
fn how_schemas_are_compiled_is_set_by_the_engines_names() {
    let document = Temporary::new(r#"{"type": "integer"}"#);
    let arguments = Temporary::new(r#"{"q": {"type": "string", "required": true}}"#);
    let (document, arguments) = (document.0.display(), arguments.0.display());
    let config = load(
        &format!(
            "{ONE}[schemas]\nformats = \"assert\"\nstrictness = \"strict\"\n\
             documents = {{ \"https://example.com/n\" = {document:?} }}\n\
             [schemas.limits]\ndepth = 32\nschema_bytes = \"2 MiB\"\n\
             [[tools]]\nmatch = \"find\"\nargument_schema = {arguments:?}\nresult_formats = \"assert\"\n",
            document = document.to_string(),
            arguments = arguments.to_string(),
        ),
        &[("TOOLSURE__SCHEMAS__LIMITS__SUBSCHEMAS", "77")],
        &[("schemas.default_dialect", "draft7")],
    );
    let config = config.unwrap_or_else(|faults| panic!("{faults:?}"));
    let policy = config.policy("a", &config.upstreams["a"]);
    assert_eq!(policy.formats, toolsure_schema::Formats::Assert);
    assert_eq!(policy.result_formats, toolsure_schema::Formats::Annotate);
    let shown = |name: &str| {
        let setting = toolsure_schema::settings::find(name).unwrap();
        setting.show(&policy.compiler)
    };
    for (name, value) in [
        ("strictness", "strict"),
        ("default_dialect", "draft7"),
        ("documents", "https://example.com/n"),
        ("limits.depth", "32"),
        ("limits.schema_bytes", "2 MiB"),
        ("limits.subschemas", "77"),
    ] {
        assert_eq!(shown(name), value, "{name}");
    }
    assert!(policy.tools[0].argument_schema.is_some());
    let rule = policy.tools[0].result_formats;
    assert_eq!(rule, Some(toolsure_schema::Formats::Assert));
    for (wrong, said) in [
        (
            "[schemas.limits]\ndepth = 0\n",
            "expected a number from 1 to 512",
        ),
        ("[schemas.limits]\ndept = 1\n", "there is no key `dept`"),
        ("[schemas]\nformats = \"yes\"\n", "`annotate`, `assert`"),
        (
            "[schemas]\ndocuments = { \"https://a.test/b\" = \"/no/such\" }\n",
            "cannot read",
        ),
        (
            "[[tools]]\nmatch = \"a\"\nargument_schema_text = \"5\"\n",
            "the argument schema",
        ),
    ] {
        let found = faults(&format!("{ONE}{wrong}"));
        assert!(
            found.iter().any(|line| line.contains(said)),
            "{wrong} {found:?}"
        );
    }
}

/// All messages about problems of the settings, as log lines and drawn.
fn said(file: &str, environment: &[(&str, &str)], flags: &[(&str, &str)]) -> String {
    let file = Temporary::new(file);
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let loaded = Config::load(&Sources {
        makes_locks: false,
        file: Some(&file.0),
        environment: environment.iter().map(owned).collect(),
        flags: flags
            .iter()
            .map(|(key, value)| Override::flag(format!("--set {key}"), key, *value))
            .collect(),
        server: Server::default(),
    });
    let plain = crate::term::Canvas {
        styled: false,
        columns: None,
    };
    let faults = loaded.err().expect("a fault");
    let lines: Vec<String> = faults.lines().collect();
    format!("{}\n{}", lines.join("\n"), faults.draw(plain))
}

#[test]
fn faults_show_no_value_that_may_be_a_secret() {
    let long = "hush".repeat(10);
    for (text, shown) in [
        (
            "[sessions]\nkeys = { a = \"hush\" }\n",
            "\n2 | keys = …\n  |        ^\n",
        ),
        ("[sessions]\nkeys = [\"hush\", 5]\n", "\n2 | keys = …\n"),
        (
            "[sessions]\nkeys = [\n  \"hush=\",\n  5,\n]\n",
            "\n2 | keys = …\n",
        ),
        (
            "[upstreams.a]\nheaders = \"Authorization: hush\"\n",
            "\n2 | headers = …\n",
        ),
        (
            "[upstreams.a]\nheaders={ Authorization = [\"hush\"] }\n",
            "\n2 | headers=…\n",
        ),
        (
            "[upstreams.a]\nenv = { A = [\"hush\"] }\n",
            "\n2 | env = …\n",
        ),
        (
            "[upstreams.a]\nurl = [\"http://u:hush@host/\"]\n",
            "\n2 | url = …\n",
        ),
        (
            "upstreams.a = { headers = { A = \"hush\" }, restarts = \"x\" }\n",
            "\n1 | …\n",
        ),
        (
            "upstreams.a = { headers = { A = \"hush\" } }\n",
            "\n1 | upstreams.a = …\n  |           ^\n",
        ),
        (
            "[shared]\npasswort = \"hush\"\n",
            "\n2 | passwort = …\n  | ^^^^^^^^\n",
        ),
        (
            "shared.passwort = \"hush\"\n",
            "\n1 | shared.passwort = …\n",
        ),
        (
            "shared = { password = \"hush\", passwort = \"hush\" }\n",
            "\n1 | shared = …\n",
        ),
        ("password = \"hush\"\n", "\n1 | password = …\n"),
        ("shared = \"hush\"\n", "\n1 | shared = …\n"),
        // Files that do not parse.
        ("[sessions]\nkeys = \"hush\n", "\n2 | keys = …\n"),
        ("[sessions]\nkeys = [\"hush\",\n\"hush=\" 5]\n", "\n3 | …\n"),
        ("[sessions]\nkeys = \"\"\"\nhush=\\q\n\"\"\"\n", "\n3 | …\n"),
        (
            &format!("[sessions]\nkeys = \"{long}\"\nkeys = \"hush\"\n"),
            "\n3 | keys = …\n",
        ),
        ("[shared]\nsecret = \"hush\" x\n", "\n2 | …\n"),
        // Values that cannot be secrets are shown.
        (
            "[policy]\nresults = \"of\" # hush\n",
            "\n2 | results = \"of\"\n  |           ^^^^\n",
        ),
        ("[polizy]\n", "\n1 | [polizy]\n  |  ^^^^^^\n"),
        (
            "[[tools]]\nresults = \"off\"\n",
            "\n1 | [[tools]]\n  | ^^^^^^^^^\n",
        ),
    ] {
        let said = said(text, &[], &[]);
        assert!(!said.contains("hush"), "{said}");
        assert!(said.contains(shown), "{said}");
    }
    let table = "expected a table of strings, found a string (the text is not TOML";
    for (key, value, why) in [
        ("UPSTREAMS__A__HEADERS", "{A=\"hush\"", table),
        ("UPSTREAMS__A__HEADERS", "A: hush", table),
        ("UPSTREAMS__A__ENV", "[\"hush\"]", "found a list of strings"),
        (
            "UPSTREAMS__A__URL",
            "http://hush:hush@host:x/?hush",
            "`http://host:x/` is not a URL",
        ),
        (
            "TELEMETRY__ENDPOINT",
            "http://hush@host:x/",
            "`http://host:x/` is not an http",
        ),
        (
            "SESSIONS__KEYS",
            "{a=\"hush\"}",
            "expected a string or a list of strings, found a table",
        ),
        (
            "SHARED__PASSWORT",
            "hush",
            "there is no key `shared.passwort`",
        ),
    ] {
        let file = "[upstreams.a]\nurl = \"http://x/\"\n";
        let variable = format!("TOOLSURE__{key}");
        let flag = key.to_ascii_lowercase().replace("__", ".");
        let from_environment = said(file, &[(&variable, value)], &[]);
        let from_flag = said(file, &[], &[(&flag, value)]);
        for said in [from_environment, from_flag] {
            assert!(!said.contains("hush"), "{said}");
            assert!(said.contains(why), "{said}");
        }
    }
}

#[test]
fn rules_and_rates_that_do_nothing_are_refused() {
    let calls = "has no effect without `calls` (add `calls`, the calls of one tool in each `per`; 0 leaves the general rate)";
    let rate = "has no effect without `rate.calls` (set `rate.calls`, the calls in each `rate.per`; 0 is no limit)";
    for (text, expected) in [
        ("[[tools]]\nmatch = \"a\"\nburst = 1\nper = \"1 h\"\n", format!("5:1: `burst` {calls}")),
        ("[[tools]]\nmatch = \"a\"\nper = \"1 h\"\nhidden = true\n", format!("5:1: `per` {calls}")),
        (
            "[[tools]]\nmatch = \"a\"\n",
            "4:1: the rule has no setting for the tools it matches (add one, such as `hidden = true`, or leave the rule out)".to_owned(),
        ),
        ("[rate]\nburst = 1\n", format!("4:1: `rate.burst` {rate}")),
        ("[rate]\nper = \"1 h\"\n", format!("4:1: `rate.per` {rate}")),
        ("[rate.total]\nper = \"1 h\"\n", format!("4:1: `rate.total.per` {}", rate.replace("rate.", "rate.total."))),
        ("[rate.address]\nburst = 1\n", format!("4:1: `rate.address.burst` {}", rate.replace("rate.", "rate.address."))),
        ("[listen]\nhosts = [\"a\"]\n", "4:1: `listen.hosts` has no effect without `listen.address`".to_owned()),
    ] {
        assert_eq!(faults(&format!("{ONE}{text}")), [expected], "{text}");
    }
    for (key, flag) in [
        ("TOOLSURE__RATE__BURST", "rate.burst"),
        ("TOOLSURE__RATE__PER", "rate.per"),
    ] {
        let value = if flag == "rate.per" { "1 h" } else { "1" };
        let variable = load(ONE, &[(key, value)], &[]).err().unwrap();
        assert_eq!(variable, [format!("`{key}`: `{flag}` {rate}")]);
        let flags = load(ONE, &[], &[(flag, value)]).err().unwrap();
        assert_eq!(flags, [format!("`--set {flag}`: `{flag}` {rate}")]);
        assert!(load(ONE, &[(key, value)], &[("rate.calls", "0")]).is_ok());
        assert!(load(&format!("{ONE}[rate]\ncalls = 5\n"), &[(key, value)], &[]).is_ok());
    }
    for good in [
        "[rate]\ncalls = 0\nburst = 1\n",
        "[[tools]]\nmatch = \"a\"\ncalls = 0\nburst = 2\n",
        "[[tools]]\nmatch = \"a\"\ncalls = 1\n",
    ] {
        assert_eq!(faults(&format!("{ONE}{good}")), [""; 0], "{good}");
    }
}

#[test]
fn patterns_of_other_languages_are_refused() {
    for (pattern, odd) in [
        ("[Ss]hell", "`[` or `]`"),
        ("{a,b}", "`,` or `{` or `}`"),
        ("a|b", "`|`"),
        ("!x", "`!`"),
        (r"a\\*b", r"`\`"),
        ("(a)+", "`(` or `)` or `+`"),
        ("^a$", "`$` or `^`"),
        ("a ", "a space"),
        ("a, b", "a space or `,`"),
    ] {
        let found = faults(&format!(
            "{ONE}[[tools]]\nmatch = \"{pattern}\"\nhidden = true\n"
        ));
        let [found] = found.as_slice() else {
            panic!("{pattern}: {found:?}");
        };
        let expected = format!("4:9: `match`: {odd} has no meaning in a pattern, found `");
        assert!(found.starts_with(&expected), "{found}");
        assert!(
            found.contains("a rule takes one pattern, so write a rule for each"),
            "{found}"
        );
    }
    for good in ["a", "*", "a?c", "ns:a/b.c-d_e@1", "délivrer", "#1~"] {
        let file = format!("{ONE}[[tools]]\nmatch = \"{good}\"\nhidden = true\n");
        assert_eq!(faults(&file), [""; 0], "{good}");
    }
    let callers = |tools: &str| {
        faults(&format!(
            "{ONE}[listen]\naddress = \"127.0.0.1:0\"\n[auth]\nissuer = \"https://id.example\"\naudiences = [\"x\"]\n[[callers]]\ntools = {tools}\n"
        ))
    };
    let found = callers(r#"["*", "![ac]"]"#);
    let expected = "`tools`: `[` or `]` has no meaning in a pattern, found `[ac]`";
    assert!(found.len() == 1 && found[0].contains(expected), "{found:?}");
    assert_eq!(callers(r#"["*", "!a?c", "@readOnlyHint"]"#), [""; 0]);
}

#[test]
fn what_cannot_work_is_an_error_before_the_start() {
    let two = "[upstreams.a]\ncommand = [\"x\"]\n[upstreams.b]\ncommand = [\"y\"]\n";
    let found = faults(&format!("{two}[limits]\nchildren = 1\n")).join(" ");
    let why = "each connection starts 2 servers, which is more than `limits.children` (1)";
    assert!(found.contains(why), "{found}");
    for (origin, is_one) in [
        ("https://app.example", true),
        ("http://127.0.0.1:8080", true),
        ("null", true),
        ("app.example", false),
        ("https://app.example/", false),
    ] {
        let found = faults(&format!(
            "{ONE}[listen]\naddress = \"127.0.0.1:1\"\norigins = [\"{origin}\"]\n"
        ));
        assert_eq!(found.is_empty(), is_one, "{origin} {found:?}");
    }
    let rules = load(ONE, &[("TOOLSURE__TOOLS", "[]")], &[]);
    let rules = rules.err().unwrap().join(" ");
    assert!(rules.contains("in the configuration file only"), "{rules}");
}

#[test]
fn the_guard_in_front_lets_in_whom_a_rule_of_its_upstreams_is_for() {
    let names = |text: &str| {
        let text = format!(
            "[upstreams.a]\ncommand = [\"cat\"]\n[upstreams.b]\ncommand = [\"cat\"]\n[upstreams.own]\ncommand = [\"cat\"]\nlisten = \"127.0.0.1:0\"\n[listen]\naddress = \"127.0.0.1:0\"\n[auth]\nissuer = \"https://id.example\"\naudiences = [\"x\"]\n{text}"
        );
        let config = load(&text, &[], &[]).unwrap_or_else(|faults| panic!("{faults:?}"));
        let rules = config.without_filters().admission;
        rules
            .iter()
            .map(|rule| rule.name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(""), [""; 0]);
    let rule = |name: &str, upstream: &str| {
        format!("[[callers]]\nname = \"{name}\"\nsubject = \"x\"\nupstreams = [\"{upstream}\"]\n")
    };
    let both = format!("{}{}", rule("one", "b"), rule("two", "own"));
    assert_eq!(names(&both), ["one"]);
    // Nobody may use any of them.
    assert_eq!(names(&rule("two", "own")), ["no rule"]);
}
