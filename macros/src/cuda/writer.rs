//! Statements. Expressions with control flow are lowered into a [`Dest`].

use super::names::Namer;
use super::text::{Piece, Text};
use crate::ir::{BinOp, Block, Body, CaptureId, CaptureKind, Expr, ExprKind, LocalId, LoopId, SlotId, Stmt};

/// Where the value of an expression goes.
#[derive(Clone)]
pub(super) enum Dest {
    /// Nowhere.
    Discard,
    /// Into a variable.
    Assign(String),
    /// Out of the function.
    Return,
}

/// Writes one C++ function.
pub(super) struct Writer<'b> {
    pub(super) body: &'b Body,
    pub(super) namer: Namer,
    locals: Vec<Option<String>>,
    pub(super) captures: Vec<CaptureNames>,
    pub(super) out: Text,
    pub(super) indent: usize,
    loops: Vec<OpenLoop>,
}

/// C++ names of a captured view (pointer, length, view) or value.
pub(super) struct CaptureNames {
    pub(super) view: String,
    pub(super) pointer: String,
    pub(super) length: String,
}

/// A C++ loop around the current place.
struct OpenLoop {
    id: LoopId,
    dest: Dest,
    break_label: Option<String>,
    continue_label: Option<String>,
}

/// An operation that the fill spells by type.
pub(super) fn binary(op: BinOp, slot: SlotId, lhs: Text, rhs: Text) -> Text {
    Text::new()
        .hole(Piece::Open(op, slot, None))
        .then(lhs)
        .hole(Piece::Mid(op, slot))
        .then(rhs)
        .hole(Piece::Close(op, slot))
}

impl<'b> Writer<'b> {
    pub(super) fn new(body: &'b Body) -> Self {
        let mut namer = Namer::new();
        let captures = body
            .captures
            .iter()
            .map(|capture| {
                let name = capture.name.to_string();
                let view = namer.name(&name);
                let (pointer, length) = match capture.kind {
                    CaptureKind::View(..) => (namer.name(&format!("{view}_p")), namer.name(&format!("{view}_n"))),
                    CaptureKind::Value => (String::new(), String::new()),
                };
                CaptureNames { view, pointer, length }
            })
            .collect();
        let locals = body.locals.iter().map(|_| None).collect();
        Self { body, namer, locals, captures, out: Text::new(), indent: 0, loops: Vec::new() }
    }

    pub(super) fn line(&mut self, line: Text) {
        let indent = "    ".repeat(self.indent);
        self.out = std::mem::take(&mut self.out).text(indent).then(line).text("\n");
    }

    /// The C++ name of a local, given at its first mention: its declaration.
    pub(super) fn local(&mut self, id: LocalId) -> &str {
        let name = &mut self.locals[id.0];
        name.get_or_insert_with(|| self.namer.name(&self.body[id].name.to_string()))
    }

    pub(super) fn capture(&self, id: CaptureId) -> &str {
        &self.captures[id.0].view
    }

    pub(super) fn length(&self, id: CaptureId) -> &str {
        &self.captures[id.0].length
    }

    /// Statements and value of a block, without braces.
    pub(super) fn block(&mut self, block: &Block, dest: &Dest) {
        self.statements(block);
        if let Some(value) = &block.value {
            self.lower(value, dest);
        }
    }

    pub(super) fn statements(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { local, init, ty: _ } => self.let_statement(*local, init),
                Stmt::Expr(expr) => self.lower(expr, &Dest::Discard),
            }
        }
    }

    fn let_statement(&mut self, local: LocalId, init: &Expr) {
        let slot = self.body[local].slot;
        if matches!(init.kind, ExprKind::If { .. } | ExprKind::Loop { .. }) && !self.inline(init) {
            let name = self.local(local).to_owned();
            self.line(Text::new().hole(Piece::Type(slot)).text(format!(" {name};")));
            return self.lower(init, &Dest::Assign(name));
        }
        // The initializer first: it may mention an older local of the same name.
        let value = self.value(init);
        let constness = if self.body[local].mutable { "" } else { "const " };
        let name = self.local(local).to_owned();
        self.line(Text::from(constness).hole(Piece::Type(slot)).text(format!(" {name} = ")).then(value).text(";"));
    }

    pub(super) fn braced(&mut self, open: Text, inside: impl FnOnce(&mut Self)) {
        self.line(open.text(" {"));
        self.indent += 1;
        inside(self);
        self.indent -= 1;
    }

    /// The same where braces stand around it already.
    pub(super) fn nested(&mut self, expr: &Expr, dest: &Dest) {
        match &expr.kind {
            ExprKind::Block(block) => self.block(block, dest),
            _ => self.lower(expr, dest),
        }
    }

    /// A condition in exactly one pair of parentheses.
    fn condition(&mut self, cond: &Expr) -> Text {
        let parenthesized = matches!(cond.kind, ExprKind::Compare { .. } | ExprKind::Logic { .. }) && self.inline(cond);
        let cond = self.value(cond);
        if parenthesized { cond } else { Text::from("(").then(cond).text(")") }
    }

    /// Evaluates an expression into its destination.
    pub(super) fn lower(&mut self, expr: &Expr, dest: &Dest) {
        match &expr.kind {
            ExprKind::Block(block) => match dest {
                Dest::Return => self.block(block, dest),
                Dest::Discard | Dest::Assign(_) => {
                    self.line("{".into());
                    self.indent += 1;
                    self.block(block, dest);
                    self.indent -= 1;
                    self.line("}".into());
                }
            },
            ExprKind::If { cond, then, otherwise, slot: _ } if matches!(dest, Dest::Discard) || !self.inline(expr) => {
                let cond = self.condition(cond);
                self.if_else(Text::from("if ").then(cond), then, otherwise.as_deref(), dest);
            }
            ExprKind::While { id, cond, body, label: _ } => {
                if self.inline(cond) {
                    let cond = self.condition(cond);
                    self.looped(*id, Text::from("while ").then(cond), &Dest::Discard, |_| {}, body);
                } else {
                    let test = |w: &mut Self| {
                        let cond = w.value(cond);
                        w.line(Text::from("if (!").then(cond).text(") break;"));
                    };
                    self.looped(*id, "for (;;)".into(), &Dest::Discard, test, body);
                }
            }
            ExprKind::Loop { id, body, label: _, slot: _ } => self.looped(*id, "for (;;)".into(), dest, |_| {}, body),
            ExprKind::For { id, var, start, end, inclusive, body, label: _ } => {
                let slot = self.body[*var].slot;
                let mut ends = self.operands(&[start, end]).into_iter();
                let (start, end) = (ends.next().unwrap_or_default(), ends.next().unwrap_or_default());
                let name = self.local(*var).to_owned();
                let last = self.namer.name(&format!("{name}_end"));
                let decl = Text::new()
                    .hole(Piece::Type(slot))
                    .text(format!(" {name} = "))
                    .then(start)
                    .text(format!(", {last} = "))
                    .then(end);
                if *inclusive {
                    // Counts with a flag: `last` may be the largest value of its type.
                    let go = self.namer.name(&format!("{name}_go"));
                    self.line("{".into());
                    self.indent += 1;
                    self.line(decl.text(";"));
                    let head =
                        format!("for (bool {go} = {name} <= {last}; {go}; {go} = {name} != {last}, {name} += {go})");
                    self.looped(*id, Text::new().text(head), &Dest::Discard, |_| {}, body);
                    self.indent -= 1;
                    self.line("}".into());
                } else {
                    let head = Text::from("for (").then(decl).text(format!("; {name} < {last}; ++{name})"));
                    self.looped(*id, head, &Dest::Discard, |_| {}, body);
                }
            }
            ExprKind::Assign { place, value } => self.assign(place, value),
            ExprKind::AssignOp { op, place, value, slot, site } => self.assign_op(*op, place, value, *slot, *site),
            ExprKind::Break { id, value, label: _ } => self.break_(*id, value.as_deref()),
            ExprKind::Continue { id, label: _ } => self.continue_(*id),
            ExprKind::Return(value) => match value {
                Some(value) => self.lower(value, &Dest::Return),
                None => self.line("return;".into()),
            },
            ExprKind::Int { .. }
            | ExprKind::Float { .. }
            | ExprKind::Bool(_)
            | ExprKind::Local(_)
            | ExprKind::Captured(_)
            | ExprKind::Index { .. }
            | ExprKind::Len(_)
            | ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Compare { .. }
            | ExprKind::Logic { .. }
            | ExprKind::Cast { .. }
            | ExprKind::Method { .. }
            | ExprKind::Associated { .. }
            | ExprKind::Call { .. }
            | ExprKind::If { .. } => {
                let value = self.value(expr);
                self.line(match dest {
                    // A call whose value nobody uses may still fail.
                    Dest::Discard => Text::from("(void)(").then(value).text(");"),
                    Dest::Assign(name) => Text::new().text(format!("{name} = ")).then(value).text(";"),
                    Dest::Return => Text::from("return ").then(value).text(";"),
                });
            }
        }
    }

    fn if_else(&mut self, head: Text, then: &Block, otherwise: Option<&Expr>, dest: &Dest) {
        self.braced(head, |w| w.block(then, dest));
        match otherwise {
            None => self.line("}".into()),
            Some(Expr { kind: ExprKind::If { cond, then, otherwise, slot: _ }, .. }) if self.inline(cond) => {
                let cond = self.condition(cond);
                self.if_else(Text::from("} else if ").then(cond), then, otherwise.as_deref(), dest);
            }
            Some(expr) => {
                self.braced("} else".into(), |w| w.nested(expr, dest));
                self.line("}".into());
            }
        }
    }

    /// A C++ loop; labels for `goto` are written only if some `break` or `continue` needs them.
    fn looped(&mut self, id: LoopId, head: Text, dest: &Dest, before: impl FnOnce(&mut Self), body: &Block) {
        self.loops.push(OpenLoop { id, dest: dest.clone(), break_label: None, continue_label: None });
        let outer = std::mem::take(&mut self.out);
        self.indent += 1;
        before(self);
        let prologue = std::mem::replace(&mut self.out, Text::new());
        self.block(body, &Dest::Discard);
        self.indent -= 1;
        let inner = std::mem::replace(&mut self.out, outer);
        let closed = self.loops.pop();
        let (break_label, continue_label) = closed.map_or((None, None), |l| (l.break_label, l.continue_label));
        self.line(head.text(" {"));
        self.out = std::mem::take(&mut self.out).then(prologue);
        if let Some(label) = continue_label {
            // Braces: a jump must not pass the initialization of a variable in the same scope.
            self.line("{".into());
            self.out = std::mem::take(&mut self.out).then(inner);
            self.line("}".into());
            self.line(Text::new().text(format!("{label}:;")));
        } else {
            self.out = std::mem::take(&mut self.out).then(inner);
        }
        self.line("}".into());
        if let Some(label) = break_label {
            self.line(Text::new().text(format!("{label}:;")));
        }
    }

    fn break_(&mut self, id: LoopId, value: Option<&Expr>) {
        let Some(at) = self.loops.iter().position(|l| l.id == id) else { return };
        let dest = self.loops[at].dest.clone();
        if let Some(value) = value {
            self.lower(value, &dest);
        }
        if matches!(dest, Dest::Return) {
            return;
        }
        if at + 1 == self.loops.len() {
            return self.line("break;".into());
        }
        let label = match &self.loops[at].break_label {
            Some(label) => label.clone(),
            None => self.namer.name("break_out"),
        };
        self.line(Text::new().text(format!("goto {label};")));
        self.loops[at].break_label = Some(label);
    }

    fn continue_(&mut self, id: LoopId) {
        // The `par` loop itself: one thread, one iteration.
        let Some(at) = self.loops.iter().position(|l| l.id == id) else { return self.line("return;".into()) };
        if at + 1 == self.loops.len() {
            return self.line("continue;".into());
        }
        let label = match &self.loops[at].continue_label {
            Some(label) => label.clone(),
            None => self.namer.name("continue_with"),
        };
        self.line(Text::new().text(format!("goto {label};")));
        self.loops[at].continue_label = Some(label);
    }
}
