//! The host part: scopes of names, and `par` loops, `stream_parallel!` and calls of kernels
//! replaced by markers.
//!
//! Host code is ordinary Rust that rustc understands better than we do. This walk only needs to
//! know which names are views of device memory, because rustc can prove groups independent only if
//! *every* use of a view in a group goes through the reborrow at the fork. So a view may be indexed
//! in `par` bodies, asked for its length, lent in parts, renamed by `let`, and lent to a kernel;
//! any other use is refused.
//!
//! | file | contents |
//! |---|---|
//! | `views` | the uses of slices in host code |
//! | `par_loop` | `par` loops |
//! | `fused` | adjacent `par` loops that may be one |
//! | `reductions` | reductions and scans |
//! | `stream_parallel` | groups |
//! | `kernel_call` | calls of kernels |
//! | `fields` | fields of structs of slices |
//! | `scratch` | elements that belong to the launch |
//! | `swap` | swaps of slices |

pub(super) mod fields;
mod fused;
mod kernel_call;
pub(super) mod par_loop;
pub(super) mod reductions;
mod scratch;
mod stream_parallel;
pub(super) mod swap;
mod views;

use std::collections::BTreeMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};

use crate::ir::{Access, BindingId, Call, Fork, Fused, ParLoop, PlanNode, Struct, ViewUse};
use crate::names;
use crate::parse::attributes::{is_cfg, no_cfg};
use crate::parse::scopes::Scopes;
use crate::parse::{HostName, ViewType, hides_slices, names_of, par, single_ident, text};
use crate::report::{Code, Diagnostic, Report, error};

/// Whether a loop made of several means to every launch what they mean; if not, why not.
pub(crate) type Fusible<'f> = &'f dyn Fn(&ParLoop) -> Result<(), String>;

/// What the walk finds besides the tokens.
pub(super) struct HostWalk<'r> {
    pub(super) report: &'r mut Report,
    pub(super) loops: Vec<ParLoop>,
    /// Of `fuse = true`: whether a loop that is made of several is right.
    pub(super) fusible: Option<Fusible<'r>>,
    pub(super) fused: Vec<Fused>,
    pub(super) forks: Vec<Fork>,
    pub(super) calls: Vec<Call>,
    /// The plan of the innermost control flow.
    pub(super) plan: Vec<PlanNode>,
    /// The groups around the current place, innermost last.
    pub(super) groups: Vec<GroupFrame>,
    pub(super) scopes: Scopes<Bound>,
    /// The constants that are visible, as far as their values are known.
    pub(super) constants: BTreeMap<String, u64>,
    /// Type parameters of the kernel.
    pub(super) type_params: Vec<String>,
    /// The path to the runtime's module for generated code.
    pub(super) private: TokenStream,
    bindings: usize,
    /// What a view is made from, by views that have a name of their own.
    parents: BTreeMap<usize, Vec<BindingId>>,
    /// The loops in front of the reduction that is being parsed.
    in_front: Option<fused::InFront>,
    /// Loops of the host part around the current place, inside the innermost group: their labels.
    pub(super) loop_labels: Vec<Option<String>>,
    /// Why a `par` loop is not allowed here, if it is not.
    pub(super) forbidden: Option<&'static str>,
    /// Whether a closure is around the current place, inside the innermost group.
    in_closure: bool,
    /// The identifiers of the whole body, in order, and those of each swap so far.
    pub(super) words: Vec<String>,
    pub(super) swaps: Vec<Vec<String>>,
    /// The views that the call around the current place lends for writing.
    written: Vec<kernel_call::Written>,
    /// The structs of slices.
    pub(super) structs: Vec<Struct>,
    /// Statements to put in front of the current one.
    before: Vec<syn::Stmt>,
}

/// A name of the host part.
#[derive(Clone, Copy)]
pub(super) struct Bound {
    pub(super) name: HostName,
    /// Number of groups around its `let`.
    pub(super) depth: usize,
    /// The first and the last value, if it is the variable of a `for` whose range is known.
    pub(super) values: Option<[i64; 2]>,
}

/// A group that is being walked.
pub(super) struct GroupFrame {
    pub(super) label: Option<String>,
    pub(super) views: Vec<ViewUse>,
}

impl<'r> HostWalk<'r> {
    pub(super) fn new(report: &'r mut Report, private: TokenStream) -> Self {
        Self {
            report,
            loops: Vec::new(),
            fusible: None,
            fused: Vec::new(),
            forks: Vec::new(),
            calls: Vec::new(),
            plan: Vec::new(),
            groups: Vec::new(),
            scopes: Scopes::new(),
            constants: BTreeMap::new(),
            type_params: Vec::new(),
            private,
            bindings: 0,
            parents: BTreeMap::new(),
            in_front: None,
            loop_labels: Vec::new(),
            forbidden: None,
            in_closure: false,
            words: Vec::new(),
            swaps: Vec::new(),
            written: Vec::new(),
            structs: Vec::new(),
            before: Vec::new(),
        }
    }

    /// Binds a name; a view, if there is a borrow.
    pub(super) fn bind(&mut self, name: &Ident, view: Option<ViewType>) {
        if self.slices(name).is_some() {
            self.report.on(name, hides_slices(name));
        }
        let name_is = match view {
            Some(view) => {
                self.bindings += 1;
                HostName::View { binding: BindingId(self.bindings - 1), view }
            }
            None => HostName::Value,
        };
        let bound = Bound { name: name_is, depth: self.groups.len(), values: None };
        self.scopes.declare(name, bound);
    }

    /// Binds a parameter that is a closure of so many parameters.
    pub(super) fn bind_closure(&mut self, name: &Ident, params: usize) {
        self.scopes.declare(name, Bound { name: HostName::Closure(params), depth: 0, values: None });
    }

    /// Whether something is such a closure.
    fn is_closure(&self, expr: &syn::Expr) -> bool {
        single_ident(expr)
            .and_then(|name| self.lookup(&names::plain(name)))
            .is_some_and(|bound| matches!(bound.name, HostName::Closure(_)))
    }

    /// Binds a parameter that is a struct of slices.
    fn bind_slices(&mut self, name: &Ident) {
        self.bindings += 1;
        let is = HostName::Slices(BindingId(self.bindings - 1));
        self.scopes.declare(name, Bound { name: is, depth: self.groups.len(), values: None });
    }

    /// The struct of slices that a name is.
    fn slices(&self, name: &Ident) -> Option<BindingId> {
        match self.lookup(&names::plain(name))?.name {
            HostName::Slices(binding) => Some(binding),
            HostName::View { .. } | HostName::Closure(_) | HostName::Value => None,
        }
    }

    fn bind_values(&mut self, pat: &syn::Pat) {
        let mut names = Vec::new();
        names_of(pat, &mut names);
        for name in names {
            self.bind(&name, None);
        }
    }

    /// Binds the variable of a `for` again, whose values are known and do not change in a round.
    fn bind_counter(&mut self, pat: &syn::Pat, values: Option<[i64; 2]>) {
        if let (syn::Pat::Ident(syn::PatIdent { by_ref: None, mutability: None, ident, subpat: None, .. }), Some(_)) =
            (pat, values)
        {
            self.scopes.declare(ident, Bound { name: HostName::Value, depth: self.groups.len(), values });
        }
    }

    pub(super) fn lookup(&self, name: &str) -> Option<Bound> {
        self.scopes.find(name)
    }

    pub(super) fn scoped<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.enter();
        let value = inside(self);
        self.scopes.leave();
        value
    }

    /// Records how a view is used, in every group around the place that the view comes from outside
    /// of.
    pub(super) fn use_view(&mut self, name: &Ident, access: Access, span: Span) {
        let Some(Bound { name: HostName::View { binding, .. } | HostName::Slices(binding), depth, .. }) =
            self.lookup(&names::plain(name))
        else {
            return;
        };
        for group in self.groups.iter_mut().skip(depth) {
            match group.views.iter_mut().find(|v| v.binding == binding) {
                Some(seen) if seen.access < access => (seen.access, seen.span) = (access, span),
                Some(_) => {}
                None => group.views.push(ViewUse { binding, name: name.clone(), access, span }),
            }
        }
    }

    /// Walks control flow; what it holds becomes a node of the plan if that is anything.
    pub(super) fn host_flow(&mut self, what: String, span: Span, inside: impl FnOnce(&mut Self)) {
        let outer = std::mem::take(&mut self.plan);
        inside(self);
        let nodes = std::mem::replace(&mut self.plan, outer);
        if !nodes.is_empty() {
            self.plan.push(PlanNode::Host { what, span, nodes });
        }
    }

    /// Walks a place where no `par` loop is allowed.
    pub(super) fn without_loops(&mut self, why: &'static str, inside: impl FnOnce(&mut Self)) {
        let outer = self.forbidden.replace(why);
        inside(self);
        self.forbidden = outer;
    }

    fn in_closure(&mut self, inside: impl FnOnce(&mut Self)) {
        let (labels, outer) = (std::mem::take(&mut self.loop_labels), std::mem::replace(&mut self.in_closure, true));
        self.without_loops("a closure", inside);
        (self.loop_labels, self.in_closure) = (labels, outer);
    }

    /// Loops and groups are numbered before rustc strips what `cfg` leaves out.
    pub(super) fn no_cfg(&mut self, attrs: &[syn::Attribute]) {
        for attr in attrs.iter().filter(|attr| is_cfg(attr)) {
            self.report.on(attr, no_cfg(attr, "a kernel"));
        }
    }

    /// `return`, `break` and `continue` must not leave a group: its work would not be joined where
    /// the user thinks.
    fn escape(&mut self, tokens: &impl ToTokens, label: Option<&syn::Lifetime>, what: &str) {
        if self.groups.is_empty() || self.in_closure {
            return;
        }
        let stays = match label {
            Some(label) => self.loop_labels.iter().flatten().any(|l| label.ident == l),
            None => what != "return" && !self.loop_labels.is_empty(),
        };
        if !stays {
            let message = format!("`{what}` cannot leave a group of `stream_parallel!`: all groups run");
            self.report.on(
                tokens,
                error(Code::LeavesGroup, message).help("decide before the groups").help("use `if` inside the group"),
            );
        }
    }

    fn host_loop(&mut self, label: Option<&syn::Label>, inside: impl FnOnce(&mut Self)) {
        self.loop_labels.push(label.map(|l| l.name.ident.to_string()));
        inside(self);
        self.loop_labels.pop();
    }
}

impl VisitMut for HostWalk<'_> {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        self.scoped(|this| {
            let around = this.declare_constants(&block.stmts);
            let mut run = fused::Run::default();
            for stmt in std::mem::take(&mut block.stmts) {
                this.visit_in_run(stmt, &mut run, &mut block.stmts);
            }
            this.end_run(&mut run, &mut block.stmts);
            this.constants = around;
        });
    }

    fn visit_stmt_mut(&mut self, stmt: &mut syn::Stmt) {
        match stmt {
            // Items inside the function see none of its names.
            syn::Stmt::Item(_) => {}
            syn::Stmt::Macro(mac) if is_stream_parallel(&mac.mac) => {
                self.no_cfg(&mac.attrs);
                let marker = self.stream_parallel(&mac.mac);
                *stmt = syn::Stmt::Expr(marker, None);
            }
            syn::Stmt::Macro(mac) => self.foreign_macro(&mut mac.mac),
            other => visit_mut::visit_stmt_mut(self, other),
        }
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        self.no_cfg(&local.attrs);
        let (first, mut made_from) = (self.bindings, Vec::new());
        let view = match &mut local.init {
            Some(init) => {
                let made = if init.diverge.is_none() { self.scratch(&mut init.expr) } else { None };
                let view = made.or_else(|| {
                    made_from = self.views_in(init.expr.to_token_stream());
                    views::view_value(self, &mut init.expr)
                });
                if view.is_none() {
                    self.visit_expr_mut(&mut init.expr);
                }
                if let Some((_, otherwise)) = &mut init.diverge {
                    self.visit_expr_mut(otherwise);
                }
                view
            }
            None => None,
        };
        match view {
            Some(value) => {
                // Views get a `mut` so that loops can write them and swaps can move them; not every
                // view needs it.
                local.attrs.push(syn::parse_quote!(#[allow(unused_mut)]));
                views::bind_views(self, &mut local.pat, &value);
                self.parents.extend((first..self.bindings).map(|binding| (binding, made_from.clone())));
            }
            None => self.bind_values(&local.pat),
        }
    }

    fn visit_attribute_mut(&mut self, attr: &mut syn::Attribute) {
        self.no_cfg(std::slice::from_ref(attr));
    }

    fn visit_expr_mut(&mut self, expr: &mut syn::Expr) {
        // Those that the arms below take apart themselves.
        match expr {
            syn::Expr::ForLoop(syn::ExprForLoop { attrs, .. })
            | syn::Expr::While(syn::ExprWhile { attrs, .. })
            | syn::Expr::Loop(syn::ExprLoop { attrs, .. })
            | syn::Expr::If(syn::ExprIf { attrs, .. })
            | syn::Expr::Match(syn::ExprMatch { attrs, .. })
            | syn::Expr::Macro(syn::ExprMacro { attrs, .. }) => self.no_cfg(attrs),
            _ => {}
        }
        if let Some(assign) = reductions::Assignment::of(expr) {
            let made = self.reduction(&assign);
            *expr = made;
            return;
        }
        match expr {
            syn::Expr::ForLoop(scan) if reductions::is_scan(&scan.expr) => *expr = self.scan(scan),
            syn::Expr::ForLoop(par_loop) if par::is_par(&par_loop.expr) => *expr = self.par_loop(par_loop),
            syn::Expr::ForLoop(par_loop) => {
                let values = self.values_of(&par_loop.expr);
                self.visit_expr_mut(&mut par_loop.expr);
                let what = format!("for {} in {}", text(&par_loop.pat), text(&par_loop.expr));
                let span = par_loop.for_token.span;
                self.host_flow(what, span, |this| {
                    this.host_loop(par_loop.label.as_ref(), |this| {
                        this.scoped(|this| {
                            this.bind_values(&par_loop.pat);
                            this.bind_counter(&par_loop.pat, values);
                            this.visit_block_mut(&mut par_loop.body);
                        });
                    });
                });
            }
            syn::Expr::While(par_loop) => {
                let what = format!("while {}", text(&par_loop.cond));
                let span = par_loop.while_token.span;
                self.host_flow(what, span, |this| {
                    this.host_loop(par_loop.label.as_ref(), |this| {
                        this.scoped(|this| {
                            this.visit_expr_mut(&mut par_loop.cond);
                            this.visit_block_mut(&mut par_loop.body);
                        });
                    });
                });
            }
            syn::Expr::Loop(par_loop) => {
                let span = par_loop.loop_token.span;
                self.host_flow("loop".to_owned(), span, |this| {
                    this.host_loop(par_loop.label.as_ref(), |this| this.visit_block_mut(&mut par_loop.body));
                });
            }
            syn::Expr::If(branch) => {
                let what = format!("if {}", text(&branch.cond));
                self.host_flow(what, branch.if_token.span, |this| {
                    this.scoped(|this| {
                        this.visit_expr_mut(&mut branch.cond);
                        this.visit_block_mut(&mut branch.then_branch);
                    });
                });
                if let Some((token, otherwise)) = &mut branch.else_branch {
                    // `else if` is a node of its own.
                    match &mut **otherwise {
                        syn::Expr::If(_) => self.visit_expr_mut(otherwise),
                        _ => self.host_flow("else".to_owned(), token.span, |this| this.visit_expr_mut(otherwise)),
                    }
                }
            }
            syn::Expr::Match(matched) => {
                self.visit_expr_mut(&mut matched.expr);
                let what = format!("match {}", text(&matched.expr));
                self.host_flow(what, matched.match_token.span, |this| {
                    for arm in &mut matched.arms {
                        let what = text(&arm.pat);
                        let span = arm.pat.span();
                        this.host_flow(what, span, |this| {
                            this.scoped(|this| {
                                this.bind_values(&arm.pat);
                                visit_mut::visit_arm_mut(this, arm);
                            });
                        });
                    }
                });
            }
            syn::Expr::Let(cond) => {
                self.visit_expr_mut(&mut cond.expr);
                self.bind_values(&cond.pat);
            }
            syn::Expr::Closure(closure) => self.in_closure(|this| {
                this.scoped(|this| {
                    closure.inputs.iter().for_each(|p| this.bind_values(p));
                    this.visit_expr_mut(&mut closure.body);
                });
            }),
            syn::Expr::Async(block) => {
                self.report.at(
                    block.async_token.span,
                    error(Code::Async, "`async` is not supported in a kernel")
                        .help("to run parts of the kernel at the same time, use `stream_parallel!`"),
                );
            }
            syn::Expr::Try(e) => {
                let error = error(Code::QuestionMark, "`?` is not supported in a kernel, which returns nothing");
                let error = match &*e.expr {
                    syn::Expr::Call(call) => {
                        let name = text(&call.func);
                        error.help(format!("if `{name}` is a kernel, it takes no stream here: `{name}(&x, &mut y);`"))
                    }
                    _ => error,
                };
                let error = error.help("handle the error before the launch");
                self.report.at(
                    e.question_token.span,
                    error.help(
                        "to decide by an element on the host, end the kernel, read `x.get(0)?`, and launch again",
                    ),
                );
            }
            syn::Expr::Return(e) => {
                self.escape(&e.return_token, None, "return");
                visit_mut::visit_expr_return_mut(self, e);
            }
            syn::Expr::Break(e) => {
                self.escape(&e.break_token, e.label.as_ref(), "break");
                visit_mut::visit_expr_break_mut(self, e);
            }
            syn::Expr::Continue(e) => self.escape(&e.continue_token, e.label.as_ref(), "continue"),
            syn::Expr::Macro(mac) if is_stream_parallel(&mac.mac) => *expr = self.stream_parallel(&mac.mac),
            syn::Expr::Macro(mac) => self.foreign_macro(&mut mac.mac),
            syn::Expr::Verbatim(tokens) => views::check_macro(self, tokens.clone()),
            // `total[0] = par(…).sum() / n`, `total[0] += par(…).sum() / n`: what stands on the
            // left is right.
            syn::Expr::Assign(assign) if reductions::is_within(&assign.right) => self.visit_expr_mut(&mut assign.right),
            syn::Expr::Binary(binary)
                if matches!(&*binary.left, syn::Expr::Index(_)) && reductions::is_within(&binary.right) =>
            {
                self.visit_expr_mut(&mut binary.right);
            }
            head if reductions::is_reduction(head) => self.report.on(head, reductions::misplaced()),
            head if par::is_par(head) => self.report.on(head, par::misplaced()),
            syn::Expr::Call(call) if self.is_closure(&call.func) => {
                call.args.iter_mut().for_each(|arg| self.visit_expr_mut(arg));
                let syn::ExprCall { func, args, .. } = call;
                let (span, args) = (func.span(), args.iter());
                let private = names::private_at(&self.private, span);
                *expr = syn::parse_quote_spanned!(span=> #private::closure::DeviceClosure::call(#func, (#(#args,)*)));
            }
            syn::Expr::Call(call) if kernel_call::is_kernel_call(self, call) => match swap::swapped(self, call) {
                Some(names) => self.swap(call, &names),
                None => *expr = self.kernel_call(call),
            },
            syn::Expr::Assign(assign) if swap::assigns_views(self, assign) => self.assignment(assign),
            other => views::visit_expr(self, other),
        }
    }
}

impl HostWalk<'_> {
    /// A fork where none is allowed is refused like a loop.
    pub(super) fn is_forbidden(&mut self, tokens: &impl ToTokens) -> bool {
        let Some(why) = self.forbidden else { return false };
        self.report.on(tokens, misplaced(Code::ForkPlace, "`stream_parallel!`", why));
        true
    }

    /// A macro we know nothing of may read lengths of views, but nothing else of them.
    fn foreign_macro(&mut self, mac: &mut syn::Macro) {
        views::check_macro(self, mac.tokens.clone());
        if !self.written.is_empty() {
            mac.tokens = self.lengths_in(std::mem::take(&mut mac.tokens));
        }
    }
}

pub(super) fn is_stream_parallel(mac: &syn::Macro) -> bool {
    mac.path.segments.last().is_some_and(|s| s.ident == "stream_parallel")
}

/// A loop or fork where there cannot be one.
pub(super) fn misplaced(code: Code, what: &str, place: &str) -> Diagnostic {
    error(code, format!("{what} cannot be in {place}")).help("move it directly into the host part of the kernel")
}
