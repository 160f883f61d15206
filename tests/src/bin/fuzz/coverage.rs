//! Coverage of the language: the number of programs in a run with each construct.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use anabranch_programs::program::{Block, Callee, Kind, Pattern, Program, Stmt};
use anabranch_programs::types::Ty;
use anabranch_programs::visit::{self, Node};

/// Programs with each construct.
#[derive(Default)]
pub(crate) struct Coverage(BTreeMap<String, usize>);

impl Coverage {
    pub(crate) fn add(&mut self, program: &Program) {
        let mut found = BTreeSet::new();
        for function in &program.functions {
            found.insert(function.generic.map_or("function".to_owned(), |bound| format!("function of T: {bound:?}")));
            found.extend(function.params.iter().map(|param| format!("parameter {:?}", param.mode)));
        }
        visit::look(program, &mut |node| match node {
            Node::Expr(expr) | Node::Place(expr) => {
                found.insert(construct(&expr.kind));
                found.extend(expr.ty.scalar().map(|scalar| format!("type {}", scalar.name())));
            }
            Node::Block(block) => found.extend(of_block(block).map(str::to_owned)),
            Node::Pattern(pattern) => patterns(pattern, &mut |name| {
                found.insert(format!("pattern {name}"));
            }),
            Node::Loop(of_loop) => {
                let shape = of_loop.threads.iter();
                found.extend(shape.map(|shape| format!("blocks {}", shape.iter().product::<usize>())));
            }
            Node::Hosts(_) => {}
        });
        for construct in found {
            *self.0.entry(construct).or_default() += 1;
        }
    }

    /// A line of counts.
    pub(crate) fn print(&self) {
        let counts: Vec<String> = self.0.iter().map(|(construct, count)| format!("{construct} {count}")).collect();
        println!("programs with: {}", counts.join(", "));
    }
}

fn of_block(block: &Block) -> impl Iterator<Item = &'static str> {
    block.stmts.iter().filter_map(|stmt| match stmt {
        Stmt::Let { otherwise: Some(_), .. } => Some("let else"),
        Stmt::Let { init: None, .. } => Some("let without a value"),
        Stmt::Const(..) => Some("const"),
        Stmt::Let { .. } | Stmt::Expr(_) | Stmt::Observe(_) => None,
    })
}

fn patterns(pattern: &Pattern, found: &mut dyn FnMut(String)) {
    found(variant(pattern));
    match pattern {
        Pattern::Bind { inner: Some(inner), .. } => {
            found("@".to_owned());
            patterns(inner, found);
        }
        Pattern::Tuple(parts) | Pattern::Struct(parts) | Pattern::Array(parts) | Pattern::Or(parts) => {
            parts.iter().for_each(|part| patterns(part, found));
        }
        Pattern::Variant(_, _, field) => field.iter().for_each(|field| patterns(field, found)),
        Pattern::Wild | Pattern::Bind { inner: None, .. } | Pattern::Value(_) | Pattern::Range { .. } => {}
    }
}

/// The construct of an expression: for most of them, its kind.
fn construct(kind: &Kind) -> String {
    let with = |name: &str, label: bool, value: bool| {
        format!("{name}{}{}", if label { " 'l" } else { "" }, if value { " v" } else { "" })
    };
    match kind {
        Kind::Unary(op, _) => format!("unary {op:?}"),
        Kind::Binary(op, ..) => op.symbol().to_owned(),
        Kind::Compare(op, ..) => op.symbol().to_owned(),
        Kind::AssignOp(op, ..) => format!("{}=", op.symbol()),
        Kind::Method { method, path: false, .. } => format!(".{}()", method.name),
        Kind::Method { method, path: true, .. } | Kind::Associated(method, _) => format!("::{}()", method.name),
        Kind::Macro { name, .. } => format!("{name}!"),
        Kind::Borrow { mutable: true, .. } => "BorrowMut".to_owned(),
        Kind::Call { callee: Callee::Around(around), .. } => format!("{around:?}"),
        Kind::Cast(of) if matches!(of.ty, Ty::Enum(..)) => "Cast of an enum".to_owned(),
        Kind::Index(of, _) if matches!(of.ty, Ty::Struct(_)) => "Index of a struct".to_owned(),
        Kind::And(a, b) if a.has_let() || b.has_let() => "chain of Let".to_owned(),
        Kind::Block { label, .. } => with("Block", label.is_some(), false),
        Kind::Match { arms, .. } if arms.iter().any(|arm| arm.guard.is_some()) => "Match with a guard".to_owned(),
        Kind::Loop { exhausted, .. } => with("Loop", false, exhausted.is_some()),
        Kind::For { range, .. } => {
            let adaptors: String = range.adaptors.iter().map(|adaptor| format!(" {}", variant(adaptor))).collect();
            format!("For {}{adaptors}", if range.inclusive { "..=" } else { ".." })
        }
        Kind::Collective { op, .. } => format!("block.{}()", op.name()),
        Kind::Phase { ranges, .. } => ranges
            .as_ref()
            .map_or("Phase of threads".to_owned(), |ranges| format!("Phase over {} ranges", ranges.len())),
        Kind::Break { label, value } => with("Break", label.is_some(), value.is_some()),
        Kind::Continue(label) => with("Continue", label.is_some(), false),
        other => variant(other),
    }
}

/// The name of a variant.
fn variant(of: &dyn Debug) -> String {
    let text = format!("{of:?}");
    text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
}
