//! Rules on text that a model reads and people do not: hidden characters, instructions to the model, long
//! first sentences.

use toolsure_json::{Kind, Node as _, View, pointer, quote};

use crate::lint::out::Out;
use crate::lint::tool::{Place, Side, Tool, span_within};

/// TL110: characters that a model reads and people do not see, anywhere in the tool.
pub(crate) fn hidden(tool: &Tool<'_>, out: &mut Out<'_>) {
    let raw = tool.root.raw();
    if raw.is_ascii() && !raw.contains("\\u") {
        return;
    }
    // The open values, from the root to the current value, and the path to it.
    let mut open: Vec<Children<'_>> = Vec::new();
    let mut path: Vec<Step<'_>> = Vec::new();
    let mut value = tool.root;
    loop {
        match value.kind() {
            Kind::Object => {
                let members = value.members();
                let members = members.map(|(key, member)| (Step::Name(key.view()), member));
                open.push(Box::new(members));
            }
            Kind::Array => {
                let items = value.items().enumerate();
                open.push(Box::new(items.map(|(at, item)| (Step::Index(at), item))));
            }
            kind => {
                if kind == Kind::String
                    && let Some(found) = first_hidden(value.string())
                {
                    tell(&path, value, &found, out);
                }
                path.pop();
            }
        }
        value = loop {
            let Some(children) = open.last_mut() else {
                return;
            };
            let Some((step, child)) = children.next() else {
                open.pop();
                path.pop();
                continue;
            };
            if let Step::Name(key) = step
                && let Some(found) = first_hidden(key.string())
            {
                tell(&path, key, &found, out);
            }
            path.push(step);
            break child;
        };
    }
}

/// The values in an object or an array that are still to be visited.
type Children<'a> = Box<dyn Iterator<Item = (Step<'a>, View<'a>)> + 'a>;

/// A step to a value: a name or an index.
#[derive(Clone, Copy)]
enum Step<'a> {
    Name(View<'a>),
    Index(usize),
}

/// A hidden character, and the string that it and its neighbours spell if they stand for ASCII.
struct Hidden {
    at: usize,
    character: char,
    spelled: String,
}

fn tell(path: &[Step<'_>], at: View<'_>, found: &Hidden, out: &mut Out<'_>) {
    let mut text = String::new();
    for step in path.iter().take(MOST_STEPS) {
        match step {
            Step::Name(name) => {
                let name: String = name.string().chars().take(MOST_STEPS).collect();
                pointer::push(&mut text, &name);
            }
            Step::Index(at) => pointer::push(&mut text, &at.to_string()),
        }
    }
    let end = found.at.saturating_add(found.character.len_utf8());
    let place = Place {
        pointer: text,
        span: span_within(at, found.at..end),
    };
    let code = u32::from(found.character);
    let message = if found.spelled.is_empty() {
        format!("the text has the invisible character U+{code:04X}")
    } else {
        format!(
            "the text has invisible characters from U+{code:04X} on, which spell `{}`",
            quote(&found.spelled, 60)
        )
    };
    out.find(place, message)
        .help("people do not see it, and models read it; take it out");
}

/// The first character that is invisible and has no use in its position.
fn first_hidden(text: &str) -> Option<Hidden> {
    if text.is_ascii() {
        return None;
    }
    let mut before = ' ';
    let mut flag = false;
    for (at, character) in text.char_indices() {
        let tag = matches!(character, '\u{e0000}'..='\u{e007f}');
        // Tags after a black flag are the flags of England, Scotland and Wales.
        flag = character == '\u{1f3f4}' || (flag && tag);
        let hidden = match character {
            '\u{e0000}'..='\u{e007f}' => !flag,
            // Bidirectional overrides and isolates, word joiners, invisible operators, fillers.
            '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{200b}'
            | '\u{180e}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{3164}'
            | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0100}'..='\u{e01ef}' => true,
            // A byte order mark that is not at the start.
            '\u{feff}' => at > 0,
            // Joiners have a use in emoji and in some scripts, but not after ASCII.
            '\u{200c}' | '\u{200d}' => before.is_ascii(),
            _ => false,
        };
        if hidden {
            let rest = text.get(at..).unwrap_or_default();
            let tags = rest.chars().take(SPELLED).filter_map(|one| {
                let low = u32::from(one).checked_sub(0xe0000)?;
                char::from_u32(low).filter(|one| one.is_ascii_graphic() || *one == ' ')
            });
            return Some(Hidden {
                at,
                character,
                spelled: tags.collect(),
            });
        }
        before = character;
    }
    None
}

/// TL109: characters in the tool's name that nobody sees, or that break a line.
pub(crate) fn name_characters(tool: &Tool<'_>, out: &mut Out<'_>) {
    let Some(odd) = tool
        .text("name")
        .and_then(|name| name.chars().find(|c| is_unseen(*c)))
    else {
        return;
    };
    let message = format!(
        "the name has the character U+{:04X}, which nobody sees",
        u32::from(odd)
    );
    out.find(tool.member_place("name"), message)
        .help("it looks like another tool's name, breaks lines of logs, or is cut; take it out");
}

pub(crate) use crate::tool::is_unseen;

/// TL111: instructions to the model that people would not agree to, in the text of a tool.
pub(crate) fn orders(tool: &Tool<'_>, out: &mut Out<'_>) {
    if let Some((at, phrase)) = tool.text("description").and_then(order) {
        let mut place = tool.member_place("description");
        if let Some(value) = tool.root.member("description") {
            place.span = span_within(value, at..at.saturating_add(phrase.len()));
        }
        ordered(place, phrase, out);
    }
    for sub in &tool.subs {
        for keyword in ["description", "title"] {
            if let Some((at, phrase)) = sub.text(keyword).and_then(order) {
                let part = at..at.saturating_add(phrase.len());
                ordered(tool.within(sub, keyword, part), phrase, out);
            }
        }
    }
}

fn ordered(place: Place, phrase: &str, out: &mut Out<'_>) {
    out.find(place, format!("the text gives the model orders: `{phrase}`"))
        .help("clients and scanners take it for an attack; say what the tool does, and leave the rest to the user");
}

/// The phrase of a text that instructs the model, with its position. One pass: tests the start of a phrase before the phrase.
fn order(text: &str) -> Option<(usize, &'static str)> {
    let bytes = text.as_bytes();
    let mut before = b' ';
    for (at, byte) in bytes.iter().enumerate() {
        let first = byte.to_ascii_lowercase();
        let rest = || bytes.get(at..).unwrap_or_default();
        let starts = |phrase: &&&str| {
            let head = rest().get(..phrase.len());
            head.is_some_and(|head| head.eq_ignore_ascii_case(phrase.as_bytes()))
        };
        let opens = matches!(first, b'<' | b'[' | b'd' | b'w' | b'h' | b'k' | b'i');
        if opens
            && !before.is_ascii_alphanumeric()
            && let Some(phrase) = ORDERS.iter().find(|phrase| starts(phrase))
        {
            return Some((at, phrase));
        }
        if matches!(first, b'~' | b'/' | b'.' | b'i')
            && let Some(secret) = SECRETS.iter().find(|secret| starts(secret))
            && is_asked_for(text, at)
        {
            return Some((at, secret));
        }
        before = *byte;
    }
    None
}

/// Whether a verb before a position asks for the file that is named there, and not for a public key.
fn is_asked_for(text: &str, at: usize) -> bool {
    let start = at.saturating_sub(NEAR);
    let start = (0..=start).rev().find(|at| text.is_char_boundary(*at));
    let before = text.get(start.unwrap_or(0)..at).unwrap_or_default();
    let behind = text.get(at..).unwrap_or_default();
    let name = behind.split(char::is_whitespace).next().unwrap_or_default();
    let mut words = before.split(|c: char| !c.is_alphanumeric());
    let asked = words.any(|word| VERBS.iter().any(|verb| word.eq_ignore_ascii_case(verb)));
    asked && !name.contains(".pub")
}

/// TL117: the first sentence of a description is short enough for a list.
pub(crate) fn first_sentence(tool: &Tool<'_>, out: &mut Out<'_>) {
    if let Some(length) = tool.text("description").and_then(too_long) {
        long(tool.member_place("description"), length, out);
    }
    for sub in tool.subs.iter().filter(|sub| sub.side == Side::Input) {
        if sub.property().is_some()
            && let Some(length) = sub.text("description").and_then(too_long)
        {
            long(tool.at(sub, "description"), length, out);
        }
    }
}

fn long(place: Place, length: usize, out: &mut Out<'_>) {
    let message = format!("the first sentence of the description has {length} characters");
    out.find(place, message).help(format!(
        "begin with a summary of at most {SENTENCE} characters; details follow"
    ));
}

/// The number of characters of the first sentence, if there are too many.
fn too_long(text: &str) -> Option<usize> {
    let text = text.trim();
    let ends = text.match_indices(['.', '!', '?', '\n']).find(|(at, end)| {
        let behind = text.get(at.saturating_add(1)..).unwrap_or_default();
        *end == "\n" || behind.is_empty() || behind.starts_with(char::is_whitespace)
    });
    let sentence = text.get(..ends.map_or(text.len(), |(at, _)| at))?;
    let length = sentence.chars().count();
    (length > SENTENCE).then_some(length)
}

const ORDERS: [&str; 24] = [
    "<important>",
    "</important>",
    "<system>",
    "<system-reminder>",
    "<hidden>",
    "[system]:",
    "do not tell the user",
    "don't tell the user",
    "don’t tell the user",
    "without telling the user",
    "do not inform the user",
    "without informing the user",
    "do not mention this to",
    "don't mention this to",
    "don’t mention this to",
    "do not mention to the user",
    "hide this from the user",
    "keep this from the user",
    "do not show this to the user",
    "ignore previous instructions",
    "ignore all previous",
    "ignore your previous",
    "ignore all prior instructions",
    "disregard previous instructions",
];
const SECRETS: [&str; 7] = [
    "~/.ssh",
    "id_rsa",
    "id_ed25519",
    "/etc/passwd",
    "/etc/shadow",
    ".aws/credentials",
    ".cursor/mcp.json",
];
const VERBS: [&str; 10] = [
    "read", "open", "cat", "send", "include", "copy", "upload", "provide", "fetch", "load",
];
/// Bytes around a secret's name in which a verb counts.
const NEAR: usize = 60;
/// Hidden characters that are decoded for the message.
const SPELLED: usize = 200;
/// Steps of a pointer, and characters of one of them.
const MOST_STEPS: usize = 64;
/// Characters of a first sentence (recommended by the argument schema of 2025-10-09).
const SENTENCE: usize = 80;
