//! `docs/guard.svg`: the guard's place between clients and servers.

use std::fmt::Write as _;

/// A box: its top left corner, its size, its lines of text, and whether it is a stage.
struct Block {
    at: (u32, u32),
    size: (u32, u32),
    lines: &'static [&'static str],
    is_stage: bool,
}

const fn block(
    at: (u32, u32),
    size: (u32, u32),
    lines: &'static [&'static str],
    is_stage: bool,
) -> Block {
    Block {
        at,
        size,
        lines,
        is_stage,
    }
}

const BLOCKS: [Block; 8] = [
    block((10, 55), (120, 50), &["client", "stdio"], false),
    block((10, 135), (120, 50), &["clients", "Streamable HTTP"], false),
    block(
        (203, 75),
        (112, 90),
        &["filters", "arguments", "results", "listings"],
        true,
    ),
    block(
        (329, 75),
        (112, 90),
        &["translation", "between", "protocol", "versions"],
        true,
    ),
    block(
        (455, 75),
        (112, 90),
        &["aggregation", "one listing", "of several", "servers"],
        true,
    ),
    block((640, 15), (120, 50), &["server", "child process"], false),
    block((640, 95), (120, 50), &["server", "Streamable HTTP"], false),
    block((640, 175), (120, 50), &["server", "any version"], false),
];

/// Arrows that point both ways, each from its left end to its right end.
const ARROWS: [((u32, u32), (u32, u32)); 7] = [
    ((130, 80), (195, 105)),
    ((130, 160), (195, 135)),
    ((315, 120), (329, 120)),
    ((441, 120), (455, 120)),
    ((575, 105), (640, 40)),
    ((575, 120), (640, 120)),
    ((575, 135), (640, 200)),
];

/// The picture.
pub(crate) fn picture() -> String {
    let mut body = String::new();
    let mut draw = |line: String| {
        body.push_str(&line);
        body.push('\n');
    };
    draw(r##"<rect x="195" y="30" width="380" height="180" rx="8" fill="#eef3fb" stroke="#2f5d9b"/>"##.to_owned());
    draw(text(385, 55, "toolsure guard", 15, true));
    draw(text(385, 195, "audit log, metrics, traces", 12, false));
    for ((from_x, from_y), (to_x, to_y)) in ARROWS {
        draw(format!(
            r##"<line x1="{from_x}" y1="{from_y}" x2="{to_x}" y2="{to_y}" stroke="#444444" marker-start="url(#tip)" marker-end="url(#tip)"/>"##
        ));
    }
    for block in &BLOCKS {
        let ((x, y), (width, height)) = (block.at, block.size);
        let (fill, stroke) = if block.is_stage {
            ("#ffffff", "#2f5d9b")
        } else {
            ("#f7f7f7", "#444444")
        };
        draw(format!(
            r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="5" fill="{fill}" stroke="{stroke}"/>"#
        ));
        let mut line_y = y + 20;
        for (index, line) in block.lines.iter().enumerate() {
            draw(text(
                x + width / 2,
                line_y,
                line,
                if index == 0 { 14 } else { 12 },
                index == 0,
            ));
            line_y += if index == 0 { 20 } else { 17 };
        }
    }
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _written = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 770 240\" font-family=\"sans-serif\" role=\"img\">\n\
         <title>The guard is between MCP clients and servers: filters, translation between protocol versions, aggregation.</title>\n\
         <defs><marker id=\"tip\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"6\" markerHeight=\"6\" orient=\"auto-start-reverse\"><path d=\"M0 0L10 5L0 10z\" fill=\"#444444\"/></marker></defs>\n\
         <rect width=\"770\" height=\"240\" fill=\"#ffffff\"/>\n{body}</svg>\n"
    );
    out
}

fn text(x: u32, y: u32, text: &str, size: u32, bold: bool) -> String {
    let weight = if bold { r#" font-weight="bold""# } else { "" };
    format!(
        r##"<text x="{x}" y="{y}" font-size="{size}"{weight} text-anchor="middle" fill="#222222">{text}</text>"##
    )
}

/// The file of the picture.
pub(crate) const FILE: &str = "docs/guard.svg";
