//! Builds a tree of units from an evaluation, for the output formats.

use std::ops::ControlFlow;

use super::locate::Locator;
use crate::explain::kind::FindingKind;
use crate::explain::sink::{EvaluationLocation, Full, Sink};
use crate::model::Model;

/// A subschema applied to a value, or a keyword of such a subschema.
#[derive(Debug)]
pub(super) struct Unit {
    /// The keyword's name; `None` for a subschema.
    pub(super) keyword: Option<String>,
    pub(super) path: String,
    pub(super) absolute: String,
    pub(super) instance: String,
    pub(super) valid: bool,
    pub(super) error: Option<String>,
    /// JSON text.
    pub(super) annotation: Option<String>,
    pub(super) parent: Option<usize>,
}

/// The units in the order they began; parents come before their children.
pub(super) struct Tree<'o> {
    locator: Locator<'o>,
    pub(super) units: Vec<Unit>,
    open: Vec<usize>,
    bytes: usize,
}

impl<'o> Tree<'o> {
    pub(super) fn new(model: &'o Model) -> Self {
        Self {
            locator: Locator::new(model),
            units: Vec::new(),
            open: Vec::new(),
            bytes: BYTES,
        }
    }

    /// The children of every unit, by its index.
    pub(super) fn children(&self) -> Vec<Vec<usize>> {
        let mut children = vec![Vec::new(); self.units.len()];
        for (index, unit) in self.units.iter().enumerate() {
            if let Some(list) = unit.parent.and_then(|parent| children.get_mut(parent)) {
                list.push(index);
            }
        }
        children
    }

    fn pay(&mut self, size: usize) -> ControlFlow<Full> {
        match self.bytes.checked_sub(size) {
            Some(left) => {
                self.bytes = left;
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(Full),
        }
    }
}

impl Sink for Tree<'_> {
    const EVERYTHING: bool = true;

    fn enter(&mut self, spot: EvaluationLocation<'_>) -> ControlFlow<Full> {
        if self.units.len() >= UNITS {
            return ControlFlow::Break(Full);
        }
        let ((path, behind), instance) = (spot.path(), spot.instance());
        let behind = path.get(behind..).unwrap_or_default();
        let absolute = self.locator.absolute(spot.sub, spot.origin, behind);
        self.pay(UNIT_BYTES + absolute.len() + path.len() + instance.len())?;
        let index = self.units.len();
        self.units.push(Unit {
            keyword: spot.keyword.map(str::to_owned),
            path,
            absolute,
            instance,
            // Until it ends, it is not known to hold.
            valid: false,
            error: None,
            annotation: None,
            parent: self.open.last().copied(),
        });
        self.open.push(index);
        ControlFlow::Continue(())
    }

    fn finding(&mut self, spot: EvaluationLocation<'_>, kind: FindingKind) -> ControlFlow<Full> {
        let mut message = String::new();
        if let Some(name) = spot.name {
            message = format!("property name `{}`: ", toolsure_json::quote(name, 64));
        }
        message.push_str(&kind.to_string());
        self.pay(message.len())?;
        if let Some(unit) = self.open.last().and_then(|at| self.units.get_mut(*at)) {
            unit.error = Some(message);
        }
        ControlFlow::Continue(())
    }

    fn annotation(&mut self, spot: EvaluationLocation<'_>, value: &str) -> ControlFlow<Full> {
        if spot.name.is_some() {
            return ControlFlow::Continue(());
        }
        self.pay(value.len())?;
        if let Some(unit) = self.open.last().and_then(|at| self.units.get_mut(*at)) {
            unit.annotation = Some(value.to_owned());
        }
        ControlFlow::Continue(())
    }

    fn leave(&mut self, valid: bool) {
        if let Some(unit) = self.open.pop().and_then(|at| self.units.get_mut(at)) {
            unit.valid = valid;
        }
    }
}

/// Maximum number of units in an output.
const UNITS: usize = 10_000;
/// Maximum size of all units in bytes.
const BYTES: usize = 4 << 20;
/// The size of a unit in addition to its strings.
const UNIT_BYTES: usize = 200;
