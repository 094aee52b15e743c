//! `--fix`: fixes a file in passes until there is nothing left to fix, and replaces it atomically.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use toolsure_analysis::lint::{Edit, Finding, Linter, Safety, apply};
use toolsure_json::{line_column, quote};

use crate::exit::Failure;
use crate::input::{Input, Text};
use crate::listing::TargetArgs;
use crate::listing::saved::{self, Saved};
use crate::render::count;
use crate::term::{ERROR, GOOD, Term};

/// The file to fix.
pub(crate) fn path(target: &TargetArgs) -> Result<&Path, Failure> {
    let path = match target.targets.as_slice() {
        [path] if path != "-" && !path.contains("://") => Some(Path::new(path)),
        _ => None,
    };
    path.ok_or_else(|| {
        Failure::usage("`--fix` is for a file")
            .with_help("save a listing with `toolsure check --save FILE`")
    })
}

/// Fixes the file, or shows what would change.
pub(crate) fn run(
    path: &Path,
    most: usize,
    linter: &Linter,
    safety: Safety,
    show: bool,
    term: &Term,
) -> Result<(), Failure> {
    let name = quote(&path.to_string_lossy(), 200).to_string();
    let fault = |what: &str, error: &std::io::Error| {
        Failure::usage(format!("cannot {what} `{name}`: {error}"))
    };
    let read = Input::File(path.to_owned()).read_with(most, |_| ());
    let read = read.map_err(|error| fault("read", &error))?;
    let has_mark = read.start > 0;
    let before = String::from_utf8(read.bytes)
        .map_err(|_invalid| Failure::usage(format!("`{name}` is not UTF-8")))?;
    let mut text = before.clone();
    let mut mended: BTreeMap<&str, u64> = BTreeMap::new();
    let mut shown = String::new();
    for _ in 0..PASSES {
        let fixes = fixes(&name, &text, most, linter, safety)?;
        let groups: Vec<Vec<Edit>> = fixes.iter().map(|fix| fix.edits.clone()).collect();
        let (next, applied) = apply(&text, &groups);
        let done: Vec<&Fix> = fixes
            .iter()
            .zip(applied)
            .filter(|(_, applied)| *applied)
            .map(|(fix, _)| fix)
            .collect();
        if done.is_empty() {
            break;
        }
        for fix in done {
            let number = mended.entry(fix.code).or_default();
            *number = number.saturating_add(1);
            if show {
                describe(&mut shown, &name, &text, fix);
            }
        }
        text = next;
    }
    let total = mended
        .values()
        .fold(0_u64, |sum, one| sum.saturating_add(*one));
    let by_rule: Vec<String> = mended
        .iter()
        .map(|(code, number)| format!("{number} × {code}"))
        .collect();
    if show {
        term.write(&shown)?;
        term.note(&format!(
            "{name}: {} to apply, nothing written",
            count(total, "fix")
        ));
        return Ok(());
    }
    if text != before {
        if has_mark {
            text.insert(0, '\u{feff}');
        }
        write(path, &text).map_err(|error| fault("write", &error))?;
        term.note(&format!(
            "{name}: {} applied: {}",
            count(total, "fix"),
            by_rule.join(", ")
        ));
    } else {
        term.note(&format!("{name}: nothing to fix"));
    }
    Ok(())
}

/// A fix, in bytes of the file.
struct Fix {
    code: &'static str,
    edits: Vec<Edit>,
}

fn plain(text: &str) -> Text {
    Text {
        bytes: text.as_bytes().to_vec(),
        start: 0,
    }
}

fn fixes(
    name: &str,
    text: &str,
    most: usize,
    linter: &Linter,
    safety: Safety,
) -> Result<Vec<Fix>, Failure> {
    let Saved::Listing(listing) = saved::parse(name.to_owned(), plain(text), most)? else {
        return Err(Failure::usage(
            "`--fix` is for a listing, not for an `mcpServers` file",
        ));
    };
    if listing.file.is_yaml() {
        return Err(Failure::usage(format!(
            "`{name}` is YAML; `--fix` is for JSON"
        )));
    }
    if !listing.file.takes_edits() {
        return Err(Failure::usage(format!(
            "`{name}` has tools in the form of a provider's API; `--fix` is for listings"
        )));
    }
    let report = linter.lint(listing.tools.iter().map(String::as_str));
    let place = |finding: &Finding| {
        let fix = finding.fix.as_ref()?;
        let start = listing.file.tools.get(finding.tool?)?.start;
        let wanted = safety == Safety::Unsafe || fix.safety == Safety::Safe;
        let edits = fix.edits.iter().map(|edit| Edit {
            span: start.saturating_add(edit.span.start)..start.saturating_add(edit.span.end),
            text: edit.text.clone(),
        });
        wanted.then(|| Fix {
            code: finding.rule.code,
            edits: edits.collect(),
        })
    };
    Ok(report.findings.iter().filter_map(place).collect())
}

/// Describes one fix: the text that it removes, and the text that it adds.
fn describe(out: &mut String, name: &str, text: &str, fix: &Fix) {
    for edit in &fix.edits {
        let at = line_column(text.as_bytes(), edit.span.start);
        // Writing to a string cannot fail.
        let _infallible = writeln!(out, "{name}:{}:{}: {}", at.line, at.column, fix.code);
        let old = text.get(edit.span.clone()).unwrap_or_default().trim();
        for (mark, style, shown) in [('-', ERROR, old), ('+', GOOD, edit.text.trim())] {
            if !shown.is_empty() {
                let _infallible = writeln!(out, "{style}{mark} {}{style:#}", quote(shown, 160));
            }
        }
    }
}

/// Replaces the file atomically; keeps its permissions.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let path = fs::canonicalize(path)?;
    let mut temporary: PathBuf = path.clone();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    temporary.set_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let written = (|| {
        let mut file = fs::File::create_new(&temporary)?;
        file.write_all(text.as_bytes())?;
        file.set_permissions(fs::metadata(&path)?.permissions())?;
        file.sync_all()?;
        fs::rename(&temporary, &path)
    })();
    if written.is_err() {
        let _nothing_more_to_do = fs::remove_file(&temporary);
    }
    written
}

/// Maximum passes. A pass applies fixes that the last one skipped or enabled; none needs over two.
const PASSES: usize = 10;
