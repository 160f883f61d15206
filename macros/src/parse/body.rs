//! Device code: the names that are visible at a place, and the loops around it. Statements are in
//! `stmt`, expressions in `expr`.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::spanned::Spanned;

use super::scopes::Scopes;
use super::{HostName, ViewType, hides_slices, single_ident, strip};
use crate::ir::{
    Access, Body, Borrow, Capture, CaptureId, CaptureKind, Expr, ExprKind, Local, LocalId, LocalKind, LoopId, Slot,
    SlotId,
};
use crate::names::{self, local};
use crate::report::{Code, Diagnostic, Report, error};

/// Where the device code is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Context<'a> {
    /// The body of a `par` loop.
    Par,
    /// The body of the `#[device]` function of this name.
    Device(&'a Ident),
}

/// Whether somebody uses the value of an expression: only then it has a slot for its type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Want {
    Value,
    /// A reference that the function returns.
    Reference,
    Nothing,
}

/// What `return` and `?` leave.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaves {
    /// The function around, if there is one. `?` needs the slot of its result.
    Body(Option<SlotId>),
    /// A closure, with the slot of its result.
    Closure(SlotId),
    /// The closure of an iterator, which becomes a part of a loop, so that nothing can leave it.
    Nothing,
}

/// Parses one body.
pub(super) struct BodyParser<'a> {
    pub(super) report: &'a mut Report,
    pub(super) context: Context<'a>,
    pub(super) body: Body,
    host: &'a dyn Fn(&str) -> Option<HostName>,
    /// The path to the runtime's module for generated code, in a kernel.
    pub(super) private: TokenStream,
    scopes: Scopes<Name>,
    /// Locals whose `let` is wrong: what they are is unknown, so nothing is said of their uses.
    refused: Vec<LocalId>,
    /// How many references those have that have more than one: `&&T`. The twin has one for all of
    /// them.
    pub(super) deep: BTreeMap<LocalId, usize>,
    /// What `return` and `?` leave.
    pub(super) leaves: Leaves,
    /// The function returns a reference.
    pub(super) projects: Option<Borrow>,
    /// The function is in an `impl`.
    pub(super) in_impl: bool,
    /// That is of a trait, so that `self.f()` may be a function of the type.
    pub(super) of_trait: bool,
    /// Type parameters of the function around.
    pub(super) type_params: Vec<String>,
    pub(super) loops: Vec<LoopFrame>,
    /// The constants of the kernel that are visible where the body is.
    pub(super) constants: BTreeMap<String, u64>,
    /// The block of threads that a loop over blocks runs on.
    pub(super) team: Option<Team>,
    /// Number of blocks so far.
    blocks: usize,
}

/// The threads that run a block.
pub(super) struct Team {
    pub(super) shape: Vec<u32>,
    /// The indexes of the block.
    pub(super) vars: Vec<LocalId>,
    /// Number of blocks of code around.
    pub(super) depth: isize,
    pub(super) phase: Option<InPhase>,
}

/// The phase around the place that is being parsed.
pub(super) struct InPhase {
    pub(super) thread: LocalId,
    /// The first variable that is declared in it.
    pub(super) first: LocalId,
    /// Something depends on which thread runs an iteration.
    pub(super) asked: bool,
}

/// What a name of a body is.
#[derive(Clone, Copy)]
enum Name {
    /// A variable.
    Local(LocalId),
    /// A constant or function that is declared in this block of the body: only rustc knows more.
    Item(usize),
    /// A type that is declared in this block: variables may have the same name.
    Type(usize),
    /// The block of threads.
    Team,
}

/// A loop or labelled block around the place that is being parsed.
pub(super) struct LoopFrame {
    pub(super) id: LoopId,
    pub(super) label: Option<syn::Lifetime>,
    pub(super) kind: LoopKind,
    /// Somebody uses the value that a `break` brings.
    pub(super) want: Want,
}

impl LoopFrame {
    /// A use of its label, resolved as where the label stands: as names of variables are.
    pub(super) fn named(&self, used: Option<&syn::Lifetime>) -> Option<syn::Lifetime> {
        let (mut used, label) = (used?.clone(), self.label.as_ref()?);
        used.set_span(used.span().resolved_at(label.span()));
        Some(used)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LoopKind {
    Par,
    /// The innermost loop of a phase.
    Phase,
    /// `loop`, whose `break` may bring a value.
    Loop,
    /// A labelled block: only `break` with its label leaves it.
    Block,
    Other,
}

impl<'a> BodyParser<'a> {
    pub(super) fn new(
        report: &'a mut Report,
        context: Context<'a>,
        host: &'a dyn Fn(&str) -> Option<HostName>,
    ) -> Self {
        Self {
            report,
            context,
            body: Body { loops: 1, ..Body::default() },
            host,
            private: TokenStream::new(),
            scopes: Scopes::new(),
            refused: Vec::new(),
            deep: BTreeMap::new(),
            leaves: Leaves::Body(None),
            projects: None,
            in_impl: false,
            of_trait: false,
            type_params: Vec::new(),
            loops: Vec::new(),
            constants: BTreeMap::new(),
            team: None,
            blocks: 0,
        }
    }

    /// A new local, visible from here to the end of the scope.
    pub(super) fn bind(&mut self, name: &Ident, mutable: bool, ty: Slot) -> LocalId {
        self.bind_kind(name, mutable, ty, LocalKind::Value)
    }

    pub(super) fn bind_kind(&mut self, name: &Ident, mutable: bool, ty: Slot, kind: LocalKind) -> LocalId {
        if let Some(HostName::Slices(_)) = self.host(name) {
            self.report.on(name, hides_slices(name));
        }
        let slot = self.body.slots(ty);
        let local = self.body.locals(Local { mutable, ..Local::new(name.clone(), slot, kind) });
        self.scopes.declare(name, Name::Local(local));
        local
    }

    /// What a loop counts with.
    pub(super) fn bind_counter(&mut self, name: &Ident, mutable: bool) -> LocalId {
        let local = self.bind(name, mutable, Slot::Inferred);
        self.body.locals[local.0].counts = true;
        local
    }

    /// The same without a name of the user's.
    pub(super) fn generated_counter(&mut self, span: Span) -> LocalId {
        let local = self.generated("at", span, Slot::Inferred, LocalKind::Value);
        self.body.locals[local.0].counts = true;
        local
    }

    /// A local for what the user has no name for.
    pub(super) fn generated(&mut self, name: &str, span: Span, ty: Slot, kind: LocalKind) -> LocalId {
        let mut name = local(&format!("{name}{}", self.body.locals.len()));
        name.set_span(span.resolved_at(name.span()));
        let slot = self.body.slots(ty);
        self.body.locals(Local::new(name, slot, kind))
    }

    /// The same with the type of another one.
    pub(super) fn generated_like(&mut self, name: &str, span: Span, like: LocalId) -> LocalId {
        let mut name = local(&format!("{name}{}", self.body.locals.len()));
        name.set_span(span.resolved_at(name.span()));
        let Local { slot, kind, .. } = self.body[like];
        self.body.locals(Local::new(name, slot, kind))
    }

    /// The value that a name means.
    fn name(&self, name: &Ident) -> Option<Name> {
        self.scopes.all(&names::plain(name)).find(|is| !matches!(is, Name::Type(_)))
    }

    /// The innermost block of the body that declares a name of a path; 0 if none does.
    pub(super) fn scope_of(&self, path: &syn::ExprPath) -> usize {
        fn names(tokens: TokenStream, all: &mut Vec<Ident>) {
            for tree in tokens {
                match tree {
                    proc_macro2::TokenTree::Ident(name) => all.push(name),
                    proc_macro2::TokenTree::Group(group) => names(group.stream(), all),
                    proc_macro2::TokenTree::Punct(_) | proc_macro2::TokenTree::Literal(_) => {}
                }
            }
        }
        let mut all = Vec::new();
        names(path.to_token_stream(), &mut all);
        let block = |name: &Ident| {
            self.scopes.all(&names::plain(name)).find_map(|is| match is {
                Name::Item(block) | Name::Type(block) => Some(block),
                Name::Local(_) | Name::Team => None,
            })
        };
        all.iter().filter_map(block).max().unwrap_or(0)
    }

    pub(super) fn local(&self, name: &Ident) -> Option<LocalId> {
        match self.name(name)? {
            Name::Local(local) => Some(local),
            Name::Item(_) | Name::Type(_) | Name::Team => None,
        }
    }

    /// Whether there is a variable of a name, which an item may hide.
    pub(super) fn is_variable(&self, name: &Ident) -> bool {
        let name = names::plain(name);
        self.scopes.all(&name).any(|is| matches!(is, Name::Local(_))) || (self.host)(&name).is_some()
    }

    /// The value of a constant of the kernel, unless the name means something else here.
    pub(super) fn constant(&self, name: &Ident) -> Option<u64> {
        let hidden = self.name(name).is_some() || self.host(name).is_some();
        if hidden { None } else { self.constants.get(&names::plain(name)).copied() }
    }

    /// Whether the `let` of a local was refused.
    pub(super) fn is_refused(&self, name: &Ident) -> bool {
        self.local(name).is_some_and(|local| self.refused.contains(&local))
    }

    /// Whether an expression is a part of such a local.
    pub(super) fn is_unknown(&self, expr: &syn::Expr) -> bool {
        match strip(expr) {
            syn::Expr::Field(field) => self.is_unknown(&field.base),
            syn::Expr::Index(index) => self.is_unknown(&index.expr),
            syn::Expr::MethodCall(call) => self.is_unknown(&call.receiver),
            other => single_ident(other).is_some_and(|name| self.is_refused(name)),
        }
    }

    /// What the host part means by a name, unless the body means something else.
    pub(super) fn host(&self, name: &Ident) -> Option<HostName> {
        match self.name(name) {
            None => (self.host)(&names::plain(name)),
            Some(_) => None,
        }
    }

    pub(super) fn slot(&mut self) -> SlotId {
        self.body.slots(Slot::Inferred)
    }

    /// What is converted, with the type that it has if it is an element.
    pub(super) fn loaded(&mut self, operand: Expr) -> Expr {
        if !matches!(operand.kind, ExprKind::Index { .. }) {
            return operand;
        }
        let (span, slot) = (operand.span, self.slot());
        Expr::new(span, ExprKind::Loaded { element: Box::new(operand), slot })
    }

    /// The capture of a host value.
    pub(super) fn capture_value(&mut self, name: &Ident) -> CaptureId {
        match self.captured(name) {
            Some(at) => at,
            None => self.body.captures(Capture { name: name.clone(), kind: CaptureKind::Value, dims: 0 }),
        }
    }

    /// The capture of a view, with its strongest access so far. Refuses to write what is read-only.
    pub(super) fn capture_view(&mut self, name: &Ident, access: Access) -> Option<CaptureId> {
        let Some(HostName::View { binding, view }) = self.host(name) else { return None };
        if access == Access::Write && view.borrow != Borrow::Unique {
            self.report.on(name, read_only(name, view));
        }
        match self.captured(name) {
            Some(at) => {
                if let CaptureKind::View(_, strongest) = &mut self.body.captures[at.0].kind {
                    *strongest = access.max(*strongest);
                }
                Some(at)
            }
            None => {
                let (kind, dims) = (CaptureKind::View(binding, access), view.dims);
                let capture = self.body.captures(Capture { name: name.clone(), kind, dims });
                for dim in 0..dims {
                    let name = local(&format!("{}_{dim}", names::plain(name)));
                    self.body.captures(Capture { name, kind: CaptureKind::Extent(capture, dim), dims: 0 });
                }
                for dim in 1..dims {
                    let name = local(&format!("{}_by{}", names::plain(name), dim - 1));
                    self.body.captures(Capture { name, kind: CaptureKind::Stride(capture, dim - 1), dims: 0 });
                }
                Some(capture)
            }
        }
    }

    fn captured(&self, name: &Ident) -> Option<CaptureId> {
        let of_grid = |kind| matches!(kind, CaptureKind::Extent(..) | CaptureKind::Stride(..));
        let is_it = |c: &Capture| !of_grid(c.kind) && names::plain(&c.name) == names::plain(name);
        self.body.captures.iter().position(is_it).map(CaptureId)
    }

    pub(super) fn enter_loop(&mut self, label: Option<&syn::Label>, kind: LoopKind, want: Want) -> LoopId {
        let id = match kind {
            LoopKind::Par => LoopId(0),
            LoopKind::Phase | LoopKind::Loop | LoopKind::Block | LoopKind::Other => {
                self.body.loops += 1;
                LoopId(self.body.loops - 1)
            }
        };
        self.loops.push(LoopFrame { id, label: label.map(|l| l.name.clone()), kind, want });
        id
    }

    /// The number of a loop that nothing jumps out of.
    pub(super) fn next_loop(&mut self) -> LoopId {
        self.body.loops += 1;
        LoopId(self.body.loops - 1)
    }

    /// The name of the block of threads.
    pub(super) fn declare_team(&mut self, name: &Ident) {
        self.scopes.declare(name, Name::Team);
    }

    /// Whether an expression is nothing but that name.
    pub(super) fn is_team(&self, expr: &syn::Expr) -> bool {
        single_ident(expr).is_some_and(|name| matches!(self.name(name), Some(Name::Team)))
    }

    pub(super) fn leave_loop(&mut self) {
        self.loops.pop();
    }

    /// Names bound inside are gone afterwards.
    pub(super) fn scoped<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.enter();
        let value = inside(self);
        self.scopes.leave();
        value
    }

    /// Begins a block: its items are visible in all of it.
    pub(super) fn declare_items(&mut self, stmts: &[syn::Stmt]) {
        self.blocks += 1;
        stmts.iter().for_each(|stmt| self.declare_item(stmt));
    }

    fn declare_item(&mut self, stmt: &syn::Stmt) {
        match stmt {
            syn::Stmt::Item(syn::Item::Const(item)) => self.scopes.declare(&item.ident, Name::Item(self.blocks)),
            syn::Stmt::Item(syn::Item::Fn(item)) => self.scopes.declare(&item.sig.ident, Name::Item(self.blocks)),
            syn::Stmt::Item(syn::Item::Type(item)) => self.scopes.declare(&item.ident, Name::Type(self.blocks)),
            syn::Stmt::Item(syn::Item::Use(item)) => {
                let (mut names, mut globs) = (Vec::new(), Vec::new());
                names_of_use(&item.tree, None, &mut names, &mut globs);
                globs.into_iter().for_each(|glob| self.report.on(glob, unknown_names()));
                names.iter().for_each(|name| self.scopes.declare(name, Name::Item(self.blocks)));
            }
            _ => {}
        }
    }

    /// Binds the names of a refused pattern, so that their uses are not reported too.
    pub(super) fn bind_anyway(&mut self, pat: &syn::Pat) {
        let mut names = Vec::new();
        super::names_of(pat, &mut names);
        for name in names {
            let local = self.bind(&name, true, Slot::Inferred);
            self.refused.push(local);
        }
    }

    /// Stands where a refused expression stood; never emitted, since the error ends the expansion.
    pub(super) fn refused(&self, span: Span) -> Expr {
        Expr::new(span, ExprKind::Bool(false))
    }

    /// Refuses an expression.
    pub(super) fn unsupported(&mut self, tokens: &(impl ToTokens + Spanned), diagnostic: Diagnostic) -> Expr {
        self.report.on(tokens, diagnostic);
        self.refused(tokens.span())
    }

    /// Whether a loop is around the phase that is being parsed.
    pub(super) fn leaves_phase(&self, id: LoopId) -> bool {
        let at = |is_it: &dyn Fn(&LoopFrame) -> bool| self.loops.iter().position(is_it);
        match (at(&|frame| frame.kind == LoopKind::Phase), at(&|frame| frame.id == id)) {
            (Some(phase), Some(of)) => of < phase,
            _ => false,
        }
    }

    /// What `break` and `continue` without a label mean.
    pub(super) fn innermost_loop(&self) -> Option<&LoopFrame> {
        self.loops.iter().rev().find(|l| l.kind != LoopKind::Block)
    }

    pub(super) fn label_of(&self, label: &syn::Lifetime) -> Option<&LoopFrame> {
        self.loops.iter().rev().find(|l| l.label.as_ref().is_some_and(|l| l.ident == label.ident))
    }
}

/// The names that a `use` brings into its block, and what brings names that are not written.
pub(super) fn names_of_use<'t>(
    tree: &'t syn::UseTree,
    of: Option<&Ident>,
    names: &mut Vec<Ident>,
    globs: &mut Vec<&'t syn::UseGlob>,
) {
    match tree {
        syn::UseTree::Path(path) => names_of_use(&path.tree, Some(&path.ident), names, globs),
        // `use m::{self}`
        syn::UseTree::Name(name) if name.ident == "self" => names.extend(of.cloned()),
        syn::UseTree::Name(name) => names.push(name.ident.clone()),
        syn::UseTree::Rename(rename) => names.push(rename.rename.clone()),
        syn::UseTree::Group(group) => group.items.iter().for_each(|tree| names_of_use(tree, of, names, globs)),
        syn::UseTree::Glob(glob) => globs.push(glob),
    }
}

fn unknown_names() -> Diagnostic {
    error(Code::Glob, "`use …::*` is not supported in device code: it may import a name that hides a variable")
        .help("import each name: `use m::{a, b};`")
        .help("move it out of the function")
}

/// A write to a view that is only read.
pub(super) fn read_only(name: &Ident, view: ViewType) -> Diagnostic {
    let (noun, unique) = (view.noun(), view.unique());
    error(Code::ReadOnly, format!("cannot write to `{name}`: it is a read-only {noun}"))
        .help(format!("if it is a parameter, declare it as `{unique}`"))
        .help(match view.dims {
            0 => "if it is a part of a slice, split that with `split_at_mut`",
            _ => "if it is a part of a grid, take it with `part_mut`, `rows_mut` or `split_at_mut`",
        })
}
