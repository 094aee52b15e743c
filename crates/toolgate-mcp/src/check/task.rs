//! Which tool made which task.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;

use crate::contract::ToolContract;

/// Remembers the contract of each task's tool, so that a result that comes later
/// meets the contract that the call met.
///
/// Bounded: of more tasks than it may hold, the oldest is forgotten.
pub struct TaskBook {
    tools: HashMap<String, (u64, Arc<ToolContract>)>,
    order: VecDeque<(u64, String)>,
    next: u64,
    capacity: usize,
}

impl TaskBook {
    /// A book for so many tasks.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self {
            tools: HashMap::new(),
            order: VecDeque::new(),
            next: 0,
            capacity,
        }
    }

    /// Writes down that `tool` made the task. Answers which task was forgotten
    /// for it, if one was.
    pub fn insert(&mut self, task: &str, tool: Arc<ToolContract>) -> Option<String> {
        let number = self.next;
        self.next += 1;
        self.tools.insert(task.to_owned(), (number, tool));
        self.order.push_back((number, task.to_owned()));
        let mut forgotten = None;
        while self.tools.len() > self.capacity || self.order.len() > 2 * self.capacity + 16 {
            let (number, task) = self.order.pop_front()?;
            if self.tools.get(&task).is_some_and(|(own, _)| *own == number) {
                if self.tools.len() > self.capacity {
                    self.tools.remove(&task);
                    forgotten = Some(task);
                } else {
                    self.order.push_back((number, task));
                }
            }
        }
        forgotten
    }

    /// The tool that made the task.
    #[must_use]
    pub fn tool(&self, task: &str) -> Option<&Arc<ToolContract>> {
        self.tools.get(task).map(|(_, tool)| tool)
    }

    /// Forgets a task that is over.
    pub fn remove(&mut self, task: &str) -> Option<Arc<ToolContract>> {
        self.tools.remove(task).map(|(_, tool)| tool)
    }

    /// How many tasks are remembered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }
}

impl fmt::Debug for TaskBook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TaskBook({} of {})", self.tools.len(), self.capacity)
    }
}
