//! The corpus, on both instance representations, where it is at hand.

use toolgate_testkit::{corpus, engines, place::Material};

#[test]
fn published_schemas_compile_and_every_value_gets_its_label() {
    let directory = match Material::Corpus.directory(None) {
        Ok(directory) => directory,
        Err(why) => {
            eprintln!("skipped: {why}");
            return;
        }
    };
    let listings = corpus::load(&directory).unwrap();
    for engine in engines::named(None).unwrap() {
        let outcome = corpus::run(&listings, engine.as_ref());
        let values = &outcome.values;
        assert_eq!(values.failed, 0, "{}\n{}", values.line(), values.details());
        assert!(outcome.refused.is_empty(), "{:#?}", outcome.refused);
    }
}
