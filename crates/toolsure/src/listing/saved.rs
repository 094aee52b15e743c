//! Reads files: a saved listing in any of its usual formats, or a client's `mcpServers`.

use std::io;
use std::path::Path;

use toolsure_analysis::project::{ProviderTool, read_provider_tools};
use toolsure_analysis::tool::LISTS;
use toolsure_json::{
    DuplicateKeys, KeyView, Kind, Node, ReadLimits, Reader, View, line_column, quote, shown_url,
};

use super::config::{self, Server};
use super::file::{SourceFile, ToolPlace};
use super::listed::{ListedPage, Listing, PageText, ServerFacts, TOOLS};
use crate::exit::Failure;
use crate::input::{Input, Text};
use crate::local;
use crate::term::Term;
use crate::text;

/// What a file contains.
#[derive(Debug)]
pub(crate) enum Saved {
    Listing(Box<SavedListing>),
    /// The listings of several servers, by name.
    Listings(Vec<SavedListing>),
    Servers(Vec<Server>),
}

/// A listing in a file.
#[derive(Debug)]
pub(crate) struct SavedListing {
    pub(crate) file: SourceFile,
    /// The server's name, if the file has the listings of several; untrusted, not escaped.
    pub(crate) key: Option<String>,
    server: Option<ServerFacts>,
    pub(crate) tools: Vec<String>,
    pages: Vec<ListedPage>,
    /// Whether it is one page of a listing, with a cursor to the next.
    pub(crate) partial: bool,
}

impl SavedListing {
    pub(crate) fn into_listing(self) -> Listing {
        let target = match &self.key {
            Some(key) => format!("{} ({})", quote(key, 60), self.file.name),
            None => self.file.name.clone(),
        };
        Listing {
            key: self.key,
            server: self.server,
            partial: self.partial,
            pages: self.pages,
            file: Some(self.file),
            ..Listing::new(target, self.tools)
        }
    }
}

/// Reads `path`, or standard input for `-`, of at most `most` bytes; shows the progress of a long file.
pub(crate) fn read(path: &str, most: usize, term: &Term) -> Result<Saved, Failure> {
    let name = shown_name(path);
    let input = Input::of(Path::new(path));
    let size = input.size().filter(|size| *size >= LONG);
    let progress = |bytes: u64| {
        if let Some(part) = size.and_then(|size| bytes.saturating_mul(100).checked_div(size)) {
            term.progress(&format!("reading {name}: {part} % …"));
        }
    };
    let text = input
        .read_with(most, progress)
        .map_err(|error| unreadable(path, &name, &error))?;
    let saved = parse(name, text, most)?;
    if let Saved::Listing(listing) = &saved
        && let Some(read) = listing
            .file
            .tools
            .iter()
            .find_map(|tool| tool.read.as_ref())
    {
        let (name, form) = (&listing.file.name, read.form.name());
        term.note(&format!("{name}: read as tools in the form `{form}`"));
    }
    Ok(saved)
}

/// The name of a file as messages show it.
pub(crate) fn shown_name(path: &str) -> String {
    match path {
        "-" => "standard input".to_owned(),
        // A URL that was mistaken for a file.
        _ if path.contains("://") => shown_url(path),
        _ => quote(path, 200).to_string(),
    }
}

/// Parses a file of at most `most` bytes. Comments and trailing commas are ignored.
pub(crate) fn parse(name: String, text: Text, most: usize) -> Result<Saved, Failure> {
    let Text { bytes: text, start } = text;
    if text.len() > most {
        return Err(too_long(&name, most));
    }
    let (text, original) = text::document(Path::new(&name), text, most)
        .map_err(|fault| Failure::usage(format!("{name}:{fault}")))?;
    let mut reader = Reader::new();
    let document = reader.read(&text, &limits(most)).map_err(|error| {
        let failure = text::unreadable(&name, &text, original.as_ref(), &error);
        match failure.help {
            Some(_) => failure,
            None => failure.with_help(
                "give a saved listing or an `mcpServers` file, in JSON, or in YAML as `*.yaml`",
            ),
        }
    })?;
    let root = document.root();
    if let Some(all) = root.member("listings") {
        let all = contents_of_all(&name, all)?;
        let file = SourceFile::new(name, text, original, Vec::new()).after(start);
        let listing = |(key, one): (String, Contents)| {
            let own = file.with_tools(one.places.clone());
            one.listing(own, Some(key))
        };
        return Ok(Saved::Listings(all.into_iter().map(listing).collect()));
    }
    let line = |at: usize| match &original {
        Some(original) => line_column(&original.text, original.place(at)).line,
        None => line_column(&text, at).line,
    };
    if let Some(servers) = config::servers(root, &name, line) {
        return servers
            .map(Saved::Servers)
            .map_err(|message| Failure::usage(format!("`{name}`: {message}")));
    }
    let Some(contents) = Contents::of(root) else {
        return Err(Failure::usage(format!("`{name}` {NOTHING}")).with_help(
            "a listing is `{\"tools\": […]}`, an array of tools, a JSON-RPC answer to `tools/list`, or the `tools` of a request to a provider",
        ));
    };
    let file = SourceFile::new(name, text, original, contents.places.clone()).after(start);
    Ok(Saved::Listing(Box::new(contents.listing(file, None))))
}

/// The failure for a file over the size limit; `name` is escaped.
pub(crate) fn too_long(name: &str, most: usize) -> Failure {
    let failure = Failure::usage(format!("`{name}` is over the limit of {most} bytes"));
    match most < FILE_BYTES {
        true => failure.with_help("raise it with `--max-file-bytes N`, at most 1 GiB"),
        false => failure,
    }
}

/// The end of the message for a file in none of the known formats.
pub(crate) const NOTHING: &str = "holds neither tools nor `mcpServers`";

/// What a file says of one server.
struct Contents {
    server: Option<ServerFacts>,
    tools: Vec<String>,
    /// Where the tools are.
    places: Vec<ToolPlace>,
    pages: Vec<ListedPage>,
    partial: bool,
}

impl Contents {
    fn of(root: View<'_>) -> Option<Self> {
        let own = tools(root);
        let read = is_of_provider(own.unwrap_or(root)).then(|| read_provider_tools(root));
        let (tools, places) = match (read.flatten(), own) {
            (Some(read), _) => {
                let place = |tool: ProviderTool| {
                    let (text, start) = (tool.text.clone(), tool.start);
                    let read = Some(tool);
                    (text, ToolPlace { start, read })
                };
                read.into_iter().map(place).unzip()
            }
            (None, Some(tools)) => {
                let place = |tool: View<'_>| {
                    let start = tool.span().start;
                    (tool.raw().to_owned(), ToolPlace { start, read: None })
                };
                tools.items().map(place).unzip()
            }
            (None, None) => return None,
        };
        Some(Self {
            server: facts(root),
            tools,
            places,
            pages: pages(root),
            partial: has_next_page(root),
        })
    }

    fn listing(self, file: SourceFile, key: Option<String>) -> SavedListing {
        SavedListing {
            file,
            key,
            server: self.server,
            tools: self.tools,
            pages: self.pages,
            partial: self.partial,
        }
    }
}

/// The page that a listing is, for each list in it.
fn pages(root: View<'_>) -> Vec<ListedPage> {
    let result = root.member("result").unwrap_or(root);
    let others = LISTS.iter().filter(|list| list.method.ends_with("/list"));
    let others = others.map(|list| (list.method, list.member));
    let all = [(TOOLS, "tools")].into_iter().chain(others);
    let all = all.filter(|(_, member)| result.member(member).is_some());
    let span = result.span();
    all.map(|(method, _)| ListedPage {
        method: method.to_owned(),
        // A saved listing need not have been a page.
        is_cached: result.member("resultType").is_some(),
        text: PageText::InFile(span.start..span.end),
    })
    .collect()
}

/// Whether an answer to `tools/list` names another page.
fn has_next_page(root: View<'_>) -> bool {
    let result = root.member("result").unwrap_or(root);
    let cursor = result.member("nextCursor");
    cursor.is_some_and(|cursor| cursor.kind() == Kind::String)
}

/// The listings of several servers, as `--save` writes them.
fn contents_of_all(file: &str, all: View<'_>) -> Result<Vec<(String, Contents)>, Failure> {
    let one = |(key, one): (KeyView<'_>, View<'_>)| {
        let key = toolsure_json::Key::text(key);
        match Contents::of(one) {
            Some(contents) => Ok((key.to_owned(), contents)),
            None => Err(Failure::usage(format!(
                "`{file}`: the listing `{}` has no `tools`",
                quote(key, 60)
            ))),
        }
    };
    all.members().map(one).collect()
}

/// Whether entries have the form of a provider's API, by what only these forms have.
fn is_of_provider(entries: View<'_>) -> bool {
    let is_own = |entry: View<'_>| {
        let kind = entry.member("type").map_or("", Node::string);
        let members = [
            "input_schema",
            "functionDeclarations",
            "function_declarations",
        ];
        kind == "function" || members.iter().any(|name| entry.member(name).is_some())
    };
    match entries.kind() {
        Kind::Array => {
            let listed = |entry: View<'_>| entry.member("inputSchema").is_some();
            entries.items().any(is_own) && !entries.items().any(listed)
        }
        _ => is_own(entries),
    }
}

/// The array of tools, wherever the usual shapes have it.
fn tools(root: View<'_>) -> Option<View<'_>> {
    let array = |value: Option<View<'_>>| -> bool {
        value.is_some_and(|value| value.kind() == Kind::Array)
    };
    if root.kind() == Kind::Array {
        return Some(root);
    }
    let direct = root.member("tools");
    if array(direct) {
        return direct;
    }
    root.member("result")
        .and_then(|result| result.member("tools"))
        .filter(|tools| array(Some(*tools)))
}

fn facts(root: View<'_>) -> Option<ServerFacts> {
    let info = root
        .member("serverInfo")
        .filter(|info| info.kind() == Kind::Object)?;
    let text = |value: Option<View<'_>>| value.map_or("", Node::string).to_owned();
    let protocol = text(root.member("protocolVersion"));
    Some(ServerFacts {
        name: text(info.member("name")),
        version: text(info.member("version")),
        raw: Some(info.raw().to_owned()),
        protocol,
        instructions: root
            .member("instructions")
            .filter(|text| text.kind() == Kind::String)
            .map(|text| text.string().to_owned()),
    })
}

fn unreadable(path: &str, name: &str, error: &io::Error) -> Failure {
    let failure = Failure::usage(format!("cannot read `{name}`: {error}"));
    match error.kind() {
        io::ErrorKind::NotFound if !path.contains(['/', '.']) => failure.with_help(format!(
            "to start a server write `toolsure check -- {name} …`"
        )),
        io::ErrorKind::NotFound if path.starts_with("localhost") || path.starts_with("127.") => {
            failure.with_help(format!("a URL begins with `http://`: `http://{name}`"))
        }
        _ => failure,
    }
}

/// Loose limits: a problem of one tool must not make the file unreadable.
fn limits(most: usize) -> ReadLimits {
    ReadLimits {
        bytes: most,
        depth: usize::MAX,
        nodes: usize::MAX,
        digits: usize::MAX,
        duplicate_keys: DuplicateKeys::KeepLast,
    }
}

/// Bytes of a file whose progress is shown.
const LONG: u64 = 16 << 20;
/// Maximum bytes of a file, unless the operator lowers it.
pub(crate) const FILE_BYTES: usize = local::BYTES;
