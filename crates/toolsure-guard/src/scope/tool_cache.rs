//! Pages of tools, shared by all scopes with the same page.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use sha2::{Digest as _, Sha256};
use toolsure_json::{Node as _, OwnedDocument, ReadLimits};
use toolsure_mcp::argument::{ArgumentSchema, LISTED, SchemaError};
use toolsure_mcp::catalog::{Listing, ToolSet, UnreadableListing};
use toolsure_mcp::contract::{Isolated, SchemaStore, ToolContract};
use toolsure_mcp::provider::ProviderTools;
use toolsure_schema::Compiler;

use crate::lock::{COMPARED, Compared, Digest, Lock, Pin};
use crate::policy::{Hints, Rules};

/// A known tool.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) contract: Arc<ToolContract>,
    pin: OnceLock<Option<Pin>>,
    compared: Mutex<Option<LockComparison>>,
    /// How many tools of its page may still be compared by what changed, with one lock.
    comparisons: Arc<Comparisons>,
    arguments: OnceLock<Option<Result<ArgumentSchema, SchemaError>>>,
    hints: OnceLock<Option<Hints>>,
}

impl Known {
    /// The pin of the tool as it is now, to be compared with the stored one.
    pub(crate) fn pin(&self) -> Option<&Pin> {
        let pin = self.pin.get_or_init(|| Pin::of_contract(&self.contract));
        pin.as_ref()
    }

    /// How it differs from its definition in a lock, of which it remembers the last one.
    pub(crate) fn compared(&self, lock: &Arc<Lock>, compiler: &Compiler) -> Arc<Compared> {
        let mut compared = self.compared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((with, compared)) = &*compared
            && Arc::ptr_eq(with, lock)
        {
            return Arc::clone(compared);
        }
        let left = self.comparisons.with(lock);
        let now = lock.compare(&self.contract, compiler, &left);
        let now = Arc::new(now);
        *compared = Some((Arc::clone(lock), Arc::clone(&now)));
        now
    }

    /// The hints in its annotations.
    pub(crate) fn hints(&self) -> Option<Hints> {
        *self.hints.get_or_init(|| {
            let text = self.contract.text();
            let tool = OwnedDocument::read(text, &ReadLimits::default()).ok()?;
            Some(Hints::of(tool.document().root()))
        })
    }

    /// The argument schema that the server lists beside the input schema, if it does.
    pub(crate) fn listed_arguments(&self) -> Option<Result<&ArgumentSchema, &SchemaError>> {
        let listed = self.arguments.get_or_init(|| {
            let text = self.contract.text();
            if !text.contains("argument") && !text.contains("\\u") {
                return None;
            }
            let tool = OwnedDocument::read(text, &ReadLimits::default()).ok()?;
            let schema = tool.document().root().member("_meta")?.member(LISTED)?;
            Some(ArgumentSchema::read(schema.raw().as_bytes()))
        });
        listed.as_ref().map(Result::as_ref)
    }
}

/// How many tools of a page may still be compared by what changed: each lock has all of them.
#[derive(Debug, Default)]
struct Comparisons(Mutex<Option<(Arc<Lock>, Arc<AtomicUsize>)>>);

impl Comparisons {
    fn with(&self, lock: &Arc<Lock>) -> Arc<AtomicUsize> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*state {
            Some((with, left)) if Arc::ptr_eq(with, lock) => Arc::clone(left),
            _ => {
                let left = Arc::new(AtomicUsize::new(COMPARED));
                *state = Some((Arc::clone(lock), Arc::clone(&left)));
                left
            }
        }
    }
}

/// A lock, and how a tool differs from its definition there.
type LockComparison = (Arc<Lock>, Arc<Compared>);

/// The tools of one page.
#[derive(Debug)]
pub(crate) struct PageTools {
    pub(crate) tools: Vec<Arc<Known>>,
    /// The malformed tools that a call can name, and the first one without a name.
    pub(crate) isolated: Vec<Isolated>,
    pub(crate) bytes: usize,
    /// The digest of the list that has these tools alone.
    digest: OnceLock<Option<Digest>>,
    /// The tools in the form for a provider, under the policy with this number.
    projected: Mutex<Option<(u64, Arc<ProviderTools>)>>,
    tool_cache: Weak<ToolCache>,
}

impl PageTools {
    /// The digest of the list, if this page is all of it, as the server defines the tools; `None` if one of them has none.
    pub(crate) fn digest(&self) -> Option<Digest> {
        *self.digest.get_or_init(|| {
            if !self.isolated.is_empty() {
                return None;
            }
            let entries = self.tools.iter();
            let entries = entries.map(|tool| {
                let digest = Digest::of_definition(tool.contract.listed_text())?;
                Some((tool.contract.name(), digest))
            });
            Digest::of_list(entries.collect::<Option<Vec<_>>>()?)
        })
    }

    /// The tools in the form for the provider that the policy names, if it names one. They are projected
    /// once for each policy.
    pub(crate) fn projected(&self, rules: &Rules) -> Option<Arc<ProviderTools>> {
        let projector = rules.policy.project_for.as_deref()?;
        let mut projected = self.lock_projected();
        if let Some((under, tools)) = &*projected
            && *under == rules.generation
        {
            return Some(Arc::clone(tools));
        }
        let contracts = self.tools.iter().map(|tool| &tool.contract);
        let tools = Arc::new(ProviderTools::of(contracts, projector));
        if let Some(tool_cache) = self.tool_cache.upgrade() {
            let held = projected.as_ref().map_or(0, |(_, held)| bytes_of(held));
            tool_cache
                .bytes
                .fetch_add(bytes_of(&tools), Ordering::Relaxed);
            tool_cache.bytes.fetch_sub(held, Ordering::Relaxed);
        }
        *projected = Some((rules.generation, Arc::clone(&tools)));
        Some(tools)
    }

    fn lock_projected(&self) -> MutexGuard<'_, Option<(u64, Arc<ProviderTools>)>> {
        self.projected
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for PageTools {
    fn drop(&mut self) {
        if let Some(tool_cache) = self.tool_cache.upgrade() {
            let projected = self.lock_projected();
            let projected = projected.as_ref().map_or(0, |(_, held)| bytes_of(held));
            let held = self.bytes.saturating_add(projected);
            tool_cache.bytes.fetch_sub(held, Ordering::Relaxed);
        }
    }
}

/// Bytes of the texts of projected tools.
fn bytes_of(tools: &ProviderTools) -> usize {
    tools.projected().map(|tool| tool.text.len()).sum()
}

/// All pages that are in use. A thousand callers who are shown the same page share one copy of it.
#[derive(Debug)]
pub(crate) struct ToolCache {
    pages: Mutex<HashMap<[u8; 32], Weak<PageTools>>>,
    bytes: AtomicUsize,
    store: SchemaStore,
    /// Digests of what was recorded about the form in which tools are listed.
    told: Mutex<HashSet<[u8; 32]>>,
    /// How many sessions have begun.
    sessions: AtomicU64,
}

impl ToolCache {
    pub(crate) fn new(store: SchemaStore) -> Arc<Self> {
        Arc::new(Self {
            pages: Mutex::default(),
            bytes: AtomicUsize::new(0),
            store,
            told: Mutex::default(),
            sessions: AtomicU64::new(0),
        })
    }

    /// The store that compiles schemas.
    pub(crate) fn store(&self) -> &SchemaStore {
        &self.store
    }

    /// The number of a session that begins now.
    pub(crate) fn next_session(&self) -> u64 {
        self.sessions.fetch_add(1, Ordering::Relaxed)
    }

    /// Bytes of all pages in use.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Whether this is the first time that `what` is said of the tool with this definition. When
    /// [`TOLD`] statements are remembered, all are forgotten, and may be repeated.
    pub(crate) fn is_first(&self, definition: &str, what: &str) -> bool {
        let mut hash = Sha256::new();
        hash.update(definition.len().to_le_bytes());
        hash.update(definition);
        hash.update(what);
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() >= TOLD {
            told.clear();
        }
        told.insert(hash.finalize().into())
    }

    /// The tools of a page; an existing copy if there is an identical page.
    pub(crate) fn page(
        self: &Arc<Self>,
        listing: &Listing,
    ) -> Result<Arc<PageTools>, UnreadableListing> {
        let mut hash = Sha256::new();
        hash.update(listing.result().raw());
        // Tools that were cut out because they cannot be read count too, and definitions of which the
        // text has another form.
        for isolated in listing.unreadable() {
            hash.update(isolated.to_string());
        }
        for original in listing.originals() {
            hash.update(original);
        }
        let digest = hash.finalize().into();
        let pages = || self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        let known = pages().get(&digest).and_then(Weak::upgrade);
        if let Some(page) = known {
            return Ok(page);
        }
        // Without the lock, so that other lists do not wait for a large one.
        let page = Arc::new(self.read(listing)?);
        self.bytes.fetch_add(page.bytes, Ordering::Relaxed);
        let mut pages = pages();
        if let Some(page) = pages.get(&digest).and_then(Weak::upgrade) {
            return Ok(page);
        }
        if pages.len()
            >= 2 * pages
                .values()
                .filter(|page| page.strong_count() > 0)
                .count()
                + 16
        {
            pages.retain(|_, page| page.strong_count() > 0);
        }
        pages.insert(digest, Arc::downgrade(&page));
        Ok(page)
    }

    fn read(self: &Arc<Self>, listing: &Listing) -> Result<PageTools, UnreadableListing> {
        let mut set = ToolSet::new();
        set.add(listing, &self.store)?;
        let comparisons = Arc::new(Comparisons::default());
        let known = |contract: &Arc<ToolContract>| {
            Arc::new(Known {
                contract: Arc::clone(contract),
                pin: OnceLock::new(),
                compared: Mutex::default(),
                comparisons: Arc::clone(&comparisons),
                arguments: OnceLock::new(),
                hints: OnceLock::new(),
            })
        };
        Ok(PageTools {
            tools: set.tools().map(known).collect(),
            isolated: worth_knowing(set.isolated()),
            bytes: listing.text().len(),
            digest: OnceLock::new(),
            projected: Mutex::default(),
            tool_cache: Arc::downgrade(self),
        })
    }
}

/// The malformed tools without duplicates: one for each name, and one for all without a name.
fn worth_knowing(isolated: &[Isolated]) -> Vec<Isolated> {
    let mut unnamed = false;
    let mut names = HashSet::new();
    let known = isolated.iter().filter(|tool| match &tool.name {
        Some(name) => names.insert(name.as_str()),
        None => !std::mem::replace(&mut unnamed, true),
    });
    known.cloned().collect()
}

/// Maximum statements about tools that are remembered.
const TOLD: usize = 65_536;
