//! Why an evaluation ends early.

use std::fmt;

use super::allowance::Allowance;

/// Why a check ended without a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "every caller must decide what each reason of an undecided check means to it"
)]
pub enum Exhausted {
    /// The work limit was reached.
    Fuel {
        /// The allowed units ([`Limits::fuel`](crate::Limits::fuel)).
        allowed: u64,
    },
    /// Subschemas applied each other too deeply.
    Depth {
        /// The allowed levels ([`Limits::evaluation_depth`](crate::Limits::evaluation_depth)).
        allowed: u32,
    },
    /// The compiled schema contradicts itself: an index is out of range, or an operation has a kind
    /// that is impossible at its position. This is a bug in this library and says neither *valid*
    /// nor *invalid*.
    Internal,
}

impl Exhausted {
    /// The [setting](crate::settings) that raises the limit, if a limit was reached.
    ///
    /// ```
    /// use toolsure_schema::{Schema, Verdict, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"items": {"minLength": 1}}"#)?;
    /// let verdict = schema.check(&mut Workspace::new().fuel(1), r#"["a", "b"]"#)?;
    /// let Verdict::Undecided(why) = verdict else { panic!("one unit is not enough") };
    /// assert_eq!(why.setting(), Some("limits.fuel"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn setting(self) -> Option<&'static str> {
        match self {
            Self::Fuel { .. } => Some("limits.fuel"),
            Self::Depth { .. } => Some("limits.evaluation_depth"),
            Self::Internal => None,
        }
    }
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fuel { allowed: 1 } => f.write_str("undecided after 1 unit of work"),
            Self::Fuel { allowed } => write!(f, "undecided after {allowed} units of work"),
            Self::Depth { allowed } => {
                write!(f, "undecided below {allowed} nested subschema evaluations")
            }
            Self::Internal => f.write_str(
                "undecided: the compiled schema is damaged, which is a fault of toolsure-schema",
            ),
        }
    }
}

/// Why the machine stopped: [`Exhausted`] without its number, so that an answer fits in a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    Fuel,
    Depth,
    Internal,
}

impl Stop {
    pub(super) fn exhausted(self, allowance: Allowance) -> Exhausted {
        match self {
            Self::Fuel => Exhausted::Fuel {
                allowed: allowance.fuel,
            },
            Self::Depth => Exhausted::Depth {
                allowed: allowance.depth,
            },
            Self::Internal => Exhausted::Internal,
        }
    }
}
