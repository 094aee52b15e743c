//! Fixes that lint calls safe change no verdict.

use toolsure_analysis::lint::{Linter, PROFILES, Safety, apply};
use toolsure_json::{Node as _, OwnedDocument, ReadLimits};
use toolsure_schema::{Verdict, Workspace};

use super::target::Target;
use crate::Outcome;
use crate::ensure;
use crate::input::{compile, compiler, two_texts};
use crate::seeds::Seeds;

pub(super) const TARGET: Target = Target {
    name: "fix",
    about: "a fix is JSON when it is applied, and no value changes its verdict if it is called safe",
    run,
    seeds: Seeds::pairs,
    gate: 9_000,
};

fn run(input: &[u8]) -> Outcome {
    let Some((schema, instance)) = two_texts(input) else {
        return Ok(());
    };
    // Arguments are objects: a fix may say so.
    if !instance.trim_start().starts_with('{') {
        return Ok(());
    }
    let Some(before) = compile(schema.as_bytes()) else {
        return Ok(());
    };
    let tool = format!("{HEAD}{schema}}}");
    let mut linter = Linter::new().compiler(compiler(schema.as_bytes()));
    for profile in PROFILES {
        linter = linter.profile(profile);
    }
    let report = linter.lint([tool.as_str()]);
    for safe in [true, false] {
        let edits: Vec<_> = report
            .findings
            .iter()
            .filter_map(|finding| finding.fix.as_ref())
            .filter(|fix| !safe || fix.safety == Safety::Safe)
            .map(|fix| fix.edits.clone())
            .collect();
        if edits.is_empty() {
            continue;
        }
        let (fixed, _) = apply(&tool, &edits);
        let document = OwnedDocument::read(&*fixed, &ReadLimits::default());
        let document = document.map_err(|error| format!("fixed: {error}: {fixed}"))?;
        if !safe {
            continue;
        }
        let Some(text) = document.document().root().member("inputSchema") else {
            return Err(format!("the schema is gone: {fixed}"));
        };
        let after = compiler(schema.as_bytes()).compile(text.raw().as_bytes());
        let after = after.map_err(|error| format!("does not compile: {error}: {fixed}"))?;
        let mut workspace = Workspace::new();
        let verdicts = (
            before.check(&mut workspace, instance.as_bytes()),
            after.check(&mut workspace, instance.as_bytes()),
        );
        if let (Ok(one), Ok(other)) = verdicts {
            let undecided = |verdict| matches!(verdict, Verdict::Undecided(_));
            ensure!(
                one == other || undecided(one) || undecided(other),
                "{one} before, {other} after safe fixes: {fixed}"
            );
        }
    }
    Ok(())
}

const HEAD: &str = r#"{"name":"find_items","description":"Finds items.","inputSchema":"#;
