//! What the programs of a run hold: how many have each construct.

use std::collections::{BTreeMap, BTreeSet};

use crate::program::{Block, Kind, Pattern, Program, Stmt};
use crate::visit::{self, Node};

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
        visit::all(&mut program.clone(), &mut |node| match node {
            Node::Expr(expr) => {
                found.insert(construct(&expr.kind));
                found.extend(expr.ty.scalar().map(|scalar| format!("type {}", scalar.name())));
            }
            Node::Block(block) => found.extend(of_block(block).map(str::to_owned)),
            Node::Pattern(pattern) => {
                found.insert(format!("pattern {}", of_pattern(pattern)));
            }
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

fn of_pattern(pattern: &Pattern) -> &'static str {
    match pattern {
        Pattern::Wild => "_",
        Pattern::Bind { inner: Some(_), .. } => "@",
        Pattern::Bind { .. } => "name",
        Pattern::Value(_) => "value",
        Pattern::Range { .. } => "range",
        Pattern::Tuple(_) => "tuple",
        Pattern::Array(_) => "array",
        Pattern::Or(_) => "or",
    }
}

fn construct(kind: &Kind) -> String {
    let name = match kind {
        Kind::Literal { .. } => "literal",
        Kind::Var(_) => "variable",
        Kind::Const(_) => "constant",
        Kind::Unary(op, _) => return format!("unary {op}"),
        Kind::Binary(op, ..) => return (*op).to_owned(),
        Kind::AssignOp(op, ..) => return format!("{op}="),
        Kind::Method { name, path: false, .. } => return format!(".{name}()"),
        Kind::Method { name, path: true, .. } => return format!("::{name}()"),
        Kind::Associated(name, _) => return format!("::{name}()"),
        Kind::Macro { name, .. } => return format!("{name}!"),
        Kind::Cast(_) => "as",
        Kind::GenericCast(_) => ".cast()",
        Kind::Call { .. } => "call",
        Kind::Borrow { mutable: false, .. } => "&",
        Kind::Borrow { mutable: true, .. } => "&mut",
        Kind::Field(..) => "field",
        Kind::Index(..) => "index",
        Kind::Tuple(_) => "tuple",
        Kind::Array(_) => "array",
        Kind::Repeat(_) => "[v; n]",
        Kind::Block { label: None, .. } => "block",
        Kind::Block { label: Some(_), .. } => "labelled block",
        Kind::If { .. } => "if",
        Kind::IfLet { .. } => "if let",
        Kind::Match { arms, .. } if arms.iter().any(|arm| arm.guard.is_some()) => "match with guard",
        Kind::Match { .. } => "match",
        Kind::Loop { exhausted: None, .. } => "loop",
        Kind::Loop { .. } => "loop with value",
        Kind::While { .. } => "while",
        Kind::WhileLet { .. } => "while let",
        Kind::For { range, .. } => match (range.inclusive, range.rev, range.step.is_some()) {
            (_, true, true) => "for rev step_by",
            (_, true, false) => "for rev",
            (_, false, true) => "for step_by",
            (true, false, false) => "for ..=",
            (false, false, false) => "for ..",
        },
        Kind::Assign(..) => "=",
        Kind::Break { label: None, value: None } => "break",
        Kind::Break { label: Some(_), value: None } => "break 'l",
        Kind::Break { label: None, value: Some(_) } => "break v",
        Kind::Break { label: Some(_), value: Some(_) } => "break 'l v",
        Kind::Continue(None) => "continue",
        Kind::Continue(Some(_)) => "continue 'l",
        Kind::Return(_) => "return",
    };
    name.to_owned()
}
