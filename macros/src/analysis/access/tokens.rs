//! Facts as constant data: `anabranch::private::data::facts`.

use std::collections::BTreeMap;

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};

use super::{Access, Atom, Cast, Condition, Facts, Form, Source, Step, Symbol, bounds};
use crate::ir::SlotId;
use crate::launch;
use crate::names::variant;

impl Facts {
    /// The numbers that the launch is told, in order.
    pub(crate) fn symbols(&self) -> impl Iterator<Item = (&Symbol, &Source)> {
        self.symbols.iter().filter_map(|symbol| Some((symbol, symbol.source.as_ref()?)))
    }

    /// How many numbers the launch reckons with, in a loop with so many variables.
    pub(crate) fn atoms(&self, vars: usize) -> usize {
        vars + self.symbols().count() + self.kept.len()
    }

    /// The data of a loop with so many variables.
    pub(crate) fn tokens(&self, private: &TokenStream, vars: usize) -> TokenStream {
        let symbols = self.symbols.iter().enumerate().filter(|(_, symbol)| symbol.source.is_some());
        let places: BTreeMap<Atom, usize> = (0..vars)
            .map(Atom::Var)
            .chain(symbols.map(|(at, _)| Atom::Symbol(at)))
            .chain(self.kept.iter().map(|at| Atom::Other(*at)))
            .zip(0..)
            .collect();
        let emit = Emit { facts: self, private, places };
        let facts = quote!(#private::data::facts);
        let atoms = Literal::usize_unsuffixed(self.atoms(vars));
        let steps = emit.steps(&self.steps);
        let accesses = (0..self.accesses.len()).map(|at| emit.access(at));
        let races = self.races.iter().map(|group| {
            let group = group.iter().map(|at| Literal::usize_unsuffixed(*at));
            quote!(&[#(#group),*])
        });
        let symbols = self.symbols().map(|(_, source)| match source {
            Source::Capture(capture) => {
                let capture = Literal::usize_unsuffixed(capture.0);
                quote!(#facts::Symbol::Capture(#capture))
            }
            Source::Constant(slots) => {
                let slots = slots.iter().copied().map(slot);
                quote!(#facts::Symbol::Constant(&[#(#slots),*]))
            }
        });
        quote! {
            #facts::Facts { atoms: #atoms, symbols: &[#(#symbols),*], steps: #steps, accesses: &[#(#accesses),*], races: &[#(#races),*] }
        }
    }

    /// Whether the launch decides something of an access.
    pub(crate) fn is_told(&self, access: usize) -> bool {
        self.is_decided(access) || self.races.iter().any(|group| group.contains(&access))
    }

    /// Whether the check of an access is left to the launch.
    pub(crate) fn is_decided(&self, access: usize) -> bool {
        self.decided.values().any(|at| *at == access)
    }
}

struct Emit<'a> {
    facts: &'a Facts,
    private: &'a TokenStream,
    places: BTreeMap<Atom, usize>,
}

impl Emit<'_> {
    fn atom(&self, atom: Atom) -> usize {
        // An atom that the launch does not get is one without a known value.
        self.places.get(&atom).copied().unwrap_or(self.places.len())
    }

    fn terms<'f>(&self, terms: impl Iterator<Item = (&'f Vec<Atom>, &'f i64)>) -> TokenStream {
        let (facts, mut constant, mut list) = (self.private, 0, Vec::new());
        for (atoms, factor) in terms {
            if atoms.is_empty() {
                constant = *factor;
                continue;
            }
            let mut atoms: Vec<usize> = atoms.iter().map(|atom| self.atom(*atom)).collect();
            atoms.sort_unstable();
            let (factor, atoms) = (Literal::i64_unsuffixed(*factor), atoms.into_iter().map(Literal::usize_unsuffixed));
            list.push(quote!(#facts::data::facts::Term { factor: #factor, atoms: &[#(#atoms),*] }));
        }
        let constant = Literal::i64_unsuffixed(constant);
        quote!(constant: #constant, terms: &[#(#list),*])
    }

    fn form(&self, form: &Form) -> TokenStream {
        let (facts, terms) = (self.private, self.terms(form.terms.iter()));
        let casts = form.casts.iter().map(|Cast { value, from, to }| {
            let (value, from, to) = (self.form(value), slot(*from), slot(*to));
            quote!(#facts::data::facts::Cast { value: &#value, from: #from, to: #to })
        });
        quote!(#facts::data::facts::Form { #terms, casts: &[#(#casts),*] })
    }

    fn size(&self, form: &Form) -> TokenStream {
        let (facts, terms) = (self.private, self.terms(form.size.iter()));
        quote!(#facts::data::facts::Form { #terms, casts: &[] })
    }

    fn other(&self, atom: usize) -> Literal {
        Literal::usize_unsuffixed(self.atom(Atom::Other(atom)))
    }

    fn steps(&self, steps: &[Step]) -> TokenStream {
        let (private, steps) = (self.private, steps.iter().map(|step| self.step(step)));
        quote!(&[#(#private::data::facts::Step::#steps),*])
    }

    fn step(&self, step: &Step) -> TokenStream {
        let facts = self.private;
        match step {
            Step::Let { atom, operation, operands, ty, narrow } => {
                let (atom, ty, operation) = (self.other(*atom), slot(*ty), variant(operation.variant()));
                let sizes = operands.iter().filter(|_| *narrow).map(|form| self.size(form));
                let sizes: Vec<TokenStream> = sizes.collect();
                let operands = operands.iter().map(|form| self.form(form));
                quote! {
                    Let {
                        atom: #atom,
                        value: #facts::data::facts::Value {
                            operation: #facts::data::facts::Operation::#operation,
                            operands: &[#(#operands),*],
                            ty: #ty,
                            narrow: &[#(#sizes),*],
                        },
                    }
                }
            }
            Step::Declare { atom } => {
                let atom = self.other(*atom);
                quote!(Declare { atom: #atom })
            }
            Step::Join { atom, value, ty } => {
                let (atom, value, ty) = (self.other(*atom), self.form(value), slot(*ty));
                quote!(Join { atom: #atom, value: #value, ty: #ty })
            }
            Step::For { atom, start, end, inclusive, step, ty, narrow, body } => {
                let (atom, ty) = (self.other(*atom), slot(*ty));
                let (start, end, body) = (self.form(start), self.form(end), self.steps(body));
                let step = match step {
                    Some(step) => {
                        let step = self.form(step);
                        quote!(#facts::rust::Some(#step))
                    }
                    None => quote!(#facts::rust::None),
                };
                quote! {
                    For {
                        atom: #atom, start: #start, end: #end, inclusive: #inclusive, step: #step, ty: #ty, narrow: #narrow,
                        body: #body,
                    }
                }
            }
            Step::When { conditions, body } => {
                let conditions = conditions.iter().map(|Condition { lhs, comparison, rhs, ty }| {
                    let (lhs, rhs, ty) = (self.form(lhs), self.form(rhs), slot(*ty));
                    let comparison = variant(comparison.variant());
                    quote! {
                        #facts::data::facts::Condition {
                            lhs: #lhs, comparison: #facts::data::facts::Comparison::#comparison, rhs: #rhs, ty: #ty,
                        }
                    }
                });
                let body = self.steps(body);
                quote!(When { conditions: &[#(#conditions),*], body: #body })
            }
            Step::Access(at) => {
                let at = Literal::usize_unsuffixed(*at);
                quote!(Access(#at))
            }
        }
    }

    fn access(&self, at: usize) -> TokenStream {
        let (facts, access) = (self.private, &self.facts.accesses[at]);
        let (decided, told) = (self.facts.is_decided(at), self.facts.is_told(at));
        let Access { view, len, write, always, text, span, .. } = access;
        let (view, len) = (Literal::usize_unsuffixed(view.0), Literal::usize_unsuffixed(self.atom(Atom::Symbol(*len))));
        let unknown = Form::atom(Atom::Other(usize::MAX));
        let index = access.index.as_ref().filter(|_| told).unwrap_or(&unknown);
        let (index, size) = (self.form(index), self.size(index));
        let end = match &access.end {
            Some(end) => {
                let end = self.form(end.as_ref().filter(|_| told).unwrap_or(&unknown));
                quote!(#facts::rust::Some(#end))
            }
            None => quote!(#facts::rust::None),
        };
        let proved = decided && bounds::is_proved(self.facts, access);
        let (line, column) = (launch::line(*span), launch::column(*span));
        quote! {
            #facts::data::facts::Access {
                view: #view, len: #len, index: #index, end: #end, write: #write, always: #always, decided: #decided, proved: #proved,
                size: #size, text: #text, line: #line, column: #column,
            }
        }
    }
}

fn slot(slot: SlotId) -> TokenStream {
    Literal::usize_unsuffixed(slot.0).into_token_stream()
}
