//! URLs and command lines in messages, without what may be a secret.

use crate::quote::quote;

/// Shows a URL on one line, cut, and without the user, password, query and fragment, which may be
/// secrets. Of text that is not a URL, everything between the scheme and the last `@` is left out.
///
/// ```
/// use toolsure_json::shown_url;
///
/// assert_eq!(shown_url("https://u:secret@host/mcp?key=secret"), "https://host/mcp");
/// ```
#[must_use]
pub fn shown_url(url: &str) -> String {
    let (scheme, rest) = match url.find("://") {
        Some(at) => url.split_at(at.saturating_add("://".len())),
        None => ("", url),
    };
    let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    let rest = if scheme.is_empty() || !(authority.contains('@') || has_valid_port(authority)) {
        rest.rsplit('@').next().unwrap_or_default()
    } else {
        let user = authority.rfind('@').map_or(0, |at| at.saturating_add(1));
        rest.get(user..).unwrap_or_default()
    };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    quote(&format!("{scheme}{rest}"), URL_CHARS).to_string()
}

/// Whether this may be the authority of a URL without a user, and not the beginning of a password.
fn has_valid_port(authority: &str) -> bool {
    let after_address = authority.rsplit(']').next().unwrap_or_default();
    let port = after_address.rsplit_once(':').map(|(_, port)| port);
    port.is_none_or(|port| port.parse::<u16>().is_ok())
}

/// Shows a command line, with `***` for values that may be secrets: those of options, variables
/// and members of JSON text whose names say so, those of all headers and of variables in capitals,
/// and words in the form of well-known tokens. URLs are shown as by [`shown_url`].
///
/// ```
/// use toolsure_json::shown_command;
///
/// let words = ["server", "--api-key", "secret", "--port=80", "TOKEN=secret"];
/// assert_eq!(shown_command(words), "server --api-key *** --port=80 TOKEN=***");
/// ```
#[must_use]
pub fn shown_command<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let mut shown = Vec::new();
    // The end of a value that is left out: the next word, or a quotation mark.
    let mut hidden = Hidden::Nothing;
    let pieces = words.into_iter().flat_map(|word| {
        let is_script = word.split_whitespace().nth(1).is_some() && !is_header(word);
        match is_script && !word.starts_with(['{', '[']) {
            // A command line for a shell.
            true => word.split_whitespace().collect::<Vec<_>>(),
            false => vec![word],
        }
    });
    for piece in pieces {
        match hidden {
            Hidden::Value if !piece.starts_with("--") => {
                shown.push(MASK.to_owned());
                hidden = Hidden::after(piece);
                continue;
            }
            Hidden::UpTo(mark) => {
                if piece.contains(mark) {
                    hidden = Hidden::Nothing;
                }
                continue;
            }
            _ => {}
        }
        hidden = Hidden::Nothing;
        let text = shown_word(piece);
        if text != piece && text.ends_with(MASK) {
            let value = piece
                .split_once(['=', ':'])
                .map_or(piece, |(_, value)| value);
            hidden = Hidden::after(value);
        } else if names_secret(piece) && !piece.contains(['=', ':', '/']) && is_option(piece) {
            hidden = Hidden::Value;
        }
        shown.push(text);
    }
    shown.join(" ")
}

/// What of the following words is left out.
#[derive(Clone, Copy)]
enum Hidden {
    Nothing,
    Value,
    UpTo(char),
}

impl Hidden {
    /// What is left out after a value that was.
    fn after(value: &str) -> Self {
        let value = value.trim_start();
        match value.chars().next() {
            Some(mark @ ('"' | '\''))
                if !value.get(1..).is_some_and(|rest| rest.contains(mark)) =>
            {
                Self::UpTo(mark)
            }
            // `Bearer` is followed by the token.
            _ if is_scheme(value) => Self::Value,
            _ => Self::Nothing,
        }
    }
}

fn shown_word(word: &str) -> String {
    // The names before this place are shown: `--header=` of `--header=Authorization: …`.
    let mut start = 0;
    let mut rest = word;
    while let Some(at) = rest.find(['=', ':'])
        && let (name, value) = rest.split_at(at)
        && is_name(name)
        && !value.starts_with("://")
    {
        let (mark, value) = value.split_at(1);
        let is_variable = mark == "=" && name.chars().all(is_capital) && !name.is_empty();
        let is_header = mark == ":" && value.starts_with(' ');
        start = word.len().saturating_sub(value.len());
        rest = value;
        if !value.is_empty() && (is_variable || is_header || names_secret(name)) {
            return format!("{}{MASK}", word.get(..start).unwrap_or_default());
        }
    }
    let before = word.get(..start).unwrap_or_default();
    if rest.contains("://") {
        return format!("{before}{}", shown_url(rest));
    }
    let is_json = rest.starts_with(['{', '[']);
    let bare = rest.trim_start_matches(['"', '\'']);
    if is_json && rest.split('"').any(names_secret) || is_secret(bare) {
        return format!("{before}{MASK}");
    }
    word.to_owned()
}

/// Whether a word is a header with its value.
fn is_header(word: &str) -> bool {
    let name = word
        .split_once(": ")
        .map(|(name, _)| name.rsplit('=').next().unwrap_or(name));
    name.is_some_and(|name| !name.is_empty() && is_name(name))
}

fn is_name(text: &str) -> bool {
    text.chars()
        .all(|one| one.is_ascii_alphanumeric() || matches!(one, '-' | '_' | '.' | '"' | '\''))
}

fn is_option(word: &str) -> bool {
    word.starts_with('-')
}

fn is_capital(one: char) -> bool {
    one.is_ascii_uppercase() || one.is_ascii_digit() || matches!(one, '_' | '"' | '\'')
}

/// Whether a text looks as if it had a secret in it: an authentication scheme and what follows it, a word that begins as the keys of
/// well-known services do, a value after a name that says so (`password: …`, `"apiKey":…`, `--token …`, `?key=…`), a URL with a user or a
/// password, or a private key.
///
/// ```
/// use toolsure_json::has_secret;
///
/// assert!(has_secret("my key is ghp_abcdef") && has_secret(r#"{"id": 1, "password": "x"}"#));
/// assert!(has_secret("https://me:x@host/") && has_secret("https://host/?api_key=x"));
/// assert!(!has_secret("the keys of the house") && !has_secret("https://host/?q=x"));
/// ```
#[must_use]
pub fn has_secret(text: &str) -> bool {
    let ends_url = |one: char| one.is_whitespace() || matches!(one, '"' | '<' | '>' | '`');
    text.contains("PRIVATE KEY-----")
        || text.split(ends_url).any(has_user)
        || words(text).any(|(word, after)| {
            let bare = word.trim_start_matches('-');
            let follows = || after.chars().any(|one| !one.is_whitespace());
            let is_key = PREFIXES
                .iter()
                .any(|prefix| bare.len() > prefix.len() && bare.starts_with(prefix));
            is_key
                || (is_scheme(bare) && after.starts_with(char::is_whitespace) && follows())
                || (names_secret(bare) && (is_given(after) || (is_option(word) && follows())))
        })
}

/// The words of a text, of letters, digits, `_` and `-`, each with what follows it.
fn words(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_inner = |one: char| one.is_alphanumeric() || matches!(one, '_' | '-');
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find(is_inner)?;
        let (_, from) = rest.split_at_checked(start)?;
        let end = from.find(|one| !is_inner(one)).unwrap_or(from.len());
        let (word, after) = from.split_at_checked(end)?;
        rest = after;
        Some((word, after))
    })
}

/// Whether a value follows a name: after `:` or `=`, or in the form `"name":"password","value":…`.
fn is_given(after: &str) -> bool {
    let is_around =
        |one: char| one.is_whitespace() || matches!(one, '"' | '\'' | '\\' | '`' | '*' | ']');
    let after = after.trim_start_matches(is_around);
    if let Some(pair) = after.strip_prefix(',') {
        let pair = pair.trim_start_matches(is_around);
        return pair.starts_with("value") || pair.starts_with("Value");
    }
    let value = after.strip_prefix([':', '=']);
    value.is_some_and(|value| value.chars().any(|one| !one.is_whitespace()))
}

/// Whether a word without spaces has a URL with a user or a password.
fn has_user(word: &str) -> bool {
    word.split("://").skip(1).any(|rest| {
        let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
        authority.contains('@') || (rest.contains('@') && !has_valid_port(authority))
    })
}

fn is_secret(word: &str) -> bool {
    is_scheme(word) || PREFIXES.iter().any(|prefix| word.starts_with(prefix))
}

/// Whether a value begins with an authentication scheme.
fn is_scheme(value: &str) -> bool {
    let first = value.split_whitespace().next().unwrap_or_default();
    ["bearer", "basic"]
        .iter()
        .any(|scheme| first.eq_ignore_ascii_case(scheme))
}

/// Whether a name says that its value is a secret.
///
/// ```
/// use toolsure_json::names_secret;
///
/// assert!(names_secret("apiKey") && names_secret("X-Auth-Token"));
/// assert!(!names_secret("monkeys") && !names_secret("title"));
/// ```
#[must_use]
pub fn names_secret(name: &str) -> bool {
    let mut part = String::new();
    let mut before = '-';
    for one in name.chars().chain(['-']) {
        let ends = !one.is_ascii_alphanumeric()
            || (one.is_ascii_uppercase() && before.is_ascii_lowercase());
        if ends {
            let word = part.trim_end_matches(|one: char| one.is_ascii_digit());
            if SECRET.contains(&word) || ENDINGS.iter().any(|end| word.ends_with(end)) {
                return true;
            }
            part.clear();
        }
        if one.is_ascii_alphanumeric() {
            part.push(one.to_ascii_lowercase());
        }
        before = one;
    }
    false
}

/// Parts of names whose values are secrets.
const SECRET: [&str; 19] = [
    "auth",
    "authentication",
    "authorization",
    "bearer",
    "cookie",
    "cookies",
    "credential",
    "credentials",
    "creds",
    "dsn",
    "jwt",
    "keys",
    "otp",
    "pass",
    "pat",
    "pwd",
    "sig",
    "signature",
    "webhook",
];
/// Ends of parts of such names, as in `apikey`.
const ENDINGS: [&str; 13] = [
    "accesskeys",
    "apikeys",
    "key",
    "passcode",
    "passphrase",
    "passphrases",
    "passwd",
    "password",
    "passwords",
    "secret",
    "secrets",
    "token",
    "tokens",
];
/// The beginnings of well-known tokens.
const PREFIXES: [&str; 18] = [
    "AIza",
    "AKIA",
    "ASIA",
    "eyJ",
    "gho_",
    "ghp_",
    "ghr_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "sk-",
    "sk_",
    "xoxa-",
    "xoxb-",
    "xoxe-",
    "xoxp-",
    "npm_",
];
const MASK: &str = "***";
/// Maximum characters of a URL in a message.
const URL_CHARS: usize = 120;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_shown_without_what_may_be_a_secret() {
        for (url, shown) in [
            ("http://host/mcp", "http://host/mcp"),
            (
                "https://u:hush@host:8443/a/b?key=hush#hush",
                "https://host:8443/a/b",
            ),
            ("https://host/@scope/a", "https://host/@scope/a"),
            ("https://u:hush@host/@scope/a", "https://host/@scope/a"),
            ("http://u:hu@sh@host/", "http://host/"),
            ("http://[::1]:80/", "http://[::1]:80/"),
            ("http://[::1]/", "http://[::1]/"),
            (
                "http://u:hush@host:99999999/mcp?hush",
                "http://host:99999999/mcp",
            ),
            ("http://u:hu?sh/hush@host:x/", "http://host:x/"),
            ("http://u:hu/sh@host/", "http://host/"),
            ("http://host:x/?k=hush", "http://host:x/"),
            ("u:hush@host", "host"),
            ("hush@", ""),
            ("ftp://x/", "ftp://x/"),
            ("valkey://u:hush@store:6379/0", "valkey://store:6379/0"),
            ("http://a\u{1b}:x/", "http://a\\u{1b}:x/"),
        ] {
            assert_eq!(shown_url(url), shown, "{url}");
        }
    }

    #[test]
    fn command_lines_are_shown_without_secrets() {
        for (words, shown) in [
            (
                &["npx", "-y", "@scope/server@1.2.3", "--port", "80"][..],
                "npx -y @scope/server@1.2.3 --port 80",
            ),
            (&["s", "--access-token=hush"], "s --access-token=***"),
            (
                &["s", "--accessToken=hush", "-t=x"],
                "s --accessToken=*** -t=x",
            ),
            (&["s", "--api-key", "hush", "dir"], "s --api-key *** dir"),
            (&["s", "--APIKEY", "hush"], "s --APIKEY ***"),
            (&["s", "--api-key", "-hush"], "s --api-key ***"),
            (&["s", "--no-auth", "--port", "80"], "s --no-auth --port 80"),
            (&["s", "--password", ""], "s --password ***"),
            (
                &["env", "GITHUB_PAT=hush", "NODE_ENV=hush", "s"],
                "env GITHUB_PAT=*** NODE_ENV=*** s",
            ),
            (
                &["docker", "run", "-e", "X=hush", "-eTOKEN=hush"],
                "docker run -e X=*** -eTOKEN=***",
            ),
            (
                &["s", "db_password=hush", "mode=fast"],
                "s db_password=*** mode=fast",
            ),
            (
                &["s", "postgresql://u:hush@host/db"],
                "s postgresql://host/db",
            ),
            (
                &["s", "--url=https://host/mcp?token=hush"],
                "s --url=https://host/mcp",
            ),
            (&["s", "--url", "wss://hush@host/"], "s --url wss://host/"),
            (
                &["s", "-H", "Authorization: Bearer hush"],
                "s -H Authorization:***",
            ),
            (
                &["s", "--header", "X-Api-Key:hush"],
                "s --header X-Api-Key:***",
            ),
            (
                &["s", "--header=Cookie: a=hush; b=hush"],
                "s --header=Cookie:***",
            ),
            (
                &["s", "--header", "X-Trace: hush"],
                "s --header X-Trace:***",
            ),
            (&["s", "Bearer hush"], "s *** ***"),
            (
                &["s", "ghp_hush", "sk-hush", "eyJhush.x.y"],
                "s *** *** ***",
            ),
            (
                &["s", r#"{"apiKey": "hush"}"#, r#"{"port": 80}"#],
                r#"s *** {"port": 80}"#,
            ),
            (
                &["sh", "-c", "TOKEN=hush exec s --key hush --key 'hu sh' x"],
                "sh -c TOKEN=*** exec s --key *** --key *** x",
            ),
            (&["sh", "-c", "TOKEN='hush hush' s"], "sh -c TOKEN=*** s"),
            (
                &[
                    "sh",
                    "-c",
                    "curl -H 'Authorization: Bearer hush' https://u:hush@host/",
                ],
                "sh -c curl -H 'Authorization: *** *** https://host/",
            ),
            (
                &["C:\\bin\\s.exe", "C:/dir", "a:b"],
                "C:\\bin\\s.exe C:/dir a:b",
            ),
        ] {
            let found = shown_command(words.iter().copied());
            assert_eq!(found, shown, "{words:?}");
            assert!(!found.contains("hu"), "{found}");
        }
    }

    #[test]
    fn texts_with_secrets() {
        for text in [
            r#"{"password":"hush"}"#,
            r#"{"id": 1, "password": "hush"}"#,
            "{\n  \"id\": 1,\n  \"apiKey\": \"hush\"\n}",
            r#"{"a":"b c","password":"hush"}"#,
            r#"{"url":"https://x/","password":"hush"}"#,
            r#"{\"password\": \"hush\"}"#,
            r#"[{"name":"password","value":"hush"}]"#,
            "{'a': 1, 'password': 'hush'}",
            "password: hush",
            "password = hush",
            "a = 1\npassword2 = hush",
            "X-Api-Key: hush",
            "Cookie: session=hush",
            "**password**: hush",
            "config['token'] = hush",
            "Authorization: Token hush",
            "*** Bearer hush",
            "(Bearer hush)",
            "`ghp_hush`",
            "run --api-key hush",
            r#"["https://a/","https://u:hush@h/"]"#,
            "https://me:hu/sh@host/",
            "https://a/cb#access_token=hush",
            "https://a/cb?x=1&sig=hush",
            "ghu_hush",
            "ASIAHUSH",
            "-----BEGIN RSA PRIVATE KEY-----\nhush",
        ] {
            assert!(has_secret(text), "{text}");
        }
        for text in [
            "",
            "password",
            "the password is wrong",
            "password: ",
            "https://host/@scope/a",
            "https://host:80/?q=a@b",
            "a: b = c",
            "sk-",
            "passage: 5",
            "0:30 to 1:45",
            "--token",
        ] {
            assert!(!has_secret(text), "{text}");
        }
    }

    /// Neither the stack nor the time depends on how many separators a word has.
    #[test]
    fn long_words_of_separators() {
        for text in [":", "a=", "=", "://", "a:'", "x ", "password ", "ghp_ "] {
            let long = text.repeat(100_000);
            let _ = has_secret(&long);
            assert!(!shown_command([long.as_str()]).is_empty());
        }
    }
}
