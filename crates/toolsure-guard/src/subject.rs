//! What requests other than calls are about: prompts, resources and tasks.

use toolsure_analysis::tool::lookalike;
use toolsure_json::{Key as _, Kind, Node as _, View};
use toolsure_mcp::message::Request;

use crate::record::About;

/// What a request is about, if callers may be kept from it.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Subject<'a> {
    /// The server's name of a prompt.
    Prompt(&'a str),
    /// The URI of a resource, or the text of a template.
    Resource(&'a str),
    Task(&'a str),
    /// A method of which it is unknown what it is about.
    Method(&'a str),
}

impl<'a> Subject<'a> {
    /// What a request is about. `named` is the name that replaces the one in its text.
    pub(crate) fn all(request: &Request<'a>, named: Option<&'a str>) -> Vec<Self> {
        subjects(request, named)
    }

    /// Why readers may differ what a request is about, in a way that JSON itself does not show.
    pub(crate) fn unclear(request: &Request<'a>, named: Option<&'a str>) -> Option<String> {
        if let Some(why) = misread(request) {
            return Some(why);
        }
        // URL parsers leave out some characters and cut others off (WHATWG URL Standard, section 4.4), and a URI has
        // none of these.
        let has_blank = |subject: &Self| match subject {
            Self::Resource(uri) => uri.bytes().any(|byte| byte <= b' ' || byte == 0x7f),
            _ => false,
        };
        let text =
            "a URI must not contain spaces or control characters: write them percent-encoded";
        let subjects = subjects(request, named);
        (subjects.iter().any(has_blank)).then(|| text.to_owned())
    }

    /// The same for records, without secrets; `None` for a request about nothing that has a name.
    pub(crate) fn recorded(request: &Request<'a>, named: Option<&'a str>) -> Option<Box<About>> {
        let about = match *subjects(request, named).first()? {
            Self::Prompt(name) => About::new("prompt", name),
            Self::Resource(uri) => About::new("uri", uri),
            Self::Task(task) => About::new("task", task),
            // The record has the method.
            Self::Method(_) => return None,
        };
        Some(Box::new(about)).filter(|about| !about.text.is_empty())
    }
}

/// What a request is about. `named` is the name that replaces the one in its text.
fn subjects<'a>(request: &Request<'a>, named: Option<&'a str>) -> Vec<Subject<'a>> {
    let member = |name: &str| request.params.and_then(|params| params.member(name));
    let text = |view: Option<View<'a>>| view.map_or("", |view| view.string());
    match request.method {
        "prompts/get" => vec![Subject::Prompt(
            named.unwrap_or_else(|| text(member("name"))),
        )],
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => {
            vec![Subject::Resource(text(member("uri")))]
        }
        "completion/complete" => {
            let of = member("ref");
            let part = |name: &str| of.and_then(|of| of.member(name));
            // Servers may look at the type, or at what is there.
            let uri = part("uri").map(|uri| Subject::Resource(uri.string()));
            let name = part("name").map(|name| Subject::Prompt(name.string()));
            let all: Vec<Subject<'_>> = uri.into_iter().chain(name).collect();
            if all.is_empty() {
                vec![Subject::Prompt("")]
            } else {
                all
            }
        }
        "subscriptions/listen" => {
            let wanted = member("notifications");
            let items = |name: &str| {
                let items = wanted.and_then(|wanted| wanted.member(name));
                items.into_iter().flat_map(View::items)
            };
            let uris = items("resourceSubscriptions").map(|uri| Subject::Resource(uri.string()));
            let tasks = items("taskIds").map(|task| Subject::Task(task.string()));
            uris.chain(tasks).collect()
        }
        "tasks/get" | "tasks/result" | "tasks/cancel" | "tasks/update" => {
            vec![Subject::Task(text(member("taskId")))]
        }
        method if KNOWN.contains(&method) => Vec::new(),
        method => vec![Subject::Method(method)],
    }
}

/// What is wrong with the members that say what a request is about: servers may take other values for the texts in
/// them, and those that ignore case may take other members for them.
fn misread(request: &Request<'_>) -> Option<String> {
    let (outer, inner): (&[&'static str], &[&'static str]) = match request.method {
        "prompts/get" => (&["name"], &[]),
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => (&["uri"], &[]),
        "completion/complete" => (&["ref"], &["type", "uri", "name"]),
        "subscriptions/listen" => (&["notifications"], &["resourceSubscriptions", "taskIds"]),
        "tasks/get" | "tasks/result" | "tasks/cancel" | "tasks/update" => (&["taskId"], &[]),
        _ => return None,
    };
    let params = request.params?;
    if params.kind() != Kind::Object {
        return Some("`params` must be an object".to_owned());
    }
    if let Some(why) = misspelled(params, "params", outer) {
        return Some(why);
    }
    let [outer] = outer else { return None };
    let value = params.member(outer)?;
    let kind = if inner.is_empty() {
        Kind::String
    } else {
        Kind::Object
    };
    if value.kind() != kind {
        let kind = if inner.is_empty() {
            "a string"
        } else {
            "an object"
        };
        return Some(format!("`{outer}` must be {kind}"));
    }
    if let Some(why) = misspelled(value, outer, inner) {
        return Some(why);
    }
    inner.iter().find_map(|name| {
        let part = value.member(name)?;
        if request.method == "completion/complete" {
            return (part.kind() != Kind::String).then(|| format!("`{name}` must be a string"));
        }
        let is_text = |item: View<'_>| item.kind() == Kind::String;
        let is_list = part.kind() == Kind::Array && part.items().all(is_text);
        (!is_list).then(|| format!("`{name}` must be an array of strings"))
    })
}

/// Why an object has a member that readers may take for one of these.
fn misspelled(object: View<'_>, of: &str, names: &[&'static str]) -> Option<String> {
    let mut found = object
        .members()
        .filter_map(|(key, _)| lookalike(key.text(), names));
    let name = found.next()?;
    Some(format!(
        "the name of a member of `{of}` differs from `{name}` only in upper and lower case"
    ))
}

/// The other methods of which it is known that they are about nothing that has a name, or whose answers are
/// restricted.
const KNOWN: [&str; 10] = [
    "initialize",
    "ping",
    "server/discover",
    "logging/setLevel",
    "tools/list",
    "tools/call",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "skills/list",
];
