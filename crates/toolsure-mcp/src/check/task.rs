//! Remembers which tool created which task.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;

use crate::contract::ToolContract;
use crate::message::ID_BYTES;

/// Remembers the contract of each task's tool, so that a later result is checked against the same
/// contract as the call.
///
/// Bounded: when it is full, the oldest task is forgotten, and ids of more than 2,048 bytes are not
/// remembered.
///
/// ```
/// use std::sync::Arc;
/// use toolsure_mcp::check::PendingTasks;
/// use toolsure_mcp::contract::{SchemaStore, ToolContract};
///
/// let tool = br#"{"name": "find", "inputSchema": {"type": "object"}}"#;
/// let tool = Arc::new(ToolContract::read(tool, &SchemaStore::new())?);
/// let mut tasks = PendingTasks::new(10);
/// tasks.insert("a", tool);
/// assert_eq!((tasks.len(), tasks.tool("a").map(|tool| tool.name())), (1, Some("find")));
/// assert!(tasks.remove("a").is_some() && tasks.is_empty());
/// # Ok::<(), toolsure_mcp::contract::MalformedTool>(())
/// ```
pub struct PendingTasks {
    /// `None` if two tools claim to have created the task.
    tools: HashMap<Arc<str>, (u64, Option<Arc<ToolContract>>)>,
    order: VecDeque<(u64, Arc<str>)>,
    next: u64,
    capacity: usize,
}

impl PendingTasks {
    /// Holds at most this many tasks; the oldest is forgotten first.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self {
            tools: HashMap::new(),
            order: VecDeque::new(),
            next: 0,
            capacity,
        }
    }

    /// Remembers that `tool` created the task. Returns the task that was forgotten to make room, if
    /// any. If another tool created the same task before, its tool is no longer known: task ids are
    /// unique, and its result could be checked against the wrong contract.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolsure_mcp::check::PendingTasks;
    /// use toolsure_mcp::contract::{SchemaStore, ToolContract};
    ///
    /// let tool = br#"{"name": "find", "inputSchema": {"type": "object"}}"#;
    /// let tool = Arc::new(ToolContract::read(tool, &SchemaStore::new())?);
    /// let mut tasks = PendingTasks::new(1);
    /// assert_eq!(tasks.insert("a", Arc::clone(&tool)), None);
    /// assert_eq!(tasks.insert("b", tool).as_deref(), Some("a"));
    /// assert!(tasks.tool("b").is_some());
    /// # Ok::<(), toolsure_mcp::contract::MalformedTool>(())
    /// ```
    pub fn insert(&mut self, task: &str, tool: Arc<ToolContract>) -> Option<String> {
        if task.len() > ID_BYTES {
            return None;
        }
        let number = self.next;
        self.next += 1;
        let tool = match self.tools.get(task) {
            Some((_, known)) => {
                let is_same = known
                    .as_ref()
                    .is_some_and(|known| known.name() == tool.name());
                is_same.then_some(tool)
            }
            None => Some(tool),
        };
        let task: Arc<str> = Arc::from(task);
        self.tools.insert(Arc::clone(&task), (number, tool));
        self.order.push_back((number, task));
        let mut forgotten = None;
        let tools = &mut self.tools;
        let is_current = |tools: &HashMap<Arc<str>, (u64, _)>, number: u64, task: &str| {
            tools.get(task).is_some_and(|(own, _)| *own == number)
        };
        while tools.len() > self.capacity {
            let (number, task) = self.order.pop_front()?;
            if is_current(tools, number, &task) {
                tools.remove(&task);
                forgotten = Some(task.as_ref().to_owned());
            }
        }
        // Tasks that ended or were inserted again leave stale entries in the order.
        if self.order.len() > 2 * self.capacity + 16 {
            self.order
                .retain(|(number, task)| is_current(tools, *number, task));
        }
        forgotten
    }

    /// The tool that created the task.
    #[must_use]
    pub fn tool(&self, task: &str) -> Option<&Arc<ToolContract>> {
        self.tools.get(task)?.1.as_ref()
    }

    /// Forgets a task that has ended.
    pub fn remove(&mut self, task: &str) -> Option<Arc<ToolContract>> {
        self.tools.remove(task)?.1
    }

    /// The number of remembered tasks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether no task is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }
}

impl fmt::Debug for PendingTasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PendingTasks({} of {})", self.tools.len(), self.capacity)
    }
}
