//! A pool of checkers, so that their memory is reused.

use std::sync::{Mutex, PoisonError};

use toolsure_mcp::check::{Checker, OnUndecided};
use toolsure_mcp::contract::Engine;

/// How checks are made.
#[derive(Debug, Clone, Default)]
pub(crate) struct CheckOptions {
    pub(crate) on_undecided: OnUndecided,
    pub(crate) fuel: Option<u64>,
    /// Whether definitions may have argument schemas.
    pub(crate) argument_schemas: bool,
    pub(crate) engine: Option<Engine>,
}

/// A pool of checkers. No check waits for another. A checker is never held across an `await`, so
/// there are at most as many as threads.
#[derive(Debug, Default)]
pub(crate) struct Checkers {
    options: CheckOptions,
    idle: Mutex<Vec<Checker>>,
}

impl Checkers {
    pub(crate) fn new(options: CheckOptions) -> Self {
        Self {
            options,
            idle: Mutex::default(),
        }
    }

    /// Runs `check` with a checker that nobody else uses.
    pub(crate) fn with<T>(&self, check: impl FnOnce(&mut Checker) -> T) -> T {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut checker = taken.unwrap_or_else(|| self.fresh());
        let answer = check(&mut checker);
        idle().push(checker);
        answer
    }

    fn fresh(&self) -> Checker {
        let options = &self.options;
        let mut checker = Checker::new().on_undecided(options.on_undecided);
        if let Some(units) = options.fuel {
            checker = checker.fuel(units);
        }
        if options.argument_schemas {
            checker = checker.argument_schemas();
        }
        if let Some(engine) = &options.engine {
            checker = checker.engine(engine.clone());
        }
        checker
    }
}
