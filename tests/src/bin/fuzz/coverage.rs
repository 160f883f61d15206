//! What the programs of a run hold: how many have each construct.

use std::collections::{BTreeMap, BTreeSet};

use anabranch_programs::program::{Adaptor, Block, Expr, Kind, Pattern, Program, Stmt};
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
                found.insert(construct(expr));
                found.extend(expr.ty.scalar().map(|scalar| format!("type {}", scalar.name())));
            }
            Node::Block(block) => found.extend(of_block(block).map(str::to_owned)),
            Node::Pattern(pattern) => patterns(pattern, &mut |name| {
                found.insert(format!("pattern {name}"));
            }),
            Node::Hosts(_) | Node::Loop(_) => {}
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

fn patterns(pattern: &Pattern, found: &mut dyn FnMut(&str)) {
    let (name, parts) = match pattern {
        Pattern::Wild => ("_", &[][..]),
        Pattern::Bind { inner: Some(inner), .. } => ("@", std::slice::from_ref(&**inner)),
        Pattern::Bind { inner: None, .. } => ("name", &[][..]),
        Pattern::Value(_) => ("value", &[][..]),
        Pattern::Range { .. } => ("range", &[][..]),
        Pattern::Tuple(parts) => ("tuple", &**parts),
        Pattern::Array(parts) => ("array", &**parts),
        Pattern::Or(parts) => ("or", &**parts),
    };
    found(name);
    parts.iter().for_each(|part| patterns(part, found));
}

fn construct(expr: &Expr) -> String {
    let name = match &expr.kind {
        Kind::Int { .. } | Kind::Float { .. } | Kind::Bool(_) => "literal",
        Kind::Var(_) => "variable",
        Kind::Const(_) => "constant",
        Kind::Seen => "acc",
        Kind::Unary(op, _) => return format!("unary {op:?}"),
        Kind::Binary(op, ..) => op.symbol(),
        Kind::Compare(op, ..) => op.symbol(),
        Kind::And(..) => "&&",
        Kind::Or(..) => "||",
        Kind::AssignOp(op, ..) => return format!("{}=", op.symbol()),
        Kind::Method { method, path: false, .. } => return format!(".{}()", method.name),
        Kind::Method { method, path: true, .. } | Kind::Associated(method, _) => return format!("::{}()", method.name),
        Kind::From(_) => "::from()",
        Kind::Len(_) => ".len()",
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
        Kind::Unsafe(_) => "unsafe",
        Kind::If { .. } => "if",
        Kind::IfLet { .. } => "if let",
        Kind::Match { arms, .. } if arms.iter().any(|arm| arm.guard.is_some()) => "match with guard",
        Kind::Match { .. } => "match",
        Kind::Loop { exhausted: None, .. } => "loop",
        Kind::Loop { .. } => "loop with value",
        Kind::While { .. } => "while",
        Kind::WhileLet { .. } => "while let",
        Kind::For { range, .. } => match (range.inclusive, range.adaptors.as_slice()) {
            (true, []) => "for ..=",
            (false, []) => "for ..",
            (_, [Adaptor::Rev]) => "for rev",
            (_, [Adaptor::StepBy(_)]) => "for step_by",
            (_, [..]) => "for rev step_by",
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
