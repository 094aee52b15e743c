//! Repairs make arguments valid, and change nothing that was valid.

use toolsure_mcp::repair::{Edit, EditKind, Outcome as Repair, RepairLimits, Repaired, repair};
use toolsure_schema::{Verdict, Workspace};

use super::target::Target;
use crate::Outcome;
use crate::ensure;
use crate::input::{compile, two_texts};
use crate::seeds::Seeds;

pub(super) const TARGET: Target = Target {
    name: "repair",
    about: "what is repaired is valid, and what is valid is not repaired",
    run,
    seeds: Seeds::pairs,
    gate: 60_000,
};

fn run(input: &[u8]) -> Outcome {
    let Some((schema, arguments)) = two_texts(input) else {
        return Ok(());
    };
    let Some(schema) = compile(schema.as_bytes()) else {
        return Ok(());
    };
    let mut workspace = Workspace::new();
    let Ok(before) = schema.check(&mut workspace, arguments.as_bytes()) else {
        return Ok(());
    };
    let limits = RepairLimits::default();
    let outcome =
        repair(&schema, arguments.as_bytes(), &limits).map_err(|error| error.to_string())?;
    let certain = RepairLimits {
        only_certain: true,
        ..limits
    };
    let certain =
        repair(&schema, arguments.as_bytes(), &certain).map_err(|error| error.to_string())?;
    if let Repair::Repaired(certain) = certain {
        let parsed = |edit: &Edit| matches!(edit.kind, EditKind::Parsed(_));
        ensure!(certain.edits.iter().all(parsed), "{:?}", certain.edits);
        let after = schema.check(&mut workspace, certain.text.as_bytes());
        ensure!(after == Ok(Verdict::Valid), "{after:?}: {}", certain.text);
        let fewer = |all: &Repaired| all.edits.len() <= certain.edits.len();
        let is_found = matches!(&outcome, Repair::Repaired(all) if fewer(all));
        ensure!(is_found, "{outcome:?} beside {}", certain.text);
    }
    let Repair::Repaired(repaired) = outcome else {
        return Ok(());
    };
    ensure!(
        before != Verdict::Valid,
        "valid arguments became {}",
        repaired.text
    );
    let after = schema.check(&mut workspace, repaired.text.as_bytes());
    ensure!(
        after == Ok(Verdict::Valid),
        "{after:?} after the repair: {}",
        repaired.text
    );
    ensure!(!repaired.edits.is_empty(), "a repair without edits");
    ensure!(
        repaired.edits.len() <= limits.edits,
        "{} edits",
        repaired.edits.len()
    );
    let again =
        repair(&schema, repaired.text.as_bytes(), &limits).map_err(|error| error.to_string())?;
    ensure!(
        !matches!(again, Repair::Repaired(_)),
        "a second repair of {}",
        repaired.text
    );
    Ok(())
}
