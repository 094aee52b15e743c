//! Parses ECMA-262 pattern text into an [`Ast`], iteratively.
//!
//! The grammar is that of ECMA-262 (2025, which adds modifiers and repeated group names to 2024)
//! under the `u` flag. [`Grammar::Lenient`] also accepts syntax that only Annex B, section B.1.2,
//! allows, construct by construct, with its meaning there.

use std::ops::Range;

use crate::ast::{Assertion, Ast, NO_MAX, Node, NodeId};
use crate::bracket;
use crate::context::{Context, Flags, Grammar};
use crate::error::{PatternError, PatternLimit};
use crate::escape::{self, Escape};
use crate::fold;
use crate::group_names::Names;
use crate::intern::Interner;
use crate::property;
use crate::set::{self, CodeSet};

/// A pattern's tree.
#[derive(Debug)]
pub(crate) struct Parsed {
    /// The arena.
    pub(crate) ast: Ast,
    /// Its root node.
    pub(crate) root: NodeId,
    /// The first range that only Annex B allows.
    pub(crate) legacy: Option<Range<usize>>,
}

/// Parses a pattern for matching; at most `depth` groups deep, its tree and classes at most `size`
/// bytes large.
pub(crate) fn parse(text: &str, depth: usize, size: usize) -> Result<Parsed, PatternError> {
    Parser::new(text, Grammar::Lenient, depth, size).run()
}

/// Whether the text is a pattern under the `u` flag. Builds nothing and has no limit: time and
/// memory are linear in the text.
pub(crate) fn is_strict(text: &str) -> bool {
    Parser::new(text, Grammar::Strict, usize::MAX, usize::MAX)
        .run()
        .is_ok()
}

/// An open group.
#[derive(Debug)]
struct Frame {
    kind: Group,
    at: usize,
    items: usize,
    alternatives: usize,
    captures: u32,
    flags: Flags,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    Whole,
    Plain,
    Capture(u32),
    Look { behind: bool, negative: bool },
}

/// Whether a quantifier may follow the last term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantifiable {
    Yes,
    /// In Annex B only: a lookahead.
    Legacy,
    No,
}

struct Parser<'t> {
    context: Context<'t>,
    depth: usize,
    size: usize,
    builds: bool,
    ast: Ast,
    interner: Interner<'t>,
    names: Names,
    items: Vec<NodeId>,
    alternatives: Vec<NodeId>,
    frames: Vec<Frame>,
    captures: u32,
    /// The highest backreference by number, and its place.
    numbered: Option<(u32, (usize, usize))>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, grammar: Grammar, depth: usize, size: usize) -> Self {
        let builds = grammar == Grammar::Lenient;
        Self {
            context: Context::new(text, grammar),
            depth,
            size,
            builds,
            // About as many nodes as bytes: terms of several bytes make up for nodes without text
            // of their own.
            ast: Ast::with_room(if builds { text.len() + 1 } else { 0 }),
            interner: Interner::default(),
            names: Names::default(),
            items: Vec::new(),
            alternatives: Vec::new(),
            frames: Vec::new(),
            captures: 0,
            numbered: None,
        }
    }

    fn run(mut self) -> Result<Parsed, PatternError> {
        self.open(Group::Whole, 0)?;
        while let Some(c) = self.context.cursor.peek() {
            self.term(c)?;
        }
        if let Some(frame) = self.frames.get(1..).and_then(<[Frame]>::last) {
            let span = frame.at..frame.at + 1;
            let text = self.context.cursor.text();
            return Err(PatternError::syntax(text, "unclosed group", span));
        }
        self.end_alternative()?;
        let root = self.reduce_alternatives(0)?;
        let text = self.context.cursor.text();
        self.names.resolve(text, &mut self.ast)?;
        if let Some((number, (start, end))) = self.numbered
            && number > self.captures
        {
            let message = "backreference to a group that does not exist";
            return Err(PatternError::syntax(text, message, start..end));
        }
        self.ast.captures = self.captures;
        Ok(Parsed {
            ast: self.ast,
            root,
            legacy: self.context.first_legacy(),
        })
    }

    /// Reads one term, group opening, group closing or bar.
    fn term(&mut self, c: char) -> Result<(), PatternError> {
        let start = self.context.cursor.at();
        let before = self.captures;
        self.context.cursor.next();
        match c {
            '|' => {
                self.end_alternative()?;
                self.names.next_alternative();
                return Ok(());
            }
            '(' => return self.open_group(start),
            ')' => {
                let (before, quantifiable) = self.close_group(start)?;
                return self.quantifier(before, quantifiable);
            }
            '^' | '$' => {
                let multiline = self.context.flags.multiline;
                self.push(Node::Assert(match (c, multiline) {
                    ('^', false) => Assertion::Start,
                    ('^', true) => Assertion::StartLine,
                    (_, false) => Assertion::End,
                    (_, true) => Assertion::EndLine,
                }))?;
                return self.quantifier(before, Quantifiable::No);
            }
            '.' => self.dot()?,
            '[' => self.bracket(start)?,
            '\\' => {
                let quantifiable = self.escape(start)?;
                return self.quantifier(before, quantifiable);
            }
            '*' | '+' | '?' => return Err(self.context.error("nothing to repeat", start)),
            '{' => {
                self.context.cursor.seek(start);
                if self.braces()?.is_some() {
                    return Err(self.context.error("nothing to repeat", start));
                }
                self.context.cursor.next();
                self.context.legacy("lone `{`", start)?;
                self.char(u32::from(c))?;
            }
            '}' => {
                self.context.legacy("lone `}`", start)?;
                self.char(u32::from(c))?;
            }
            ']' => {
                self.context.legacy("lone `]`", start)?;
                self.char(u32::from(c))?;
            }
            _ => self.char(u32::from(c))?,
        }
        self.quantifier(before, Quantifiable::Yes)
    }

    fn push(&mut self, node: Node) -> Result<(), PatternError> {
        if self.builds {
            let id = self.ast.push(node);
            self.items.push(id);
            if self.ast.size() > self.size {
                let end = self.context.cursor.at();
                return Err(self.context.limited(PatternLimit::Size, self.size, 0..end));
            }
        }
        Ok(())
    }

    fn char(&mut self, c: u32) -> Result<(), PatternError> {
        if self.context.flags.ignore_case && self.builds {
            let Some(orbit) = fold::orbit(c) else {
                return Err(self.context.internal(property::MISSING));
            };
            if !orbit.is_empty() {
                let mut set = CodeSet::default();
                for other in orbit {
                    set.add(*other, *other);
                }
                let id = self.ast.add_class(set.freeze());
                return self.push(Node::Class(id));
            }
        }
        self.push(Node::Char(c))
    }

    fn dot(&mut self) -> Result<(), PatternError> {
        if !self.builds {
            return Ok(());
        }
        let flags = self.context.flags;
        let class = self.interner.intern(&mut self.ast, ".", flags, || {
            let mut set = CodeSet::default();
            if !flags.dot_all {
                set = CodeSet::of(set::LINE_TERMINATOR);
            }
            set.negate();
            Ok(set)
        })?;
        self.push(Node::Class(class))
    }

    fn bracket(&mut self, start: usize) -> Result<(), PatternError> {
        if self.builds {
            let mut ahead = self.context.cursor.clone();
            if ahead.skip_bracket() {
                let text = ahead.since(start);
                if let Some(class) = self.interner.find(text, self.context.flags) {
                    self.context.cursor = ahead;
                    return self.push(Node::Class(class));
                }
            }
        }
        let set = bracket::parse(&mut self.context, start, self.builds)?;
        if !self.builds {
            return Ok(());
        }
        let text = self.context.cursor.since(start);
        let flags = self.context.flags;
        let class = self
            .interner
            .intern(&mut self.ast, text, flags, || Ok(set))?;
        self.push(Node::Class(class))
    }

    fn escape(&mut self, start: usize) -> Result<Quantifiable, PatternError> {
        match escape::atom(&mut self.context, start)? {
            Escape::Char(c) => self.char(c)?,
            Escape::Boundary { negative } => {
                let fold = self.context.flags.ignore_case;
                self.push(Node::Assert(Assertion::Word { negative, fold }))?;
                return Ok(Quantifiable::No);
            }
            Escape::Class(_) if !self.builds => {}
            Escape::Class(kind) => {
                let text = self.context.cursor.since(start);
                let flags = self.context.flags;
                let set = || {
                    let set = kind.alone(flags.ignore_case);
                    set.ok_or_else(|| self.context.internal(property::MISSING))
                };
                let class = self.interner.intern(&mut self.ast, text, flags, set)?;
                self.push(Node::Class(class))?;
            }
            Escape::Number(number) => {
                if self.numbered.is_none_or(|(most, _)| number > most) {
                    self.numbered = Some((number, (start, self.context.cursor.at())));
                }
                if !self.builds {
                    return Ok(Quantifiable::Yes);
                }
                let Some(group) = number.checked_sub(1) else {
                    return Err(self.context.internal("a backreference to group 0"));
                };
                let target = self.ast.add_target(vec![group]);
                let fold = self.context.flags.ignore_case;
                self.push(Node::BackReference { target, fold })?;
            }
            Escape::Name(name) => {
                let target = self.ast.add_target(Vec::new());
                let fold = self.context.flags.ignore_case;
                self.names
                    .refer(name, target, start..self.context.cursor.at());
                self.push(Node::BackReference { target, fold })?;
            }
        }
        Ok(Quantifiable::Yes)
    }

    /// Reads the part after `(`.
    fn open_group(&mut self, start: usize) -> Result<(), PatternError> {
        if !self.context.cursor.eat('?') {
            return self.open_capture(start);
        }
        let look = |behind, negative| Group::Look { behind, negative };
        let kind = if self.context.cursor.eat(':') {
            Group::Plain
        } else if self.context.cursor.eat('=') {
            look(false, false)
        } else if self.context.cursor.eat('!') {
            look(false, true)
        } else if self.context.cursor.eat_str("<=") {
            look(true, false)
        } else if self.context.cursor.eat_str("<!") {
            look(true, true)
        } else if self.context.cursor.eat('<') {
            let name = escape::group_name(&mut self.context, start)?;
            let span = start..self.context.cursor.at();
            let text = self.context.cursor.text();
            self.names.declare(text, name, self.captures, span)?;
            return self.open_capture(start);
        } else {
            let flags = self.context.modifiers(start)?;
            self.open(Group::Plain, start)?;
            self.context.flags = flags;
            return Ok(());
        };
        self.open(kind, start)
    }

    fn open_capture(&mut self, start: usize) -> Result<(), PatternError> {
        let index = self.captures;
        self.open(Group::Capture(index), start)?;
        self.captures += 1;
        Ok(())
    }

    fn open(&mut self, kind: Group, at: usize) -> Result<(), PatternError> {
        if self.frames.len() > self.depth {
            let span = at..at + 1;
            return Err(self.context.limited(PatternLimit::Depth, self.depth, span));
        }
        self.names.open();
        self.frames.push(Frame {
            kind,
            at,
            items: self.items.len(),
            alternatives: self.alternatives.len(),
            captures: self.captures,
            flags: self.context.flags,
        });
        Ok(())
    }

    /// Ends the innermost group at its `)`.
    fn close_group(&mut self, start: usize) -> Result<(u32, Quantifiable), PatternError> {
        if self.frames.len() < 2 {
            return Err(self.context.error("unmatched `)`", start));
        }
        self.end_alternative()?;
        self.names.close(self.context.cursor.text())?;
        let Some(frame) = self.frames.pop() else {
            return Err(self.context.internal(INCONSISTENT));
        };
        let child = self.reduce_alternatives(frame.alternatives)?;
        self.context.flags = frame.flags;
        let mut quantifiable = Quantifiable::Yes;
        match frame.kind {
            Group::Capture(index) => self.push(Node::Capture { index, child })?,
            Group::Look { behind, negative } => {
                quantifiable = if behind {
                    Quantifiable::No
                } else {
                    Quantifiable::Legacy
                };
                self.push(Node::Look {
                    behind,
                    negative,
                    child,
                })?;
            }
            Group::Whole | Group::Plain if self.builds => self.items.push(child),
            Group::Whole | Group::Plain => {}
        }
        Ok((frame.captures, quantifiable))
    }

    /// Joins the items read since the last bar into one alternative.
    fn end_alternative(&mut self) -> Result<(), PatternError> {
        if !self.builds {
            return Ok(());
        }
        let first = self.frames.last().map(|frame| frame.items);
        let items = first.and_then(|first| Some((first, self.items.get(first..)?)));
        let Some((first, items)) = items else {
            return Err(self.context.internal(INCONSISTENT));
        };
        let id = match items {
            [] => self.ast.push(Node::Empty),
            [single] => *single,
            several => {
                let list = self.ast.list(several);
                self.ast.push(Node::Concat(list))
            }
        };
        self.items.truncate(first);
        self.alternatives.push(id);
        Ok(())
    }

    /// Joins the alternatives from `first` on; there is at least one.
    fn reduce_alternatives(&mut self, first: usize) -> Result<NodeId, PatternError> {
        if !self.builds {
            return Ok(NodeId(0));
        }
        let id = match self.alternatives.get(first..) {
            None | Some([]) => return Err(self.context.internal(INCONSISTENT)),
            Some([single]) => *single,
            Some(several) => {
                let list = self.ast.list(several);
                self.ast.push(Node::Alternate(list))
            }
        };
        self.alternatives.truncate(first);
        Ok(id)
    }

    /// Reads a quantifier if one follows, and applies it.
    fn quantifier(&mut self, before: u32, allowed: Quantifiable) -> Result<(), PatternError> {
        let start = self.context.cursor.at();
        let bounds = match self.context.cursor.peek() {
            Some('*') => Some((0, NO_MAX)),
            Some('+') => Some((1, NO_MAX)),
            Some('?') => Some((0, 1)),
            Some('{') => self.braces()?,
            _ => return Ok(()),
        };
        let Some((min, max)) = bounds else {
            // A literal `{`: the next term reads it.
            return Ok(());
        };
        if self.context.cursor.at() == start {
            self.context.cursor.next();
        }
        let greedy = !self.context.cursor.eat('?');
        match allowed {
            Quantifiable::Yes => {}
            Quantifiable::Legacy => self
                .context
                .legacy("a lookaround cannot be repeated", start)?,
            Quantifiable::No => return Err(self.context.error("nothing to repeat", start)),
        }
        if !self.builds {
            return Ok(());
        }
        let Some(child) = self.items.pop() else {
            return Err(self.context.internal(INCONSISTENT));
        };
        self.push(Node::Repeat {
            child,
            min,
            max,
            greedy,
            captures: (before, self.captures),
        })
    }

    /// Reads `{n}`, `{n,}` or `{n,m}`, or nothing.
    fn braces(&mut self) -> Result<Option<(u32, u32)>, PatternError> {
        let cursor = &mut self.context.cursor;
        let start = cursor.at();
        cursor.eat('{');
        let bounds = cursor.eat_decimal().and_then(|min| {
            let max = if cursor.eat(',') {
                cursor.eat_decimal().unwrap_or(NO_MAX)
            } else {
                min
            };
            cursor.eat('}').then_some((min, max))
        });
        match bounds {
            None => {
                cursor.seek(start);
                Ok(None)
            }
            Some((min, max)) if min > max => Err(self
                .context
                .error("the bounds of the repetition are out of order", start)),
            some => Ok(some),
        }
    }
}

/// The message of an internal error if the parser's stacks do not fit the open groups.
const INCONSISTENT: &str = "the parser lost count of the open groups";
