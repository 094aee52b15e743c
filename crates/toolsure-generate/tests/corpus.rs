//! The schemas of published tools: what is covered and broken, and that another validator agrees about each instance.

use std::collections::BTreeMap;

use toolsure_generate::{Compiler, Generator, Instances, Options, Satisfiable};
use toolsure_testkit::recorded::recorded;

#[derive(Debug, Default)]
struct Counts {
    schemas: usize,
    satisfiable: usize,
    covered: usize,
    broken: usize,
    valid: usize,
    invalid: usize,
    /// What no instance was found for, by keyword.
    missing: BTreeMap<String, usize>,
}

impl Counts {
    fn add(&mut self, instances: &Instances) {
        self.schemas += 1;
        self.satisfiable += usize::from(instances.satisfiable == Satisfiable::Yes);
        self.valid += instances.valid.len();
        self.invalid += instances.invalid.len();
        let missing = instances.missing.iter().filter(|one| !one.is_impossible);
        let missing: Vec<_> = missing.collect();
        self.covered += usize::from(!missing.iter().any(|one| one.is_valid));
        self.broken += usize::from(!missing.iter().any(|one| !one.is_valid));
        for one in missing {
            let keyword = one.location.rsplit('/').next().unwrap_or_default();
            let keyword = if one.is_valid { "a subschema" } else { keyword };
            *self.missing.entry(keyword.to_owned()).or_default() += 1;
        }
    }
}

fn assert_judged(judge: &jsonschema::Validator, instances: &Instances, name: &str) {
    let is_valid = |text: &str| {
        let value = serde_json::from_str(text);
        value.is_ok_and(|value: serde_json::Value| judge.is_valid(&value))
    };
    for one in &instances.valid {
        assert!(is_valid(&one.text), "{name}: {one:?}");
    }
    for one in &instances.invalid {
        assert!(!is_valid(&one.text), "{name}: {one:?}");
    }
}

#[toolsure_needs::needs("corpus/listings")]
#[test]
fn published_schemas_are_covered_and_broken() {
    let mut counts = Counts::default();
    let compiler = Compiler::new();
    for one in recorded().unwrap() {
        let Ok(generator) = Generator::new(&compiler, one.schema.as_bytes()) else {
            continue;
        };
        let instances = generator.instances(&Options::default());
        // Every tenth, because compiling takes the other validator long.
        if counts.schemas.is_multiple_of(10) {
            let schema = serde_json::from_str(&one.schema).unwrap();
            let judge = jsonschema::draft202012::options().should_validate_formats(false);
            if let Ok(judge) = judge.build(&schema) {
                assert_judged(&judge, &instances, &one.name);
            }
        }
        counts.add(&instances);
    }
    println!("{counts:#?}");
    let percent = |part: usize| part * 1_000 / counts.schemas;
    assert_eq!(counts.satisfiable, counts.schemas);
    assert!(percent(counts.covered) >= 995, "{counts:#?}");
    assert!(percent(counts.broken) >= 970, "{counts:#?}");
}
