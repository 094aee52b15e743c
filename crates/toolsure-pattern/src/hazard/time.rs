//! The time that a backtracking engine may need.

/// The time that a backtracking engine may need, as a function of the length of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(
    clippy::exhaustive_enums,
    reason = "time grows linearly, polynomially or exponentially"
)]
pub enum Hazard {
    /// Linear.
    None,
    /// Polynomial, of at most this degree, which is 2 or more.
    Polynomial(u32),
    /// Exponential, or not known to be less.
    Exponential,
}

impl Hazard {
    /// The time of both, one after the other.
    ///
    /// ```
    /// use toolsure_pattern::Hazard;
    ///
    /// let quadratic = Hazard::Polynomial(2);
    /// assert_eq!(quadratic.and(Hazard::None), quadratic);
    /// assert_eq!(quadratic.and(Hazard::Exponential), Hazard::Exponential);
    /// ```
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.max(other)
    }

    /// The time if this is started wherever `outer` is.
    pub(super) fn within(self, outer: Self) -> Self {
        match (outer, self) {
            (Self::Exponential, _) | (_, Self::Exponential) => Self::Exponential,
            (outer, inner) => Self::Polynomial(outer.degree().saturating_add(inner.degree())),
        }
    }

    fn degree(self) -> u32 {
        match self {
            Self::None => 1,
            Self::Polynomial(degree) => degree,
            Self::Exponential => u32::MAX,
        }
    }
}
