//! The facts that the macro emits as constant data, as the launch gets them: the tokens are evaluated.

use anabranch::private::data::facts::{
    Access, Cast, Comparison, Condition, Facts, Form, Operation, Step, Symbol, Term, Value,
};
use proc_macro2::TokenStream;
use syn::Expr;

/// What the tokens stand for. It is never freed, as constant data is not.
pub(super) fn of(tokens: TokenStream) -> Facts {
    let expr = syn::parse2(tokens).expect("facts are an expression");
    let facts = Fields::of(&expr);
    Facts {
        atoms: facts.number("atoms"),
        symbols: facts.list("symbols", symbol),
        steps: facts.list("steps", step),
        accesses: facts.list("accesses", access),
        races: facts.list("races", |group| list(group, number)),
    }
}

fn symbol(expr: &Expr) -> Symbol {
    match expr {
        Expr::Call(call) if name(&call.func) == "Capture" => Symbol::Capture(number(&call.args[0])),
        Expr::Call(call) => Symbol::Constant(list(&call.args[0], number)),
        other => panic!("a symbol, not {other:?}"),
    }
}

/// `path::Name { field: value, … }`
struct Fields<'e>(&'e syn::ExprStruct);

impl<'e> Fields<'e> {
    fn of(expr: &'e Expr) -> Self {
        match expr {
            Expr::Struct(fields) => Self(fields),
            other => panic!("a struct, not {other:?}"),
        }
    }

    fn get(&self, name: &str) -> &'e Expr {
        let field = self.0.fields.iter().find(|field| matches!(&field.member, syn::Member::Named(own) if own == name));
        &field.unwrap_or_else(|| panic!("there is no `{name}`")).expr
    }

    fn number<N: std::str::FromStr<Err: std::fmt::Debug>>(&self, name: &str) -> N {
        number(self.get(name))
    }

    fn truth(&self, name: &str) -> bool {
        match self.get(name) {
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Bool(truth), .. }) => truth.value,
            other => panic!("true or false, not {other:?}"),
        }
    }

    fn form(&self, name: &str) -> Form {
        form(self.get(name))
    }

    fn list<T>(&self, name: &str, each: impl Fn(&Expr) -> T) -> &'static [T] {
        list(self.get(name), each)
    }
}

fn number<N: std::str::FromStr<Err: std::fmt::Debug>>(expr: &Expr) -> N {
    let negative;
    let (sign, literal) = match expr {
        Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) => ("-", &**expr),
        other => ("", other),
    };
    match literal {
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) => {
            negative = format!("{sign}{}", int.base10_digits());
            negative.parse().expect("a number that fits")
        }
        other => panic!("a number, not {other:?}"),
    }
}

/// `&[…]`
fn list<T>(expr: &Expr, each: impl Fn(&Expr) -> T) -> &'static [T] {
    match expr {
        Expr::Reference(syn::ExprReference { expr, .. }) => match &**expr {
            Expr::Array(array) if array.elems.is_empty() => &[],
            Expr::Array(array) => array.elems.iter().map(each).collect::<Vec<T>>().leak(),
            other => panic!("an array, not {other:?}"),
        },
        other => panic!("a reference, not {other:?}"),
    }
}

/// `Some(…)` or `None`.
fn option(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Call(call) => call.args.first(),
        _ => None,
    }
}

/// The last name of a path.
fn name(expr: &Expr) -> String {
    match expr {
        Expr::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default(),
        other => panic!("a path, not {other:?}"),
    }
}

fn form(expr: &Expr) -> Form {
    let form = Fields::of(expr);
    Form { constant: form.number("constant"), terms: form.list("terms", term), casts: form.list("casts", cast) }
}

fn term(expr: &Expr) -> Term {
    let term = Fields::of(expr);
    Term { factor: term.number("factor"), atoms: term.list("atoms", number) }
}

fn cast(expr: &Expr) -> Cast {
    let cast = Fields::of(expr);
    let value = match cast.get("value") {
        Expr::Reference(value) => form(&value.expr),
        other => panic!("a reference, not {other:?}"),
    };
    Cast { value: Box::leak(Box::new(value)), from: cast.number("from"), to: cast.number("to") }
}

fn step(expr: &Expr) -> Step {
    if let Expr::Call(call) = expr {
        return Step::Access(number(&call.args[0]));
    }
    let step = Fields::of(expr);
    match step.0.path.segments.last().map(|segment| segment.ident.to_string()).as_deref() {
        Some("Let") => {
            let value = Fields::of(step.get("value"));
            let value = Value {
                operation: operation(&name(value.get("operation"))),
                operands: value.list("operands", form),
                ty: value.number("ty"),
                narrow: value.list("narrow", form),
            };
            Step::Let { atom: step.number("atom"), value }
        }
        Some("Declare") => Step::Declare { atom: step.number("atom") },
        Some("Join") => Step::Join { atom: step.number("atom"), value: step.form("value"), ty: step.number("ty") },
        Some("For") => Step::For {
            atom: step.number("atom"),
            start: step.form("start"),
            end: step.form("end"),
            inclusive: step.truth("inclusive"),
            step: option(step.get("step")).map(form),
            ty: step.number("ty"),
            narrow: step.truth("narrow"),
            body: step.list("body", self::step),
        },
        Some("When") => {
            Step::When { conditions: step.list("conditions", condition), body: step.list("body", self::step) }
        }
        other => panic!("unknown step {other:?}"),
    }
}

fn condition(expr: &Expr) -> Condition {
    let condition = Fields::of(expr);
    let comparison = match name(condition.get("comparison")).as_str() {
        "Less" => Comparison::Less,
        "LessOrEqual" => Comparison::LessOrEqual,
        "Equal" => Comparison::Equal,
        "NotEqual" => Comparison::NotEqual,
        other => panic!("unknown comparison {other}"),
    };
    Condition { lhs: condition.form("lhs"), comparison, rhs: condition.form("rhs"), ty: condition.number("ty") }
}

fn access(expr: &Expr) -> Access {
    let access = Fields::of(expr);
    Access {
        view: access.number("view"),
        len: access.number("len"),
        index: access.form("index"),
        end: option(access.get("end")).map(form),
        write: access.truth("write"),
        always: access.truth("always"),
        decided: access.truth("decided"),
        proved: access.truth("proved"),
        size: access.form("size"),
        text: "",
        line: access.number("line"),
        column: access.number("column"),
    }
}

fn operation(name: &str) -> Operation {
    let found = Operation::ALL.iter().copied().find(|operation| operation.variant() == name);
    found.unwrap_or_else(|| panic!("unknown operation {name}"))
}
