//! Inputs to start from: the cases of the repository, and the official suite and the corpus where
//! they are at hand.

use toolsure_schema::Dialect;
use toolsure_testkit::cases::{self, Case};
use toolsure_testkit::place::{Material, workspace};
use toolsure_testkit::{corpus, official};

use crate::input::join;

/// The material of all seeds.
#[derive(Clone, Debug, Default)]
pub struct Seeds {
    /// A schema and an instance that some test judges with it.
    pub pairs: Vec<(String, String)>,
    /// Input schemas of published tools.
    pub schemas: Vec<String>,
    /// Where the material comes from, with what is absent.
    pub sources: Vec<String>,
}

impl Seeds {
    /// Reads what is at hand.
    ///
    /// # Errors
    ///
    /// The repository's own cases cannot be read.
    pub fn load() -> Result<Self, String> {
        let mut seeds = Self::default();
        seeds.add_cases(cases::load(&workspace().join("testkit/cases"))?);
        let own = seeds.pairs.len();
        seeds.sources.push(format!("{own} pairs of testkit/cases"));
        match Material::Suite.directory(None) {
            Ok(suite) => {
                let documents = official::documents(&suite)?;
                for dialect in [Dialect::Draft202012, Dialect::Draft7] {
                    seeds.add_cases(official::load(&suite, dialect, &documents)?);
                }
                let count = seeds.pairs.len() - own;
                let source = format!("{count} pairs of the official suite");
                seeds.sources.push(source);
            }
            Err(absent) => seeds.sources.push(absent),
        }
        match Material::Corpus.directory(None) {
            Ok(directory) => {
                for listing in corpus::load(&directory)? {
                    seeds.add_listing(listing);
                }
                let count = seeds.schemas.len();
                seeds
                    .sources
                    .push(format!("{count} schemas of published tools"));
            }
            Err(absent) => seeds.sources.push(absent),
        }
        Ok(seeds)
    }

    /// A schema and an instance for each input.
    #[must_use]
    pub fn pairs(&self) -> Vec<Vec<u8>> {
        let pair = |(schema, instance): &(String, String)| join(&[schema, instance]);
        self.pairs.iter().map(pair).collect()
    }

    /// A schema for each input.
    #[must_use]
    pub fn schemas(&self) -> Vec<Vec<u8>> {
        let of_pairs = self.pairs.iter().map(|(schema, _)| schema);
        let mut all: Vec<Vec<u8>> = of_pairs
            .chain(&self.schemas)
            .map(|schema| schema.clone().into_bytes())
            .collect();
        all.dedup();
        all
    }

    fn add_cases(&mut self, cases: Vec<Case>) {
        for case in cases {
            for test in case.tests {
                self.pairs.push((case.schema.clone(), test.data));
            }
        }
    }

    fn add_listing(&mut self, listing: corpus::Listing) {
        for labelled in listing.values {
            let same_tool = |schema: &&corpus::ToolSchema| {
                schema.tool == labelled.tool && schema.side == labelled.side
            };
            if let Some(schema) = listing.schemas.iter().find(same_tool)
                && schema.text.len() + labelled.text.len() < LONGEST
            {
                self.pairs.push((schema.text.clone(), labelled.text));
            }
        }
        let short = listing.schemas.into_iter().map(|schema| schema.text);
        self.schemas
            .extend(short.filter(|text| text.len() < LONGEST));
    }
}

/// Bytes of a seed beyond which a run would see too few inputs.
const LONGEST: usize = 4 << 10;
