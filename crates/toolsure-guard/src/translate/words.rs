//! The names in both eras that a translation must know: methods, levels, keys of `_meta`.

use toolsure_json::{Kind, Node as _, View};
use toolsure_mcp::era::Era;

/// The version that requests of the modern era declare here.
pub(super) const MODERN: &str = Era::NEWEST.version();

/// Keys of a request's `_meta` (2026-07-28, basic/index).
pub(super) const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
pub(super) const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
pub(super) const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
pub(super) const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// A key of a result's `_meta`.
pub(super) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// Whether a key of `_meta` only occurs in requests of the modern era.
pub(super) fn declares(key: &str) -> bool {
    matches!(key, VERSION | CLIENT_INFO | CAPABILITIES | LOG_LEVEL)
}

/// The extension that replaced the tasks of the legacy era. Neither can be expressed in the other era.
pub(super) const TASKS: &str = "io.modelcontextprotocol/tasks";

/// Why tasks are not translated.
pub(super) const NO_TASKS: &str = "tasks differ between the two versions";

/// Whether answers to a method say how long they may be cached (2026-07-28, server/utilities/caching).
pub(super) fn is_kept(method: &str) -> bool {
    matches!(
        method,
        "tools/list"
            | "prompts/list"
            | "resources/list"
            | "resources/templates/list"
            | "resources/read"
            | "server/discover"
    )
}

/// Whether the server may ask for input before it answers (2026-07-28,
/// basic/patterns/mrtr).
pub(super) fn may_ask(method: &str) -> bool {
    matches!(method, "tools/call" | "prompts/get" | "resources/read")
}

// The methods with which a server may ask a client.
pub(super) const ELICITATION: &str = "elicitation/create";
const SAMPLING: &str = "sampling/createMessage";
const ROOTS: &str = "roots/list";

/// The method, if a server may ask a client with it.
pub(super) fn question_method(method: &str) -> Option<&'static str> {
    let known = [ELICITATION, SAMPLING, ROOTS];
    known.into_iter().find(|known| *known == method)
}

/// What a server may ask a client for, and what a client can provide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Abilities {
    form: bool,
    url: bool,
    sampling: bool,
    sampling_tools: bool,
    roots: bool,
}

impl Abilities {
    /// Reads client capabilities, of either era.
    pub(super) fn of(capabilities: View<'_>) -> Self {
        let has = |name| capabilities.member(name).is_some_and(is_object);
        let elicitation = capabilities
            .member("elicitation")
            .filter(|is| is_object(*is));
        let sampling = capabilities.member("sampling");
        let mode = |name| elicitation.is_some_and(|is| is.member(name).is_some());
        Self {
            // Without a mode it is `form`, which was the only mode.
            form: elicitation.is_some() && (mode("form") || !mode("url")),
            url: mode("url"),
            sampling: has("sampling"),
            sampling_tools: sampling.is_some_and(|is| is.member("tools").is_some()),
            roots: has("roots"),
        }
    }

    /// Whether there is anything that can be asked for.
    pub(super) fn any(self) -> bool {
        self.form || self.url || self.sampling || self.roots
    }

    /// The capabilities that are missing for a request, as JSON; `Err` if no capability covers such a
    /// request.
    pub(super) fn missing(
        self,
        method: &str,
        params: Option<View<'_>>,
    ) -> Result<Option<&'static str>, ()> {
        let mode = params.and_then(|params| params.member("mode"));
        let by_url = mode.is_some_and(|mode| mode.string() == "url");
        let tools = params.and_then(|params| params.member("tools"));
        let with_tools = tools.is_some_and(|tools| !tools.is_empty());
        let (has, required) = match method {
            ELICITATION if by_url => (self.url, r#"{"elicitation":{"url":{}}}"#),
            ELICITATION => (self.form, r#"{"elicitation":{"form":{}}}"#),
            SAMPLING if with_tools => (self.sampling_tools, r#"{"sampling":{"tools":{}}}"#),
            SAMPLING => (self.sampling, r#"{"sampling":{}}"#),
            ROOTS => (self.roots, r#"{"roots":{}}"#),
            _ => return Err(()),
        };
        Ok((!has).then_some(required))
    }
}

/// The severity of a log message; `debug` is the lowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Level(usize);

impl Level {
    pub(super) fn read(view: View<'_>) -> Option<Self> {
        let name = view.string();
        LEVELS.iter().position(|level| *level == name).map(Self)
    }

    pub(super) fn name(self) -> &'static str {
        LEVELS.get(self.0).copied().unwrap_or_default()
    }
}

const LEVELS: [&str; 8] = [
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
];

/// The lists whose changes are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Lists([bool; 3]);

/// For each list: the capability, the member of a subscription, the notification.
const LISTS: [(&str, &str, &str); 3] = [
    (
        "tools",
        "toolsListChanged",
        "notifications/tools/list_changed",
    ),
    (
        "prompts",
        "promptsListChanged",
        "notifications/prompts/list_changed",
    ),
    (
        "resources",
        "resourcesListChanged",
        "notifications/resources/list_changed",
    ),
];

impl Lists {
    /// The lists whose changes a server says that it reports.
    pub(super) fn offered(capabilities: View<'_>) -> Self {
        Self(LISTS.map(|(name, ..)| {
            let list = capabilities.member(name);
            list.and_then(|list| list.member("listChanged"))
                .is_some_and(View::boolean)
        }))
    }

    /// The lists that a subscription asks for.
    pub(super) fn wanted(filter: View<'_>) -> Self {
        Self(LISTS.map(|(_, name, _)| filter.member(name).is_some_and(View::boolean)))
    }

    pub(super) fn both(self, other: Self) -> Self {
        let (Self([a, b, c]), Self([d, e, f])) = (self, other);
        Self([a && d, b && e, c && f])
    }

    pub(super) fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// The lists as the filter of a subscription.
    pub(super) fn filter(self) -> String {
        let names = self
            .chosen()
            .map(|(_, name, _)| format!(r#""{name}":true"#));
        format!("{{{}}}", names.collect::<Vec<_>>().join(","))
    }

    /// The notifications for these lists.
    pub(super) fn notifications(self) -> impl Iterator<Item = &'static str> {
        self.chosen().map(|(_, _, notification)| notification)
    }

    /// Whether a notification is for one of these lists.
    pub(super) fn has(self, method: &str) -> bool {
        self.notifications().any(|known| known == method)
    }

    fn chosen(self) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
        let lists = LISTS.into_iter().zip(self.0);
        lists.filter_map(|(list, chosen)| chosen.then_some(list))
    }
}

/// Whether a notification says that a list changed.
pub(super) fn is_list_changed(method: &str) -> bool {
    LISTS
        .iter()
        .any(|(.., notification)| *notification == method)
}

pub(super) fn is_object(view: View<'_>) -> bool {
    view.kind() == Kind::Object
}
