//! Why a Python value cannot be laid out.

/// Why a Python value cannot be laid out.
pub(crate) enum Refusal {
    /// JSON cannot express it: the location and the reason.
    NotJson { pointer: String, message: String },
    /// It exceeds a limit on reading instances.
    Limit {
        setting: &'static str,
        allowed: usize,
    },
}
