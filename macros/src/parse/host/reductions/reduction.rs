//! `total[0] = par(0..n).map(|i| x[i] * y[i]).sum();`

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::visit::Visit;
use syn::visit_mut::VisitMut;

use super::closures::{Combining, nothing_leaves, of_conditions};
use super::{Input, Names};
use crate::ir::{Access, Borrow, Capture, CaptureKind};
use crate::names;
use crate::parse::attributes::is_cfg;
use crate::parse::body::read_only;
use crate::parse::closure::is_assignment;
use crate::parse::collectives::phases_of_halves;
use crate::parse::host::{HostWalk, misplaced, views};
use crate::parse::{single_ident, strip, text};
use crate::report::{Code, Diagnostic, error};

/// What is done with the values, as device code.
struct Operation {
    /// The result for an empty range.
    identity: TokenStream,
    /// A function of a value of the closure; `None`: the value itself.
    lift: Option<TokenStream>,
    combine: Combine,
    /// The results of the parts are `reduce::Best`, made of values and the numbers of their
    /// iterations; the result is where the best is.
    places: bool,
}

/// How two results become one.
enum Combine {
    /// By a function, and over a block by a collective.
    Collective(TokenStream, Ident),
    /// By a function.
    Function(TokenStream),
    /// By a closure of the user.
    Closure(Combining),
}

impl Operation {
    /// Two results as one.
    fn combined(&self, names: Names, first: &TokenStream, second: &TokenStream) -> TokenStream {
        match &self.combine {
            Combine::Collective(function, _) | Combine::Function(function) => {
                quote_spanned!(names.0=> #function(#first, #second))
            }
            Combine::Closure(closure) => closure.call(first, second, names.0),
        }
    }

    /// `own = combine(own, value);`
    fn step(&self, names: Names, value: &Ident) -> TokenStream {
        let own = names.of("own");
        let combined = self.combined(names, &quote!(#own), &quote!(#value));
        quote_spanned!(names.0=> #own = #combined;)
    }

    /// The statements that reduce the values `own` of a block's threads, and their result.
    fn of_block(&self, names: Names) -> (TokenStream, TokenStream) {
        let [block, own, room, thread] = ["block", "own", "room", "thread"].map(|name| names.of(name));
        match &self.combine {
            Combine::Collective(_, collective) => {
                (TokenStream::new(), quote_spanned!(names.0=> #block.#collective(#own)))
            }
            Combine::Function(_) | Combine::Closure(..) => {
                let combine = |a: &TokenStream, b: &TokenStream| self.combined(names, a, b);
                let halves = phases_of_halves(&quote!(#block), &room, &thread, 256, combine);
                let fill = quote_spanned!(names.0=> for #thread in #block.threads() { #room[#thread] = #own; });
                (quote!(#fill #halves), quote_spanned!(names.0=> #room[0]))
            }
        }
    }

    /// The beginning of a block's body: the first values.
    fn begin(&self, names: Names) -> TokenStream {
        let [block, own, room] = ["block", "own", "room"].map(|name| names.of(name));
        let identity = &self.identity;
        let own = quote_spanned!(names.0=> let mut #own = #block.each(#identity););
        match &self.combine {
            Combine::Collective(..) => own,
            Combine::Function(_) | Combine::Closure(..) => {
                quote_spanned!(names.0=> let mut #room = #block.shared([#identity; 256]); #own)
            }
        }
    }
}

/// `total[0] = values` or `total[0] += values`.
pub(in crate::parse) struct Assignment<'e> {
    pub(in crate::parse) attrs: &'e [syn::Attribute],
    pub(in crate::parse) left: &'e syn::Expr,
    pub(in crate::parse) op: Option<&'e syn::BinOp>,
    pub(in crate::parse) right: &'e syn::Expr,
}

impl<'e> Assignment<'e> {
    /// Of an expression whose right side is a reduction.
    pub(in crate::parse) fn of(expr: &'e syn::Expr) -> Option<Self> {
        let assign = match expr {
            syn::Expr::Assign(syn::ExprAssign { attrs, left, right, .. }) => Self { attrs, left, op: None, right },
            syn::Expr::Binary(syn::ExprBinary { attrs, left, op, right }) if is_assignment(op) => {
                Self { attrs, left, op: Some(op), right }
            }
            _ => return None,
        };
        super::is_one(assign.right).then_some(assign)
    }

    fn text(&self) -> String {
        let op = self.op.map_or_else(|| "=".to_owned(), text);
        format!("{} {op} {}", text(self.left), text(self.right))
    }
}

/// The loops of a statement: of the parts, and of their results.
struct Loops {
    parts: syn::Expr,
    results: syn::Expr,
    /// Whether the closure reads the slice that has the result.
    reads_place: bool,
}

struct AttributesOf(Vec<syn::Attribute>);

impl<'e> Visit<'e> for AttributesOf {
    fn visit_attribute(&mut self, attr: &'e syn::Attribute) {
        self.0.push(attr.clone());
    }
}

impl HostWalk<'_> {
    /// Takes a reduction out of the host part. What stands in its place.
    pub(in crate::parse) fn reduction(&mut self, assign: &Assignment<'_>) -> syn::Expr {
        self.reduced(assign).unwrap_or_else(|| syn::parse_quote!(()))
    }

    /// `None` after an error.
    fn reduced(&mut self, assign: &Assignment<'_>) -> Option<syn::Expr> {
        // Those of the whole statement belong to its first name.
        let mut attrs = AttributesOf(assign.attrs.to_vec());
        attrs.visit_expr(assign.left);
        self.no_cfg(&attrs.0);
        if let Some(attr) = attrs.0.iter().find(|attr| !is_cfg(attr)) {
            let error = error(Code::AttributeInside, "attributes are not supported on reductions");
            self.report.on(attr, error.help("put it on the whole kernel"));
        }
        if let Some(why) = self.forbidden {
            self.report.on(assign.right, misplaced(Code::ParPlace, "a reduction", why));
            return None;
        }
        let syn::Expr::MethodCall(call) = strip(assign.right) else { return None };
        let names = Names(call.method.span());
        let operation = self.operation(call)?;
        let input = match strip(&call.receiver) {
            syn::Expr::MethodCall(map) if map.method == "map" && map.args.len() == 1 => {
                if let Some(error) = map.args.first().and_then(|closure| of_conditions(&call.method, closure)) {
                    self.report.on(&call.method, error);
                    return None;
                }
                self.input(names, assign.text(), &map.receiver, map.args.first()?)?
            }
            _ => {
                self.report.on(&call.receiver, without_map(&call.receiver));
                return None;
            }
        };
        let (place, mut at) = match strip(assign.left) {
            syn::Expr::Index(index) => match single_ident(&index.expr) {
                Some(name) if views::view(self, name).is_some() => (name, (*index.index).clone()),
                _ => return self.no_place(assign),
            },
            _ => return self.no_place(assign),
        };
        if let Some(view) = views::view(self, place).filter(|view| view.borrow != Borrow::Unique) {
            self.report.on(place, read_only(place, view));
            return None;
        }
        self.without_loops("the index of a reduction", |this| this.visit_expr_mut(&mut at));
        let names_of = ["result", "results", "scratch", "parts", "at"].map(|name| names.of(name));
        let [result, results, scratch, parts, element] = &names_of;
        let mut loops = None;
        self.host_flow(input.what.clone(), names.0, |this| {
            this.scoped(|this| {
                this.bind_generated(&input, &[result, results]);
                loops = this.loops_of_reduction(&operation, &input, (place, assign.op));
            });
        });
        let Loops { parts: first, results: second, reads_place } = loops?;
        self.use_view(place, Access::Write, place.span());
        let (private, ctx) = (names::private_at(&self.private, names.0), names::local("ctx"));
        let (access, buffer) = (text(assign.left), place.to_string());
        let ((line, column), what) = (names::place(place.span()), &input.what);
        let checked = quote_spanned! {place.span()=>
            let #element = #private::launch::Ctx::result(#ctx, &mut #place, #at, #private::reduce::Statement {
                text: #what,
                access: #access,
                buffer: #buffer,
                line: #line,
                column: #column,
            });
        };
        let view = quote_spanned!(place.span()=> #private::launch::Ctx::element(#ctx, &mut #place, #element));
        // The place of the result is not lent while the closure reads other elements beside it, nor
        // where it is combined with the result of all parts.
        let (alone, view_of_parts) = match reads_place || operation.places || assign.op.is_some() {
            true => (quote!(false), quote!(#private::reduce::Scratch::view(&mut #scratch))),
            false => (
                quote!(#parts == 1),
                quote!(if #parts == 1 { #view } else { #private::reduce::Scratch::view(&mut #scratch) }),
            ),
        };
        let division = input.division(&self.private);
        Some(syn::Expr::Verbatim(quote_spanned! {names.0=> {
            #division
            #checked
            let mut #scratch = #private::launch::Ctx::scratch(#ctx, if #alone { 0 } else { #parts });
            {
                let mut #results = #view_of_parts;
                #first;
            }
            if !(#alone) {
                let mut #result = #view;
                let mut #results = #private::reduce::Scratch::view(&mut #scratch);
                #second;
            }
        }}))
    }

    fn no_place(&mut self, assign: &Assignment<'_>) -> Option<syn::Expr> {
        self.report.on(assign.left, super::misplaced());
        None
    }

    /// The loops of the parts and of their results.
    fn loops_of_reduction(
        &mut self,
        operation: &Operation,
        input: &Input,
        (place, op): (&Ident, Option<&syn::BinOp>),
    ) -> Option<Loops> {
        let names = input.names;
        let [block, number, value, b, result, results, count, chunk, parts] =
            ["block", "number", "value", "b", "result", "results", "count", "chunk", "parts"]
                .map(|name| names.of(name));
        let (begin, (end, of_block)) = (operation.begin(names), operation.of_block(names));
        let (indexes, of_iteration) = (input.indexes_of(&number, &input.indexes), &input.value);
        let lifted = match &operation.lift {
            Some(lift) if operation.places => quote_spanned!(names.0=> #lift(#of_iteration, #number)),
            Some(lift) => quote_spanned!(names.0=> #lift(#of_iteration)),
            None => quote!(#of_iteration),
        };
        let step = operation.step(names, &value);
        let first = |before: TokenStream| {
            quote_spanned! {names.0=>
                for #block in par_blocks(0..#parts).threads(256) {
                    let #b = #block.index();
                    #begin
                    for #number in #block.par(#b * #chunk..(#b * #chunk + #chunk).min(#count)) {
                        #before
                        let #value = { #indexes #lifted };
                        #step
                    }
                    #end
                    #results[#b] = #of_block;
                }
            }
        };
        let parts_loop = self.generated_loop(first(TokenStream::new()), input)?;
        self.only_reads(&results, true);
        let behind = input.each("index");
        let lets = input.indexes_of(&number, &behind);
        let head = (&input.head, input.all_ranges(), behind.as_slice());
        let (parts_loop, joined) = self.behind_loops(parts_loop, head, place, |bodies| first(quote!(#lets #bodies)));
        let is_place = |capture: &Capture| capture.name == *place && matches!(capture.kind, CaptureKind::View(..));
        let with_loops = self.fused.last().map(|fused| &fused.par_loop).filter(|_| joined);
        let reads_place =
            self.loops.last().into_iter().chain(with_loops).any(|made| made.body.captures.iter().any(is_place));
        let of_block = if operation.places { self.index_of(&of_block, input) } else { of_block };
        let step = operation.step(names, &value);
        let assign = op.map_or_else(|| quote_spanned!(names.0=> =), ToTokens::to_token_stream);
        let second = quote_spanned! {names.0=>
            for #block in par_blocks(0..1).threads(256) {
                #begin
                for #number in #block.par(0..#parts) {
                    let #value = #results[#number];
                    #step
                }
                #end
                #result[0] #assign #of_block;
            }
        };
        let results = self.generated_loop(second, input)?;
        if let Some(capture) = self.loops.last().and_then(|made| made.body.captures.iter().find(|of| of.name == *place))
        {
            let message = format!("the operation of this reduction uses `{place}`, which has the result");
            let error = error(Code::Reduction, message).help("read the element in the closure of `map`");
            self.report.on(&capture.name, error.help("or pass it as a parameter: `limit: f32`"));
            return None;
        }
        Some(Loops { parts: parts_loop, results, reads_place })
    }

    /// Device code: the index of the best iteration, an array of several ranges.
    fn index_of(&self, best: &TokenStream, input: &Input) -> TokenStream {
        let (names, private) = (input.names, names::private_at(&self.private, input.names.0));
        let (number, indexes) = (names.of("number"), input.each("index"));
        let lets = input.indexes_of(&number, &indexes);
        let none = indexes.iter().map(|_| quote_spanned!(names.0=> #private::reduce::NOWHERE));
        let (none, index) = match indexes.as_slice() {
            [one] => (quote!(#(#none)*), quote!(#one)),
            all => (quote!([#(#none),*]), quote!([#(#all),*])),
        };
        quote_spanned! {names.0=> {
            let #number = #best.number;
            if #number == #private::reduce::NOWHERE { #none } else { #lets #index }
        }}
    }

    /// The operation at the end of a chain. `None` after an error.
    fn operation(&mut self, call: &syn::ExprMethodCall) -> Option<Operation> {
        let span = call.method.span();
        let private = names::private_at(&self.private, span);
        let function = |name: &str| {
            let name = Ident::new(name, span);
            quote_spanned!(span=> #private::reduce::#name)
        };
        let of = |identity: TokenStream, combine: &str, collective: &str| Operation {
            identity,
            lift: None,
            combine: Combine::Collective(function(combine), Ident::new(collective, span)),
            places: false,
        };
        let first = |name: &str| {
            let function = function(name);
            quote_spanned!(span=> #function())
        };
        let name = call.method.to_string();
        Some(match (name.as_str(), call.args.len()) {
            ("sum", 0) => of(first("no_sum"), "sum", "sum"),
            ("product", 0) => of(first("no_product"), "times", "product"),
            ("min", 0) => of(first("greatest"), "min", "min"),
            ("max", 0) => of(first("least"), "max", "max"),
            ("count", 0) => Operation { lift: Some(function("one_if")), ..of(first("no_sum"), "sum", "sum") },
            ("any", 0) => of(quote_spanned!(span=> false), "or", "any"),
            ("all", 0) => of(quote_spanned!(span=> true), "and", "all"),
            ("argmin" | "argmax", 0) => Operation {
                identity: first("no_best"),
                lift: Some(function("best")),
                combine: Combine::Function(function(if name == "argmin" { "smaller" } else { "greater" })),
                places: true,
            },
            ("reduce", 2) => {
                let (identity, closure) = (call.args.first()?, call.args.last()?);
                nothing_leaves(identity, "a value of a reduction", self.report);
                let combine = Combine::Closure(Combining::of(closure, self.report)?);
                Operation { identity: quote!(#identity), lift: None, combine, places: false }
            }
            (other, _) => {
                self.report.on(&call.method, unknown(other));
                return None;
            }
        })
    }
}

fn without_map(values: &syn::Expr) -> Diagnostic {
    let error = error(Code::Reduction, "a reduction says what the value of each iteration is");
    match strip(values) {
        syn::Expr::MethodCall(call) if call.method == "filter" => error
            .help("to count iterations, say which: `par(0..n).map(|i| x[i] > 0.0).count()`")
            .help("for a sum of some: `.map(|i| if x[i] > 0.0 { x[i] } else { 0.0 }).sum()`"),
        _ => error.help("write `total[0] = par(0..n).map(|i| x[i]).sum();`"),
    }
}

fn unknown(name: &str) -> Diagnostic {
    if matches!(name, "inclusive_sum" | "exclusive_sum") {
        return error(Code::Reduction, format!("`{name}` is a scan, which has a value for each iteration"))
            .help(format!("write a loop: `for (i, sum) in par(0..n).{name}(|i| x[i]) {{ to[i] = sum; }}`"));
    }
    if matches!(name, "min_by_key" | "max_by_key" | "min_by" | "max_by") {
        let arg = if name.contains("min") { "argmin" } else { "argmax" };
        return error(Code::Reduction, format!("there is no reduction `{name}`"))
            .help(format!("for the iteration with that value: `par(0..n).map(|i| cost[i]).{arg}()`"))
            .help("for a value that the iterations make: `par(0..n).map(|i| …).reduce(first, |a, b| …)`");
    }
    error(Code::Reduction, format!("there is no reduction `{name}` with these arguments"))
        .help("of numbers there are `sum()`, `product()`, `min()`, `max()`, `argmin()` and `argmax()`")
        .help("of `bool` there are `any()`, `all()` and `count()`; of any type, `reduce(first, |a, b| …)`")
}
