//! Draws SVG charts: axes with powers of ten, dots, lines and text.

use std::fmt::Write as _;

/// A drawing under construction.
pub(super) struct Chart {
    body: String,
    width: f64,
    height: f64,
}

/// A logarithmic axis from `least` to `most`, drawn between the coordinates `from` and `to`.
#[derive(Clone, Copy)]
pub(super) struct Axis {
    pub(super) least: f64,
    pub(super) most: f64,
    pub(super) from: f64,
    pub(super) to: f64,
}

/// Which point of a label is at its position.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Axis {
    /// An axis over values, widened to whole powers of ten.
    pub(super) fn over(values: impl Iterator<Item = f64> + Clone, from: f64, to: f64) -> Self {
        let least = values.clone().fold(f64::INFINITY, f64::min);
        let most = values.fold(0.0, f64::max);
        let (least, most) = match least.is_finite() && most > 0.0 {
            true => (least.log10().floor(), most.log10().ceil()),
            false => (0.0, 1.0),
        };
        Self {
            least: 10_f64.powf(least),
            most: 10_f64.powf(most.max(least + 1.0)),
            from,
            to,
        }
    }

    /// The coordinate of a value.
    pub(super) fn place(self, value: f64) -> f64 {
        let part = (value / self.least).log10() / (self.most / self.least).log10();
        self.from + part.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// The powers of ten on the axis.
    pub(super) fn tens(self) -> Vec<f64> {
        let mut tens = Vec::new();
        let mut ten = self.least;
        while ten <= self.most * 1.01 {
            tens.push(ten);
            ten *= 10.0;
        }
        tens
    }
}

impl Chart {
    pub(super) fn new(width: f64, height: f64) -> Self {
        Self {
            body: String::new(),
            width,
            height,
        }
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), style: &str) {
        let ((x1, y1), (x2, y2)) = (from, to);
        let _ = writeln!(
            self.body,
            r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" {style}/>"#
        );
    }

    pub(super) fn path(&mut self, points: &[(f64, f64)], color: &str) {
        let places: Vec<String> = points
            .iter()
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        let _ = writeln!(
            self.body,
            r#"<polyline points="{}" fill="none" stroke="{color}" stroke-width="2"/>"#,
            places.join(" ")
        );
    }

    pub(super) fn dot(&mut self, at: (f64, f64), color: &str) {
        let (x, y) = at;
        let _ = writeln!(
            self.body,
            r#"<circle cx="{x:.1}" cy="{y:.1}" r="4" fill="{color}"/>"#
        );
    }

    pub(super) fn word(&mut self, at: (f64, f64), anchor: Anchor, text: &str) {
        let (x, y) = at;
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(
            self.body,
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#
        );
    }

    /// The SVG file. `title` is the text for screen readers.
    pub(super) fn finish(self, title: &str) -> String {
        let Self {
            body,
            width,
            height,
        } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"{title}\" \
             font-family=\"sans-serif\" font-size=\"12\" fill=\"#24292f\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n{body}</svg>\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_spans_whole_powers_of_ten() {
        let axis = Axis::over([0.3, 40.0].into_iter(), 0.0, 300.0);
        assert_eq!(axis.tens().len(), 4);
        assert!((axis.place(1.0) - 100.0).abs() < 1e-9);
        assert!((axis.place(1e9) - 300.0).abs() < 1e-9);
    }
}
