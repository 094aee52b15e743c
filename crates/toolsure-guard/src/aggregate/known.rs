//! Which server owns a URI or a task, as far as it is known.

use std::collections::{HashMap, VecDeque};

/// The kind of thing that is searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    Uri,
    Template,
    Task,
}

/// Which server owns what, as far as it is known; bounded.
#[derive(Debug)]
pub(super) struct Known {
    most: usize,
    uris: HashMap<String, usize>,
    /// Owners by complete template.
    templates: HashMap<String, usize>,
    tasks: HashMap<String, usize>,
    /// Tasks in order of creation; the oldest are forgotten first.
    order: VecDeque<String>,
}

impl Known {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            uris: HashMap::new(),
            templates: HashMap::new(),
            tasks: HashMap::new(),
            order: VecDeque::new(),
        }
    }

    /// Remembers the owner of something. `Err` is another server that already owns it.
    pub(super) fn learn(
        &mut self,
        subject: Subject,
        name: &str,
        route: usize,
    ) -> Result<(), usize> {
        let table = match subject {
            Subject::Uri => &mut self.uris,
            Subject::Template => &mut self.templates,
            Subject::Task => &mut self.tasks,
        };
        if let Some(owner) = table.get(name) {
            return if *owner == route { Ok(()) } else { Err(*owner) };
        }
        if name.len() > LONGEST {
            return Ok(());
        }
        if table.len() >= self.most {
            if subject != Subject::Task {
                return Ok(());
            }
            while table.len() >= self.most {
                let Some(oldest) = self.order.pop_front() else {
                    return Ok(());
                };
                table.remove(&oldest);
            }
        }
        table.insert(name.to_owned(), route);
        if subject == Subject::Task {
            self.order.push_back(name.to_owned());
        }
        Ok(())
    }

    /// The owner, if it is known for certain.
    pub(super) fn owner(&self, subject: Subject, name: &str) -> Option<usize> {
        match subject {
            Subject::Task => self.tasks.get(name).copied(),
            Subject::Uri | Subject::Template => {
                let own = self.uris.get(name).or_else(|| self.templates.get(name));
                own.copied()
            }
        }
    }

    /// The server whose template has the longest common prefix with a URI.
    pub(super) fn likely(&self, subject: Subject, name: &str) -> Option<usize> {
        if subject == Subject::Task {
            return None;
        }
        let fitting = self.templates.iter().filter_map(|(template, route)| {
            let fixed = template.split('{').next().unwrap_or_default();
            (!fixed.is_empty() && name.starts_with(fixed)).then_some((fixed.len(), *route))
        });
        // The longest prefix wins; among equals the first server, independent of the order of the table.
        let best = fitting.max_by_key(|(length, route)| (*length, std::cmp::Reverse(*route)));
        best.map(|(_, route)| route)
    }

    /// Forgets what the server listed before, because the first page of the list is read again.
    pub(super) fn renew(&mut self, subject: Subject, route: usize) {
        match subject {
            Subject::Uri => self.uris.retain(|_, owner| *owner != route),
            Subject::Template => self.templates.retain(|_, owner| *owner != route),
            Subject::Task => {}
        }
    }

    /// Forgets everything that a server owned.
    pub(super) fn forget(&mut self, route: usize) {
        self.uris.retain(|_, owner| *owner != route);
        self.templates.retain(|_, owner| *owner != route);
        self.tasks.retain(|_, owner| *owner != route);
        let tasks = &self.tasks;
        self.order.retain(|task| tasks.contains_key(task));
    }
}

/// Maximum bytes of a name that is remembered.
const LONGEST: usize = 2_048;
