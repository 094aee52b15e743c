//! The command line of the benchmark.

use toolsure_bench::sets::Choice;

/// What to run and how.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    /// The sets.
    pub(crate) choice: Choice,
    /// How often every figure is taken.
    pub(crate) passes: usize,
    /// Where to write the figures as JSON.
    pub(crate) json: Option<String>,
    /// Whether `ajv` runs too, through Node.
    pub(crate) ajv: bool,
    /// Whether Blaze runs too, through its command line.
    pub(crate) blaze: bool,
    /// Instead of the sets: time against the sizes of instance and schema.
    pub(crate) growth: bool,
    /// Instead of the sets: a list of a thousand tools.
    pub(crate) listing: bool,
}

impl Arguments {
    /// Reads the command line.
    ///
    /// # Errors
    ///
    /// One line for an option that does not exist or lacks its value.
    pub(crate) fn parse(mut given: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut arguments = Self {
            passes: PASSES,
            ..Self::default()
        };
        while let Some(word) = given.next() {
            let mut value = || given.next().ok_or_else(|| format!("{word} takes a value"));
            match word.as_str() {
                "--ajv" => arguments.ajv = true,
                "--blaze" => arguments.blaze = true,
                "--growth" => arguments.growth = true,
                "--listing" => arguments.listing = true,
                "--passes" => {
                    let value = value()?;
                    arguments.passes = value
                        .parse()
                        .ok()
                        .filter(|passes| *passes > 0)
                        .ok_or_else(|| format!("--passes takes a number, not `{value}`"))?;
                }
                "--json" => arguments.json = Some(value()?),
                "--only" => arguments.choice.only = Some(value()?),
                other if other.starts_with('-') => return Err(format!("there is no `{other}`")),
                _ => arguments.choice.names.push(word),
            }
        }
        Ok(arguments)
    }
}

/// Enough for the minimum to settle on a busy machine.
const PASSES: usize = 7;
