//! Compiled schemas, shared by content and bounded in memory.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, Weak};

use toolsure_schema::{CompileError, Compiler, Formats, Schema, Strictness};

use super::schema_part::SchemaPart;

/// Compiles schemas when they are first needed and keeps them within a memory bound.
///
/// A schema is identified by its whole text: two tools with the same schema share one, and two
/// schemas with the same `$id` stay apart (all schemas of a store are compiled with the same
/// options, except for [formats](Self::choosing)). A caller that needs a schema that another thread
/// is compiling waits for it; no schema is compiled twice. When the compiled schemas together
/// exceed the bound, the least recently used are dropped, and compiled again when they are needed
/// again.
///
/// A store is a handle: clones share the schemas, and catalogs can share a store.
///
/// ```
/// use toolsure_mcp::contract::SchemaStore;
/// use toolsure_schema::{Compiler, Formats, Verdict, Workspace};
///
/// let store = SchemaStore::with(Compiler::new().formats(Formats::Assert), 1 << 20);
/// let date = store.schema(r#"{"format": "date"}"#)?;
/// assert_eq!(date.check(&mut Workspace::new(), r#""today""#)?, Verdict::Invalid);
/// assert_eq!(store.resident().0, 1);
///
/// // The same, but formats assert only in the schemas of one tool.
/// let compiler = store.compiler().clone();
/// let formats = |tool: &str, _| if tool == "book" { Formats::Assert } else { Formats::Annotate };
/// let chosen = SchemaStore::choosing(compiler, SchemaStore::BYTES, formats);
/// assert_eq!(chosen.compilations(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct SchemaStore(Arc<Inner>);

struct Inner {
    compiler: Compiler,
    /// What `format` does in each schema; the compiler's own setting if nothing is chosen.
    choose: Option<Choose>,
    bytes: usize,
    cache: Mutex<Cache>,
    /// The number of compilations. Uses are dated by it, so that a use writes to memory shared by
    /// threads only if something was compiled since.
    clock: AtomicU64,
}

/// Chooses what `format` does in a schema of the tool with this name.
type Choose = Box<dyn Fn(&str, SchemaPart) -> Formats + Send + Sync>;

#[derive(Default)]
struct Cache {
    /// By text, and by what `format` does if that was chosen.
    cells: HashMap<Key, Arc<Cell>>,
    bytes: usize,
}

type Key = (Arc<str>, Option<Formats>);

/// One schema: compiled, refused, or being compiled.
pub(super) struct Cell {
    formats: Option<Formats>,
    made: OnceLock<Result<Schema, Arc<CompileError>>>,
    used: AtomicU64,
    /// Zero while it is being compiled and not counted yet.
    weight: AtomicU64,
}

/// A contract's slot for a schema: empty until the schema is needed.
#[derive(Default)]
pub(super) struct Slot(RwLock<Weak<Cell>>);

impl SchemaStore {
    /// The default bound in bytes for all compiled schemas: 64 MiB.
    pub const BYTES: usize = 64 << 20;

    /// A store whose schemas are compiled as [`Compiler::new`] does: formats are annotations.
    #[must_use]
    pub fn new() -> Self {
        Self::with(Compiler::new(), Self::BYTES)
    }

    /// The same, but keywords that their dialect forbids are left out of a schema and reported,
    /// while [`new`](Self::new) refuses the schema.
    ///
    /// ```
    /// use toolsure_mcp::contract::SchemaStore;
    ///
    /// let wrong = r#"{"minimum": "1"}"#;
    /// assert!(SchemaStore::new().schema(wrong).is_err());
    /// assert_eq!(SchemaStore::lenient().schema(wrong)?.warnings().len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn lenient() -> Self {
        Self::with(Compiler::new().strictness(Strictness::Lenient), Self::BYTES)
    }

    /// A store with its own compiler, and a bound in bytes for compiled schemas (an estimate from
    /// the text and its patterns). The last compiled schema stays, whatever its size.
    #[must_use]
    pub fn with(compiler: Compiler, bytes: usize) -> Self {
        Self::made(compiler, bytes, None)
    }

    /// The same, but `choose` decides what `format` does in each schema. It is called at each use,
    /// so its answer may change.
    #[must_use]
    pub fn choosing(
        compiler: Compiler,
        bytes: usize,
        choose: impl Fn(&str, SchemaPart) -> Formats + Send + Sync + 'static,
    ) -> Self {
        Self::made(compiler, bytes, Some(Box::new(choose)))
    }

    fn made(compiler: Compiler, bytes: usize, choose: Option<Choose>) -> Self {
        Self(Arc::new(Inner {
            compiler,
            choose,
            bytes,
            cache: Mutex::default(),
            clock: AtomicU64::new(0),
        }))
    }

    /// The compiler that it was given.
    #[must_use]
    pub fn compiler(&self) -> &Compiler {
        &self.0.compiler
    }

    /// The number of compiled schemas and their estimated size in bytes.
    #[must_use]
    pub fn resident(&self) -> (usize, usize) {
        let cache = self.cache();
        (cache.cells.len(), cache.bytes)
    }

    /// The number of compilations since the store was made.
    ///
    /// ```
    /// use toolsure_mcp::contract::SchemaStore;
    ///
    /// let store = SchemaStore::new();
    /// store.schema("{}")?;
    /// store.schema("{}")?;
    /// assert_eq!((store.compilations(), store.resident().0), (1, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn compilations(&self) -> u64 {
        self.0.clock.load(Ordering::Relaxed)
    }

    /// The schema with this text, compiled now if it is not compiled yet.
    ///
    /// # Errors
    ///
    /// It does not compile.
    pub fn schema(&self, text: &str) -> Result<Schema, Arc<CompileError>> {
        self.cell(text, None).answer()
    }

    /// A tool's schema, through a slot that remembers its cell.
    pub(super) fn slotted(
        &self,
        slot: &Slot,
        tool: &str,
        part: SchemaPart,
        text: &str,
    ) -> Result<Schema, Arc<CompileError>> {
        let formats = self.0.choose.as_ref().map(|choose| choose(tool, part));
        let known = slot
            .0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .upgrade();
        if let Some(cell) = known.filter(|cell| cell.formats == formats) {
            cell.touch(self.0.clock.load(Ordering::Relaxed));
            if let Some(made) = cell.made.get() {
                return made.clone();
            }
        }
        let cell = self.cell(text, formats);
        *slot.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&cell);
        cell.answer()
    }

    fn cell(&self, text: &str, formats: Option<Formats>) -> Arc<Cell> {
        let cell = {
            let mut cache = self.cache();
            let key: Key = (Arc::from(text), formats);
            match cache.cells.get(&key) {
                Some(cell) => Arc::clone(cell),
                None => {
                    let cell = Arc::new(Cell {
                        formats,
                        made: OnceLock::new(),
                        used: AtomicU64::new(0),
                        weight: AtomicU64::new(0),
                    });
                    cache.cells.insert(key, Arc::clone(&cell));
                    cell
                }
            }
        };
        let mut compiled = false;
        cell.made.get_or_init(|| {
            compiled = true;
            let compiler = &self.0.compiler;
            let made = match formats {
                None => compiler.compile(text.as_bytes()),
                Some(formats) => compiler.clone().formats(formats).compile(text.as_bytes()),
            };
            made.map_err(Arc::new)
        });
        if compiled {
            self.admit(text, &cell);
        } else {
            cell.touch(self.0.clock.load(Ordering::Relaxed));
        }
        cell
    }

    /// Counts a newly compiled schema, and makes room for it.
    fn admit(&self, text: &str, cell: &Arc<Cell>) {
        let weight = match cell.made.get() {
            Some(Ok(schema)) => memory_bound(schema, text),
            _ => text.len() + REFUSED,
        };
        let date = self.0.clock.fetch_add(1, Ordering::Relaxed) + 1;
        let mut cache = self.cache();
        cell.used.store(2 * date, Ordering::Relaxed);
        cell.weight.store(to_u64(weight), Ordering::Relaxed);
        cache.bytes += weight;
        cache.make_room(self.0.bytes, cell);
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.0.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cache {
    /// Drops the least recently used schemas until the rest is within the bound. Goes a quarter
    /// below it, so that a full store does not sort at each compilation.
    fn make_room(&mut self, allowed: usize, newest: &Arc<Cell>) {
        if self.bytes <= allowed {
            return;
        }
        let mut old: Vec<(u64, Key, usize)> = Vec::new();
        for (key, cell) in &self.cells {
            let weight = to_usize(cell.weight.load(Ordering::Relaxed));
            if weight > 0 && !Arc::ptr_eq(cell, newest) {
                old.push((cell.used.load(Ordering::Relaxed), key.clone(), weight));
            }
        }
        old.sort_by_key(|(used, _, _)| *used);
        let goal = allowed - allowed / 4;
        for (_, key, weight) in old {
            if self.bytes <= goal {
                break;
            }
            self.cells.remove(&key);
            self.bytes -= weight.min(self.bytes);
        }
    }
}

impl Cell {
    fn answer(&self) -> Result<Schema, Arc<CompileError>> {
        match self.made.get() {
            Some(made) => made.clone(),
            // `SchemaStore::cell` returns only cells that are made.
            None => Schema::compile(b"false").map_err(Arc::new),
        }
    }

    /// Dates a use between compilation number `now` and the next one.
    fn touch(&self, now: u64) {
        let date = 2 * now + 1;
        if self.used.load(Ordering::Relaxed) != date {
            self.used.store(date, Ordering::Relaxed);
        }
    }
}

impl Default for SchemaStore {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for SchemaStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (schemas, bytes) = self.resident();
        write!(f, "SchemaStore({schemas} schemas, {bytes} bytes)")
    }
}

fn to_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

fn to_usize(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// The size of a refused schema in addition to its text.
const REFUSED: usize = 512;

/// The number of bytes that a compiled schema may use, including the automata that its patterns
/// build when they are first matched, and the memory for explaining a failure. An upper estimate.
fn memory_bound(schema: &Schema, text: &str) -> usize {
    BASE + text.len() + schema.memory()
}

/// The size of any schema in addition to the text that is its key.
const BASE: usize = 1 << 10;
