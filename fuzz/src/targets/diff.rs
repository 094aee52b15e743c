//! What a diff calls compatible accepts what was accepted before.

use toolsure_analysis::diff::{Class, Differ};
use toolsure_json::{Kind, Node as _, OwnedDocument, ReadLimits};
use toolsure_schema::{Verdict, Workspace};

use super::target::Target;
use crate::Outcome;
use crate::ensure;
use crate::input::{compiler, join, parts};
use crate::seeds::Seeds;

pub(super) const TARGET: Target = Target {
    name: "diff",
    about: "a change that is called compatible accepts every call that was accepted; a witness proves the break",
    run,
    seeds,
    gate: 43_000,
};

fn run(input: &[u8]) -> Outcome {
    let mut texts = parts(input).map(std::str::from_utf8);
    let (Some(Ok(old)), Some(Ok(new)), Some(Ok(instance))) =
        (texts.next(), texts.next(), texts.next())
    else {
        return Ok(());
    };
    let with = |text: &str| compiler(old.as_bytes()).compile(text.as_bytes());
    let (Ok(before), Ok(after)) = (with(old), with(new)) else {
        return Ok(());
    };
    let tool = |schema: &str| format!(r#"{{"name":"t","inputSchema":{schema}}}"#);
    let differ = Differ::new().open(true).compiler(compiler(old.as_bytes()));
    let report = differ.diff([tool(old).as_str()], [tool(new).as_str()]);
    let mut workspace = Workspace::new();
    for change in report.tools.iter().flat_map(|tool| &tool.changes) {
        ensure!(
            !change.message.contains('\n'),
            "a message of several lines: {:?}",
            change.message
        );
        if let (Class::Breaking, Some(witness)) = (change.class, &change.witness) {
            let accepted = before.check(&mut workspace, witness.as_bytes());
            let refused = after.check(&mut workspace, witness.as_bytes());
            ensure!(
                accepted == Ok(Verdict::Valid) && refused == Ok(Verdict::Invalid),
                "the witness {witness} of {:?} is {accepted:?}, then {refused:?}",
                change.message
            );
        }
    }
    let compatible = report
        .class()
        .is_none_or(|class| class == Class::Compatible);
    let is_object = OwnedDocument::read(instance, &ReadLimits::default())
        .is_ok_and(|document| document.document().root().kind() == Kind::Object);
    if compatible
        && is_object
        && before.check(&mut workspace, instance.as_bytes()) == Ok(Verdict::Valid)
    {
        let now = after.check(&mut workspace, instance.as_bytes());
        ensure!(
            now != Ok(Verdict::Invalid),
            "compatible, but {instance} is invalid now"
        );
    }
    Ok(())
}

/// The same schema twice and an instance; the mutations make the difference.
fn seeds(seeds: &Seeds) -> Vec<Vec<u8>> {
    let of_pair = |(schema, instance): &(String, String)| join(&[schema, schema, instance]);
    seeds.pairs.iter().map(of_pair).collect()
}
