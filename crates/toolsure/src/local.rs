//! The limits for what a person opens on his own machine. It is not hostile: its size is limited
//! only by what fits in memory, and the work of a check by that size. The limits on schemas stay,
//! because schemas come from strangers too.

use toolsure_schema::settings::{self, Setting};
use toolsure_schema::{Compiler, Workspace};

use crate::settings::Base;

/// The settings of commands that read instances from files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Local;

impl Base for Local {
    fn compiler() -> Compiler {
        let mut limits = Compiler::new().bounds().clone();
        limits.instance.bytes = BYTES;
        limits.instance.nodes = NODES;
        limits.instance.depth = DEPTH;
        limits.evaluation_depth = EVALUATION_DEPTH;
        Compiler::new().limits(limits)
    }

    fn default(setting: &Setting) -> String {
        let least = setting.show(&Self::compiler());
        match setting.name() {
            FUEL => format!("{FUEL_PER_BYTE} for each byte of the instance, at least {least}"),
            _ => least,
        }
    }
}

/// The work of one check, and of one explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fuel {
    /// The compiler's limit.
    limit: u64,
    /// Whether the operator set it, so that it does not grow with the instance.
    is_set: bool,
}

impl Fuel {
    pub(crate) fn new(compiler: &Compiler, is_set: bool) -> Self {
        Self {
            limit: compiler.bounds().fuel,
            is_set,
        }
    }

    /// Units of work of one check of an instance with this many bytes.
    fn of(self, bytes: usize) -> u64 {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        match self.is_set {
            true => self.limit,
            false => self.limit.max(bytes.saturating_mul(FUEL_PER_BYTE)),
        }
    }

    /// Gives a workspace the units for a check of an instance with this many bytes, and for its
    /// explanation, whose steps take longer.
    pub(crate) fn give(self, workspace: Workspace, bytes: usize) -> Workspace {
        let units = self.of(bytes);
        workspace
            .fuel(units)
            .explanation_fuel(units.div_ceil(EXPLANATION))
    }
}

/// Parses a number of bytes, which may have a unit.
pub(crate) fn bytes(text: &str) -> Result<usize, String> {
    let setting = settings::find("limits.instance.bytes").map_err(|error| error.to_string())?;
    match setting.apply(Compiler::new(), text) {
        Ok(compiler) => Ok(compiler.bounds().instance.bytes),
        Err(_) => Err(format!("must be {}, as in `100MiB`", setting.allowed())),
    }
}

/// Maximum bytes of a file.
pub(crate) const BYTES: usize = 1 << 30;
/// Units of work for each byte of an instance.
pub(crate) const FUEL_PER_BYTE: u64 = 256;
/// The engine, too, allows a quarter of the units for an explanation.
const EXPLANATION: u64 = 4;
/// As many values as fit in [`BYTES`], each with a comma.
const NODES: usize = BYTES / 2 + 1;
/// The name of the setting for fuel.
pub(crate) const FUEL: &str = "limits.fuel";
/// The most that the settings take.
const DEPTH: usize = 512;
const EVALUATION_DEPTH: u32 = 1_000;

#[cfg(test)]
mod tests {
    use super::*;
    use toolsure_schema::{Schema, Verdict};

    #[test]
    fn limits_on_instances_grow_and_those_on_schemas_stay() {
        let local = Local::compiler();
        for setting in settings::ALL {
            let name = setting.name();
            let grows = [
                "limits.instance.bytes",
                "limits.instance.nodes",
                "limits.instance.depth",
                "limits.evaluation_depth",
            ];
            let is_default = setting.show(&local) == setting.default();
            assert_eq!(is_default, !grows.contains(&name), "{name}");
        }
        let set = Fuel::new(&local, true);
        assert_eq!([set.of(0), set.of(BYTES)], [local.bounds().fuel; 2]);
        let free = Fuel::new(&local, false);
        assert_eq!(free.of(1), local.bounds().fuel);
        assert_eq!(free.of(1 << 20), FUEL_PER_BYTE << 20);
    }

    /// The deepest instance and the deepest evaluation fit on a thread's stack.
    #[test]
    fn the_deepest_instance_is_decided() {
        let schema = Local::compiler().compile(br##"{"items": {"allOf": [{"$ref": "#"}]}}"##);
        let schema: Schema = schema.unwrap();
        let text = format!("{}1{}", "[".repeat(400), "]".repeat(400));
        let run = move || schema.check(&mut Workspace::new(), &text).unwrap();
        let thread = std::thread::Builder::new().stack_size(2 << 20);
        let verdict = thread.spawn(run).unwrap().join().unwrap();
        assert!(!matches!(verdict, Verdict::Invalid), "{verdict:?}");
    }

    #[test]
    fn bytes_may_have_a_unit() {
        for (text, value) in [("5", 5), ("100MiB", 100 << 20), ("1 GiB", 1 << 30)] {
            assert_eq!(bytes(text), Ok(value));
        }
        for text in ["", "0", "2GiB", "1MB", "x"] {
            let expected = "must be bytes from 1 to 1 GiB, as in `100MiB`";
            assert_eq!(bytes(text), Err(expected.to_owned()), "{text}");
        }
    }
}
