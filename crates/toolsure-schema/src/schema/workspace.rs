//! The memory and the options of checks and explanations.

use toolsure_json::Reader;

use crate::execute::Scratch;

/// Memory that checks reuse, so that later checks allocate nothing, and the options of checks and
/// explanations.
///
/// Use one for each thread; it works with any schema.
///
/// ```
/// use toolsure_schema::{Schema, Workspace};
///
/// let schema = Schema::compile(br#"{"items": {"type": "integer"}}"#)?;
/// let mut workspace = Workspace::new().fuel(10_000).findings(1);
/// let report = schema.explain(&mut workspace, br#"["1", "2"]"#)?;
/// assert_eq!(report.findings.len(), 1);
/// assert!(!report.complete);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Workspace {
    pub(crate) reader: Reader,
    pub(crate) scratch: Scratch,
    pub(crate) budget: Option<u64>,
    pub(crate) explanation: Option<u64>,
    pub(crate) findings: Option<usize>,
    pub(super) used: u64,
}

impl Workspace {
    /// An empty workspace with the fuel that each schema's limits allow.
    ///
    /// ```
    /// use toolsure_schema::{Schema, Verdict, Workspace};
    ///
    /// let mut workspace = Workspace::new();
    /// let schema = Schema::compile(br#"{"maximum": 3}"#)?;
    /// for (instance, verdict) in [("3", Verdict::Valid), ("4", Verdict::Invalid)] {
    ///     assert_eq!(schema.check(&mut workspace, instance)?, verdict);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the amount of fuel for each check, and for what
    /// [`explanation_fuel`](Self::explanation_fuel) is for, unless that sets another.
    ///
    /// ```
    /// use toolsure_schema::{Exhausted, Schema, Verdict, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"items": {"minLength": 1}}"#)?;
    /// let verdict = schema.check(&mut Workspace::new().fuel(2), r#"["a", "b", "c"]"#)?;
    /// assert_eq!(verdict, Verdict::Undecided(Exhausted::Fuel { allowed: 2 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn fuel(mut self, units: u64) -> Self {
        self.budget = Some(units);
        self
    }

    /// Sets the amount of fuel for each explanation, output and collection of annotations, beside that of
    /// the check. Default: that of [`fuel`](Self::fuel), or else a quarter of what each schema's limits
    /// allow for a check, because a unit costs four times as much.
    ///
    /// ```
    /// use toolsure_schema::{Schema, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"items": {"type": "integer"}}"#)?;
    /// let mut workspace = Workspace::new().fuel(1_000).explanation_fuel(2);
    /// let report = schema.explain(&mut workspace, br#"["1", "2", "3"]"#)?;
    /// assert!(!report.verdict.is_valid() && !report.complete);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn explanation_fuel(mut self, units: u64) -> Self {
        self.explanation = Some(units);
        self
    }

    /// Sets the maximum number of findings, at most
    /// [`Report::MOST_FINDINGS`](crate::Report::MOST_FINDINGS). Fewer than
    /// [`Report::FINDINGS`](crate::Report::FINDINGS) are cheaper: an explanation ends when it has that
    /// many.
    ///
    /// ```
    /// use toolsure_schema::{Schema, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"items": {"type": "integer"}}"#)?;
    /// let report = schema.explain(&mut Workspace::new().findings(1), r#"["1", "2"]"#)?;
    /// assert_eq!((report.findings.len(), report.complete), (1, false));
    ///
    /// // More than usual: 3,000 values, each with a finding.
    /// let long = serde_json::json!(vec!["1"; 3_000]);
    /// let report = schema.explain(&mut Workspace::new(), &long);
    /// assert_eq!((report.findings.len(), report.complete), (100, false));
    /// let report = schema.explain(&mut Workspace::new().findings(3_000), &long);
    /// assert_eq!((report.findings.len(), report.complete), (3_000, true));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn findings(mut self, most: usize) -> Self {
        self.findings = Some(most);
        self
    }

    /// The fuel that the last check took. If the check was undecided, this is what it took until
    /// then, which may depend on the order of members.
    ///
    /// ```
    /// use toolsure_schema::{Schema, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"minLength": 1}"#)?;
    /// let mut workspace = Workspace::new();
    /// schema.check(&mut workspace, r#""a""#)?;
    /// assert!(workspace.fuel_used() > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fuel_used(&self) -> u64 {
        self.used
    }
}
