//! Calls: of methods and functions that rustc finds, of closures, and of what the prelude has.

use super::expr::{is_name, refers_to_a_place};
use super::narrow::narrowed;
use super::nodes::{Callee, Expr, ExprKind, SlotId};
use super::ops::Method;
use super::writer::Writer;
use super::{MISSING, Proved, Version};

impl Writer<'_> {
    /// The text of a call.
    pub(super) fn call(&mut self, callee: &Callee, args: &[Expr]) -> String {
        match callee {
            Callee::Number { method, owner, site } => {
                let args = self.arguments(args);
                let context = site.map(|site| format!("ab_cx, {}", self.site(site)));
                let ty = owner.filter(|_| method.is_associated);
                self.of_prelude(method.name, ty, context.into_iter().chain(args))
            }
            Callee::Conversion { name, slot } => {
                let args = self.arguments(args);
                self.of_prelude(name, Some(*slot), args)
            }
            Callee::Atomic { op, orderings: _, result } => {
                let args = self.arguments(args);
                self.of_prelude(op.name, *result, args)
            }
            Callee::Method { name, known, slot, site, generics: _ } => {
                let args: Vec<&Expr> = args.iter().filter(|arg| !matches!(arg.kind, ExprKind::Words(_))).collect();
                let Some(receiver) = args.first() else { return String::new() };
                let name = known.map_or(name.as_str(), |known| known.name);
                let texts = self.operands(&args);
                self.method(&Method::new(name, *slot, *site, receiver), texts)
            }
            Callee::Associated { name, slot, site, path: _ } if let Some(first) = args.first() => {
                let texts = self.arguments(args);
                self.method(&Method::new(name, *slot, *site, first), texts)
            }
            Callee::Function { slot, .. } | Callee::Associated { slot, .. } => self.call_of_function(*slot, args),
            Callee::Closure(local) => {
                let args = self.arguments(args);
                format!("{}({})", self.local(*local), args.join(", "))
            }
        }
    }

    fn arguments(&mut self, args: &[Expr]) -> Vec<String> {
        self.operands(&args.iter().collect::<Vec<_>>())
    }

    fn call_of_function(&mut self, slot: SlotId, args: &[Expr]) -> String {
        let Some(function) = self.types.function(slot) else { return MISSING.to_owned() };
        let inline = args.iter().all(|arg| self.inline_in_32_bits(arg));
        let mut texts = self.arguments(args);
        let mut version = Version::For(Proved::Nothing);
        if let Some(&unlimited) = self.info.and_then(|info| info.calls.get(&slot)) {
            let once = args.iter().any(|arg| self.calls(arg));
            if once {
                // What a function does would be done twice.
                for (arg, text) in args.iter().zip(&mut texts).filter(|(arg, _)| !is_name(arg)) {
                    let value = std::mem::take(text);
                    *text = if refers_to_a_place(arg) { self.reference(&value) } else { self.temporary(&value) };
                }
            }
            // Of an argument that the launch does not limit, it has shown nothing.
            let proved = match self.proved {
                Proved::Accesses if function.needs & unlimited != 0 => Proved::Lengths,
                proved => proved,
            };
            if function.differs {
                version = Version::For(proved);
            }
            if version == Version::For(Proved::Accesses) {
                for (at, is_integer) in &function.narrow {
                    let Some((arg, wide)) = args.get(*at).zip(texts.get(*at)) else { continue };
                    let wide = narrowed(wide);
                    // Statements before it would be there twice.
                    let narrow = match inline {
                        // The launch decides nothing with it.
                        _ if !is_integer => "0".to_owned(),
                        true if once => self.narrow_once(arg, wide),
                        true => self.narrow(arg),
                        false => wide,
                    };
                    texts.push(narrow);
                }
            }
        }
        let name = self.name_of(function, version);
        let texts = ["ab_cx".to_owned()].into_iter().chain(texts).collect::<Vec<_>>();
        format!("{name}({})", texts.join(", "))
    }

    /// A call of a function of the prelude, which may be a template of one type.
    fn of_prelude(&self, name: &str, ty: Option<SlotId>, args: impl IntoIterator<Item = String>) -> String {
        let ty = ty.map(|slot| format!("<{}>", self.types.ty(slot))).unwrap_or_default();
        let args: Vec<String> = args.into_iter().collect();
        format!("ab::{name}{ty}({})", args.join(", "))
    }
}
