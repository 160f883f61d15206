//! Calls: of methods and functions that rustc finds, of closures, and of what the prelude has.

use super::{Method, Told};

use super::expr::{is_name, method, refers_to_a_place};
use super::nodes::{Callee, Expr, ExprKind, SiteId, SlotId};
use super::place::narrowed;
use super::writer::Writer;
use super::{Node, Text};

impl Writer<'_> {
    /// The text of a call.
    pub(super) fn call(&mut self, callee: &Callee, args: &[Expr]) -> Text {
        match callee {
            Callee::Number { method, owner, site } => {
                let args = self.arguments(args);
                let context = site.map(|site| Text::from("ab_cx, ").hole(Node::Site(site.number())));
                let ty = owner.filter(|_| method.is_associated);
                of_prelude(method.name, ty, context.into_iter().chain(args))
            }
            Callee::Conversion { name, slot } => {
                let args = self.arguments(args);
                of_prelude(&name.to_string(), Some(*slot), args)
            }
            Callee::Atomic { op, orderings: _, result } => {
                let args = self.arguments(args);
                of_prelude(op.name, *result, args)
            }
            Callee::Method { name, known, slot, site, generics: _ } => {
                let args: Vec<&Expr> = args.iter().filter(|arg| !matches!(arg.kind, ExprKind::Words(_))).collect();
                let Some(receiver) = args.first() else { return Text::new() };
                let called = method(*slot, *site, receiver);
                let name = known.map_or_else(|| name.to_string(), |known| known.name.to_owned());
                let texts = self.operands(&args);
                of_method(called, name, texts)
            }
            Callee::Associated { name, slot, site, path: _ } if !args.is_empty() => {
                let called =
                    Method { slot: slot.number(), site: site.map(SiteId::number), place: true, changing: false };
                let texts = self.arguments(args);
                of_method(called, name.to_string(), texts)
            }
            Callee::Function { slot, .. } | Callee::Associated { slot, .. } => self.call_of_function(*slot, args),
            Callee::Closure(local) => {
                let args = self.arguments(args);
                Text::new().text(self.local(*local)).text("(").then(Text::list(args)).text(")")
            }
        }
    }

    fn arguments(&mut self, args: &[Expr]) -> Vec<Text> {
        self.operands(&args.iter().collect::<Vec<_>>())
    }

    fn call_of_function(&mut self, slot: SlotId, args: &[Expr]) -> Text {
        let inline = args.iter().all(|arg| self.inline_in_32_bits(arg));
        let mut texts = self.arguments(args);
        let Some(unlimited) = self.info.and_then(|info| info.calls.get(&slot)).copied() else {
            let texts = [Text::from("ab_cx")].into_iter().chain(texts);
            return Text::new().hole(Node::Call(slot.number())).text("(").then(Text::list(texts)).text(")");
        };
        let told = Told { slot: slot.number(), unlimited };
        let once = args.iter().any(|arg| self.calls(arg));
        if once {
            // What a function does would be done twice.
            for (arg, text) in args.iter().zip(&mut texts).filter(|(arg, _)| !is_name(arg)) {
                let value = std::mem::take(text);
                *text = if refers_to_a_place(arg) { self.reference(value) } else { self.temporary(value) };
            }
        }
        let narrow = args.iter().zip(&texts).enumerate().map(|(at, (arg, wide))| {
            let wide = narrowed(wide.clone());
            // Statements before it would be there twice.
            let value = match inline {
                true if once => self.narrow_once(arg, wide),
                true => self.narrow(arg),
                false => wide,
            };
            Node::NarrowArgument(told, at as u32, value)
        });
        let narrow = narrow.fold(Text::new(), Text::hole);
        let texts = [Text::from("ab_cx")].into_iter().chain(texts);
        Text::new().hole(Node::Told(told)).text("(").then(Text::list(texts)).then(narrow).text(")")
    }
}

/// A call of a function of the prelude, which may be a template of one type.
fn of_prelude(name: &str, ty: Option<SlotId>, args: impl IntoIterator<Item = Text>) -> Text {
    let name = Text::new().text(format!("ab::{name}"));
    let name = match ty {
        Some(slot) => name.text("<").hole(Node::Type(slot.number())).text(">"),
        None => name,
    };
    name.text("(").then(Text::list(args)).text(")")
}

/// A call of a method by its name in Rust, with its receiver and its other arguments.
fn of_method(called: Method, name: String, texts: Vec<Text>) -> Text {
    let mut texts = texts.into_iter();
    let receiver = texts.next().unwrap_or_default();
    let rest = texts.fold(Text::new(), |all, arg| all.text(", ").then(arg));
    Text::new().hole(Node::Method(called, name, receiver, rest))
}
