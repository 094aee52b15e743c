//! One listing and its tools, wherever it comes from.

use std::ops::Range;

use toolsure_analysis::lint::ListPage;
use toolsure_guard::Digest;
use toolsure_json::{DuplicateKeys, Kind, Node as _, OwnedDocument, ReadLimits};
use toolsure_mcp::era::Era;
use toolsure_proxy::{Fault, ServerInfo};

use super::file::SourceFile;

/// The listing of one server, from wherever it comes.
#[derive(Debug)]
pub(crate) struct Listing {
    /// What was read, as the operator named it; escaped.
    pub(crate) target: String,
    /// What the server says about itself.
    pub(crate) server: Option<ServerFacts>,
    pub(crate) tools: Vec<ListedTool>,
    /// The pages in which the tools came, and those of other lists.
    pub(crate) pages: Vec<ListedPage>,
    /// Remarks on the server's behaviour, one line each; escaped.
    pub(crate) notes: Vec<String>,
    /// Whether the server may have more tools: the file has one page of its listing.
    pub(crate) partial: bool,
    /// Why there are no tools.
    pub(crate) fault: Option<Fault>,
    /// For a file: its name and text, to locate tools in it.
    pub(crate) file: Option<SourceFile>,
    /// The server's name in the file that names it or holds its listing; untrusted, not escaped.
    pub(crate) key: Option<String>,
    /// For a server of a configuration: the file that names it, escaped, and the line.
    pub(crate) named_at: Option<(String, usize)>,
}

/// A page of a list.
#[derive(Clone, Debug)]
pub(crate) struct ListedPage {
    /// The method of the request.
    pub(crate) method: String,
    /// Whether its protocol version has members that say how long it may be cached.
    pub(crate) is_cached: bool,
    pub(crate) text: PageText,
}

/// Where the text of a page is.
#[derive(Clone, Debug)]
pub(crate) enum PageText {
    Own(String),
    /// These bytes of the listing's file.
    InFile(Range<usize>),
}

/// One tool of a listing.
#[derive(Clone, Debug)]
pub(crate) struct ListedTool {
    /// Its text as received.
    pub(crate) text: String,
    /// `name`, if it is a string: untrusted, not escaped.
    pub(crate) name: Option<String>,
    /// Bytes of `inputSchema`, if there is one.
    pub(crate) input: Option<usize>,
    /// Bytes of `outputSchema`, if there is one.
    pub(crate) output: Option<usize>,
}

/// What a server says about itself; untrusted, not escaped.
#[derive(Clone, Debug)]
pub(crate) struct ServerFacts {
    pub(crate) name: String,
    pub(crate) version: String,
    /// The raw JSON of `serverInfo`.
    pub(crate) raw: Option<String>,
    pub(crate) protocol: String,
    pub(crate) instructions: Option<String>,
}

impl ServerFacts {
    /// The era of the protocol version.
    pub(crate) fn era(&self) -> &'static str {
        match Era::is_modern_version(&self.protocol) {
            true => "modern",
            false => "legacy",
        }
    }
}

impl ListedTool {
    /// Reads what a tool says of itself; of one that cannot be read, only the text is known.
    pub(crate) fn new(text: String) -> Self {
        let document = OwnedDocument::read(text.as_bytes(), &ANY).ok();
        let root = document.as_ref().map(|document| document.document().root());
        let member = |name: &str| root.and_then(|root| root.member(name));
        let name = member("name").filter(|name| name.kind() == Kind::String);
        let bytes = |name: &str| member(name).map(|schema| schema.raw().len());
        Self {
            name: name.map(|name| name.string().to_owned()),
            input: bytes("inputSchema"),
            output: bytes("outputSchema"),
            text,
        }
    }

    /// The digest of its definition; `None` if that has no canonical form, or two members with the same name.
    pub(crate) fn digest(&self) -> Option<Digest> {
        let document = OwnedDocument::read(self.text.as_bytes(), &UNIQUE).ok()?;
        Digest::of(document.document().root())
    }
}

impl Listing {
    /// A listing of these tools, given as text.
    pub(super) fn new(target: String, tools: Vec<String>) -> Self {
        Self {
            target,
            server: None,
            tools: tools.into_iter().map(ListedTool::new).collect(),
            pages: Vec::new(),
            notes: Vec::new(),
            partial: false,
            fault: None,
            file: None,
            key: None,
            named_at: None,
        }
    }

    /// That of a server that returned none.
    pub(super) fn failed(target: String, fault: Fault) -> Self {
        Self {
            fault: Some(fault),
            ..Self::new(target, Vec::new())
        }
    }

    /// The digest of the list of all tools. `None` if the listing is not complete, or a tool has no digest or shares its name with another.
    pub(crate) fn digest(&self) -> Option<Digest> {
        if self.partial || self.fault.is_some() {
            return None;
        }
        let entries = self.tools.iter();
        let entries = entries.map(|tool| Some((tool.name.as_deref()?, tool.digest()?)));
        Digest::of_list(entries.collect::<Option<Vec<_>>>()?)
    }

    /// The name by which a client probably knows the server: the one in the configuration, or else
    /// the server's own; untrusted, not escaped.
    pub(crate) fn server_name(&self) -> Option<&str> {
        let own = || self.server.as_ref().map(|server| server.name.as_str());
        let name = self.key.as_deref().or_else(own);
        name.filter(|name| !name.is_empty())
    }

    /// Its pages, with their texts.
    pub(crate) fn pages(&self) -> Vec<ListPage<'_>> {
        let pages = self.pages.iter();
        pages
            .map(|page| ListPage {
                method: page.method.as_str(),
                text: self.page_text(page),
                is_cached: page.is_cached,
            })
            .collect()
    }

    fn page_text<'p>(&'p self, page: &'p ListedPage) -> &'p str {
        match &page.text {
            PageText::Own(text) => text,
            PageText::InFile(range) => {
                let file = self.file.as_ref();
                let bytes = file.and_then(|file| file.text.get(range.clone()));
                bytes
                    .and_then(|bytes| std::str::from_utf8(bytes).ok())
                    .unwrap_or_default()
            }
        }
    }

    /// The texts of its tools.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> + Clone {
        self.tools.iter().map(|tool| tool.text.as_str())
    }
}

impl From<&ServerInfo> for ServerFacts {
    fn from(info: &ServerInfo) -> Self {
        Self {
            name: info.name.clone(),
            version: info.version.clone(),
            raw: info.raw.clone(),
            protocol: info.era.version().to_owned(),
            instructions: info.instructions.clone(),
        }
    }
}

/// The method that asks for tools.
pub(super) const TOOLS: &str = "tools/list";

/// No limits: a problem of one tool must not hide what it is.
pub(crate) const ANY: ReadLimits = ReadLimits {
    bytes: usize::MAX,
    depth: usize::MAX,
    nodes: usize::MAX,
    digits: usize::MAX,
    duplicate_keys: DuplicateKeys::KeepLast,
};
/// What has two members with the same name means different things to different readers, so it has no digest.
const UNIQUE: ReadLimits = ReadLimits {
    duplicate_keys: DuplicateKeys::Refuse,
    ..ANY
};
