//! Statements. Expressions with control flow are lowered into a [`Dest`].

use std::collections::{BTreeMap, BTreeSet};

use super::nodes::{
    Block, Body, CaptureId, CaptureKind, Expr, ExprId, ExprKind, Flow, List, LocalId, LocalKind, LoopId, Message, Pat,
    PatKind, Shape, SiteId, SlotId, Space, Stmt,
};
use super::{Form, Inferred, Proved, Uses, lines};
use crate::ir::Head;
use crate::ir::code::{Decoded, Info, Line};
use crate::names::Namer;

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
    pub(super) types: &'b dyn Inferred,
    pub(super) form: Form<'b>,
    /// What the launch has shown, if the text depends on it.
    pub(super) proved: Proved,
    pub(super) uses: Uses,
    pub(super) body: &'b Body,
    /// The files of its lines.
    files: &'b [String],
    /// What analyses have found in it, among it what the launch may decide.
    pub(super) info: Option<&'b Info>,
    /// It is a device function.
    pub(super) is_function: bool,
    /// Something in it can fail, or calls what can.
    pub(super) can_fail: bool,
    /// Of a loop over blocks: their threads.
    pub(super) threads: Option<u32>,
    pub(super) in_phase: bool,
    /// Where a thread is in rows of its threads, by their lengths: the names of its number in the
    /// row, and of the row.
    pub(super) rows: BTreeMap<u32, [String; 2]>,
    /// The steps before which its threads already wait for each other.
    pub(super) waited: BTreeSet<ExprId>,
    /// Variables that only depend on the numbers of the launch and on the block's index.
    pub(super) of_launch: BTreeSet<LocalId>,
    /// Of a function that returns a reference, the slot of what it refers to.
    pub(super) projects: Option<SlotId>,
    pub(super) namer: Namer,
    locals: Vec<Option<String>>,
    /// The same in 32 bits, where there is one.
    pub(super) narrow: Vec<Option<String>>,
    pub(super) captures: Vec<CaptureNames>,
    pub(super) out: String,
    pub(super) indent: usize,
    /// Where the next lines come from.
    here: Option<Line>,
    pub(super) loops: Vec<OpenLoop>,
}

/// C++ names of a captured view (pointer, length, view), or of a value and the words that it may
/// travel as.
pub(super) struct CaptureNames {
    pub(super) view: String,
    pub(super) pointer: String,
    pub(super) length: String,
}

/// A C++ loop around the current place.
pub(super) struct OpenLoop {
    pub(super) id: LoopId,
    /// Where the value of a `break` goes.
    pub(super) dest: Dest,
    /// A labelled block, which no C++ `break` leaves.
    pub(super) block: bool,
    pub(super) break_label: Option<String>,
    pub(super) continue_label: Option<String>,
}

impl<'b> Writer<'b> {
    pub(super) fn new<H>(code: &'b Decoded<H>, form: Form<'b>, types: &'b dyn Inferred) -> Self {
        let Decoded { files, body, info, .. } = code;
        let proved = if code.differs() { form.proved } else { Proved::Nothing };
        let mut namer = Namer::default();
        let captures = body
            .captures
            .iter()
            .map(|capture| {
                let name = match capture.kind {
                    CaptureKind::Extent(of, dim) => format!("{}_{dim}", body[of].name),
                    CaptureKind::Stride(of, dim) => format!("{}_by{dim}", body[of].name),
                    CaptureKind::View(..) | CaptureKind::Value => capture.name.to_string(),
                };
                let view = namer.name(&name);
                let (pointer, length) = match capture.kind {
                    CaptureKind::View(..) => (namer.name(&format!("{view}_p")), namer.name(&format!("{view}_n"))),
                    CaptureKind::Value | CaptureKind::Extent(..) | CaptureKind::Stride(..) => {
                        (namer.name(&format!("{view}_packed")), String::new())
                    }
                };
                CaptureNames { view, pointer, length }
            })
            .collect();
        let locals = body.locals.iter().map(|_| None).collect();
        let narrow = body.locals.iter().map(|_| None).collect();
        Self {
            types,
            form,
            proved,
            uses: Uses::default(),
            body,
            files,
            info: info.as_ref(),
            is_function: false,
            can_fail: false,
            threads: None,
            in_phase: false,
            rows: BTreeMap::new(),
            waited: BTreeSet::new(),
            of_launch: BTreeSet::new(),
            projects: None,
            namer,
            locals,
            narrow,
            captures,
            out: String::new(),
            indent: 0,
            here: None,
            loops: Vec::new(),
        }
    }

    pub(super) fn line(&mut self, line: impl AsRef<str>) {
        let indent = "    ".repeat(self.indent);
        self.out += &format!("{indent}{}\n", line.as_ref());
    }

    /// The number of a site in the program.
    pub(super) fn site(&mut self, site: SiteId) -> u32 {
        self.uses.checks = true;
        self.form.sites + site.number()
    }

    /// The next lines come from that line of the source.
    pub(super) fn comes_from(&mut self, line: Line) {
        self.here = Some(line);
        let Some((own, _)) = self.form.source else { return };
        // A directive without a line after it would be about the next one.
        let last = self.out.trim_end_matches('\n').rfind('\n').map_or(0, |end| end + 1);
        if self.out[last..].starts_with("#line ") {
            self.out.truncate(last);
        }
        // A line that is not known is taken for the one before.
        if line.line > 0 {
            let file = self.files.get(line.file).filter(|file| !file.is_empty());
            self.out += &lines::directive(line.line as usize, file.map_or(own, String::as_str));
        }
    }

    /// The next lines come again from where they came before a part of the source, such as the
    /// operand of an assignment.
    fn comes_again_from(&mut self, before: Option<Line>) {
        match before {
            Some(line) => self.comes_from(line),
            None => self.here = None,
        }
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
            let before = self.here;
            match stmt {
                Stmt::Let { pat, init, otherwise, ty: _ } => {
                    self.comes_from(pat.span);
                    match (pat.name(), otherwise, self.part_by_part(pat, init)) {
                        (Some(local), None, _) => self.let_statement(local, init),
                        (None, None, Some(parts)) => {
                            self.wait_before(init);
                            parts.into_iter().for_each(|(local, init)| self.let_statement(local, init));
                        }
                        _ => self.let_pattern(pat, init, otherwise.as_ref()),
                    }
                    if self.threads.is_some() && self.is_of_launch(init) {
                        self.of_launch.extend(pat.locals().into_iter().filter(|local| !self.body[*local].mutable));
                    }
                }
                Stmt::Declare { span, local, ty: _ } => {
                    self.comes_from(*span);
                    let slot = self.body[*local].slot;
                    let name = self.local(*local).to_owned();
                    // Zeroed, so that a path after a failed check reads no garbage.
                    self.line(format!("{} {name}{{}};", self.types.ty(slot)));
                }
                Stmt::Expr(expr) => self.lower(expr, &Dest::Discard),
                Stmt::Item(_) => {}
            }
            self.comes_again_from(before);
        }
    }

    /// The variables of a pattern, and their values, if both are written as tuples or arrays: each
    /// is then a statement.
    fn part_by_part<'e>(&self, pat: &Pat, init: &'e Expr) -> Option<Vec<(LocalId, &'e Expr)>> {
        let (PatKind::Tuple(List { front, back: None }) | PatKind::Array(List { front, back: None })) = &pat.kind
        else {
            return None;
        };
        let (ExprKind::Tuple { elems, .. } | ExprKind::Array { elems, .. }) = &init.kind else { return None };
        let is_value = |local: &LocalId| self.body[*local].kind == LocalKind::Value;
        let parts = front.iter().zip(elems).map(|(pat, elem)| Some((pat.name().filter(is_value)?, elem)));
        parts.collect::<Option<Vec<_>>>().filter(|_| front.len() == elems.len())
    }

    fn let_statement(&mut self, local: LocalId, init: &Expr) {
        self.wait_before(init);
        let slot = self.body[local].slot;
        match self.body[local].space {
            Space::Own => {}
            Space::Shared => return self.shared(local, init),
            Space::Each(first) => match &init.kind {
                ExprKind::Collective(collective) => return self.scan(local, collective),
                _ => return self.each(local, first),
            },
        }
        if self.body[local].kind != LocalKind::Value {
            let value = self.value(init);
            // A slice is a value that points to its elements; of what is no place there is a copy.
            let alias = match &init.kind {
                ExprKind::Reference { place, .. } => {
                    place.is_place() && matches!(self.body[local].kind, LocalKind::Reference(_))
                }
                _ => false,
            };
            let name = self.local(local).to_owned();
            let how = if alias { "auto&" } else { "const auto" };
            return self.line(format!("{how} {name} = {value};"));
        }
        if goes_into_its_place(init) && !self.inline(init) {
            let name = self.local(local).to_owned();
            self.line(format!("{} {name}{};", self.types.ty(slot), begins(init)));
            return self.lower(init, &Dest::Assign(name));
        }
        self.let_value(local, init);
    }

    /// `const T name = value;`
    pub(super) fn define(&mut self, local: LocalId, value: &str) {
        let ty = self.types.ty(self.body[local].slot);
        let constness = if self.body[local].mutable { "" } else { "const " };
        let name = self.local(local).to_owned();
        self.line(format!("{constness}{ty} {name} = {value};"));
    }

    pub(super) fn braced(&mut self, open: &str, inside: impl FnOnce(&mut Self)) {
        self.line(format!("{open} {{"));
        self.indent += 1;
        inside(self);
        self.indent -= 1;
    }

    /// The same where there are braces around it already.
    pub(super) fn nested(&mut self, expr: &Expr, dest: &Dest) {
        self.wait_before(expr);
        match &expr.kind {
            ExprKind::Flow { flow, .. } if let Shape::Straight { body, .. } = flow.shape() => self.block(body, dest),
            _ => self.lower(expr, dest),
        }
    }

    /// A condition in exactly one pair of parentheses.
    pub(super) fn condition(&mut self, cond: &Expr) -> String {
        let parenthesized = matches!(cond.kind, ExprKind::Compare { .. } | ExprKind::Logic { .. }) && self.inline(cond);
        let cond = self.value(cond);
        if parenthesized { cond } else { format!("({cond})") }
    }

    /// Evaluates an expression into its destination.
    pub(super) fn lower(&mut self, expr: &Expr, dest: &Dest) {
        let before = self.here;
        self.comes_from(expr.span);
        self.lower_here(expr, dest);
        self.comes_again_from(before);
    }

    fn lower_here(&mut self, expr: &Expr, dest: &Dest) {
        self.wait_before(expr);
        if matches!(dest, Dest::Discard) && self.by_one_thread(expr) {
            return self.once(expr);
        }
        match &expr.kind {
            ExprKind::Flow { flow, .. } => self.flow(flow, expr, dest),
            ExprKind::Assign { place, value, op: None } => self.assign(place, value),
            ExprKind::Assign { place, value, op: Some(op) } => self.assign_op(*op, place, value),
            ExprKind::Panic { site, message } => {
                match message {
                    Message::Fixed(_) => {
                        let site = self.site(*site);
                        self.line(format!("ab::die(ab_cx, {site}, 0, 0);"));
                    }
                    Message::Formatted(format) => {
                        let (values, site) = (self.formatted(format), self.site(*site));
                        self.line(format!("ab::fail(ab_cx, {site}, {values});"));
                    }
                }
                // Formally the thread goes on, with some value.
                match dest {
                    Dest::Discard => {}
                    Dest::Assign(name) => self.line(format!("{name} = {{}};")),
                    Dest::Return => self.line(self.return_anything()),
                }
            }
            ExprKind::Print { output, format, site } => {
                self.uses.prints = true;
                let (values, site) = (self.formatted(format), self.site(*site));
                self.line(format!("ab::print(ab_cx, {site}, {}, {values});", *output as u8));
            }
            ExprKind::Assert { cond, check } => {
                // Without a site it is not checked.
                if let Some((_, site)) = check {
                    let (cond, site) = (self.value(cond), self.site(*site));
                    self.line(format!("if (!{cond}) ab::die(ab_cx, {site}, 0, 0);"));
                }
            }
            _ => self.inlined(expr, dest),
        }
    }

    /// Leaves a function with a value.
    pub(super) fn returned(&mut self, value: &Expr) {
        self.lower(value, &Dest::Return);
        if !self.returns(value) {
            self.line(self.return_anything());
        }
    }

    /// Whether an expression that is lowered into [`Dest::Return`] leaves the function in any case.
    /// A statement, whose value is `()`, does not.
    pub(super) fn returns(&self, expr: &Expr) -> bool {
        let of_block = |block: &Block| block.value.as_ref().is_some_and(|value| self.returns(value));
        match &expr.kind {
            ExprKind::Print { .. } | ExprKind::Assert { .. } | ExprKind::Assign { .. } => false,
            ExprKind::Flow { flow, .. } => match flow.shape() {
                Shape::Straight { body, .. } | Shape::Labelled(body) => of_block(body),
                Shape::If { .. } if self.inline(expr) => true,
                Shape::If { then, otherwise, cond: _ } => {
                    of_block(then) && otherwise.is_some_and(|otherwise| self.returns(otherwise))
                }
                Shape::Match { arms, .. } => !arms.is_empty() && arms.iter().all(|arm| self.returns(&arm.body)),
                Shape::Jump(_) | Shape::Question(_) => true,
                // Nothing but its `break`s leaves a `loop`.
                Shape::Round { head: Head::Empty, .. } => true,
                Shape::Phase(_) | Shape::Counted { .. } | Shape::Round { head: Head::Test(_) | Head::Bind(..), .. } => {
                    false
                }
            },
            _ => true,
        }
    }

    /// Leaves a function after a failed check, or without a value.
    pub(super) fn return_anything(&self) -> String {
        match self.projects {
            None => "return {};".to_owned(),
            Some(slot) => format!("return ab::no_place<{}>(ab_cx);", self.types.ty(slot)),
        }
    }

    /// An expression that is one in C++, too.
    pub(super) fn inlined(&mut self, expr: &Expr, dest: &Dest) {
        let value = self.value(expr);
        self.line(match dest {
            // A call whose value is not used may still fail.
            Dest::Discard => format!("(void)({value});"),
            Dest::Assign(name) => format!("{name} = {value};"),
            Dest::Return => format!("return {value};"),
        });
    }
}

/// What a variable begins with that control flow gives its value to. After a failed check, a `loop`
/// may be left without one, and so may what ends with a panic.
pub(super) fn begins(value: &Expr) -> &'static str {
    let fails =
        |expr: &Expr| matches!(&expr.kind, ExprKind::Flow { flow: Flow::Loop { .. }, .. } | ExprKind::Panic { .. });
    if value.any(&mut |part| fails(part)) { "{}" } else { "" }
}

/// Control flow whose value is written to where it is wanted.
pub(super) fn goes_into_its_place(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Flow { slot: Some(_), .. })
}

/// The value of an expression without one: `()`. It also fills places that control never reaches.
pub(super) fn nothing() -> String {
    "ab::tuple<>{}".to_owned()
}
