//! Types of parameters: what they borrow, and which of them no device has.
//!
//! A macro sees how a type is written, and not what it is. What is plainly wrong is said here, in
//! the field's words; the rest rustc says.

use proc_macro2::Ident;

use syn::visit_mut::VisitMut;

use super::text;
use crate::generics::{Signature, bounds_of};
use crate::ir::{Borrow, GridType, LocalKind, ParamKind};
use crate::names;
use crate::report::{Code, Diagnostic, Report, error};

/// Types of std that no device has.
pub(super) const FOREIGN: [&str; 11] =
    ["char", "str", "String", "Vec", "Box", "Rc", "Arc", "HashMap", "HashSet", "BTreeMap", "BTreeSet"];

/// Bounds of std that say nothing of the device.
const NOT_ENOUGH: [&str; 15] = [
    "Copy",
    "Clone",
    "Default",
    "PartialEq",
    "PartialOrd",
    "Debug",
    "Send",
    "Sync",
    "Sized",
    "Into",
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Neg",
];

/// Refuses a type parameter that nothing makes a device type. Without this check there are many
/// errors.
pub(super) fn check_bounds(ty: &syn::Type, generics: &syn::Generics, report: &mut Report) {
    let name = match ty {
        ty if let Some((elem, _)) = grid_type(ty) => return check_bounds(&elem, generics, report),
        syn::Type::Path(path) => path.path.get_ident(),
        syn::Type::Reference(reference) => return check_bounds(&reference.elem, generics, report),
        syn::Type::Slice(slice) => return check_bounds(&slice.elem, generics, report),
        syn::Type::Array(array) => return check_bounds(&array.elem, generics, report),
        _ => None,
    };
    let Some(param) = generics.type_params().find(|p| Some(&p.ident) == name) else { return };
    let enough = bounds_of(&param.ident, generics).any(|bound| match bound {
        syn::TypeParamBound::Trait(bound) => {
            bound.path.segments.last().is_some_and(|last| NOT_ENOUGH.iter().all(|name| last.ident != name))
        }
        _ => false,
    });
    if !enough {
        let name = &param.ident;
        report.once(
            ty,
            error(Code::TypeParameter, format!("the bounds of `{name}` allow types that a device does not support"))
                .help(format!("to copy values, write `{name}: Scalar`"))
                .help(format!("to compute with them, write `{name}: Num`, `{name}: Int` or `{name}: Float`")),
        );
    }
}

/// Refuses `impl Trait` and `dyn Trait`, anywhere in the type of a parameter.
fn has_no_name(ty: &syn::Type, what: &str, name: Option<&Ident>, report: &mut Report) -> bool {
    struct First<'t>(Option<&'t syn::Type>);
    impl<'t> syn::visit::Visit<'t> for First<'t> {
        fn visit_type(&mut self, ty: &'t syn::Type) {
            match ty {
                syn::Type::ImplTrait(_) | syn::Type::TraitObject(_) => drop(self.0.get_or_insert(ty)),
                ty => syn::visit::visit_type(self, ty),
            }
        }
    }
    let mut first = First(None);
    syn::visit::Visit::visit_type(&mut first, ty);
    let Some(found) = first.0 else { return false };
    // The host part may call a trait object.
    if name.is_some() && matches!(found, syn::Type::TraitObject(_)) {
        return false;
    }
    let (bounds, wrong, choice) = match found {
        syn::Type::TraitObject(of) => (
            &of.bounds,
            error(Code::DeviceType, format!("a {what} takes no trait objects")),
            Some("for values of several types in one slice, write an enum with `#[device]`, and a `match`"),
        ),
        syn::Type::ImplTrait(of) => (
            &of.bounds,
            error(Code::ImplTrait, format!("`impl Trait` is not supported in the parameters of a {what}")),
            None,
        ),
        _ => return false,
    };
    let wrong = match name {
        Some(name) if Signature::of_bounds(bounds.iter()).is_some() => {
            error(Code::ImplTrait, "a kernel takes a closure by value").help(format!("write `{name}: {}`", text(found)))
        }
        _ => {
            let wrong = wrong.help(format!("use a type parameter: `<T: {}>`", text(bounds)));
            choice.into_iter().fold(wrong, |wrong, help| wrong.help(help))
        }
    };
    report.on(found, wrong);
    true
}

/// How a parameter of a device function holds its value, and the type of that.
pub(super) fn device_param(krate: &syn::Path, ty: &syn::Type, report: &mut Report) -> Option<(LocalKind, syn::Type)> {
    match ty {
        ty if has_no_name(ty, "device function", None, report) => None,
        syn::Type::Paren(inner) => device_param(krate, &inner.elem, report),
        syn::Type::Group(inner) => device_param(krate, &inner.elem, report),
        syn::Type::Reference(reference) => match &*reference.elem {
            syn::Type::Slice(slice) if !may_be_atomic(&slice.elem, report) => None,
            of if let Some((elem, _)) = grid_type(of)
                && !may_be_atomic(&elem, report) =>
            {
                None
            }
            of if let Some((elem, GridType { dims, .. })) = grid_type(of) => {
                let kind = LocalKind::Grid(borrow(reference, &elem, report), dims);
                device_value(&value_type(krate, &elem), report).map(|elem| (kind, elem))
            }
            of if !may_be_atomic(of, report) => None,
            syn::Type::Slice(slice) => {
                let kind = LocalKind::Slice(borrow(reference, &slice.elem, report));
                device_value(&value_type(krate, &slice.elem), report).map(|elem| (kind, elem))
            }
            syn::Type::Reference(inner) => {
                report.on(
                    inner,
                    error(Code::Reference, "a reference to a reference is not supported in device code")
                        .help("remove one `&`"),
                );
                None
            }
            of => {
                let kind = LocalKind::Reference(borrow(reference, of, report));
                device_value(&value_type(krate, of), report).map(|of| (kind, of))
            }
        },
        of if is_atomic(of) => {
            let of = text(of);
            report.on(
                ty,
                error(Code::AtomicUse, format!("the atomic `{of}` is passed by value"))
                    .help(format!("pass a reference: `&{of}` or `&[{of}]`")),
            );
            None
        }
        syn::Type::Slice(slice) => {
            slice_by_value(slice, report);
            None
        }
        ty if grid_type(ty).is_some() => {
            grid_by_value(ty, report);
            None
        }
        other => device_value(other, report).map(|ty| (LocalKind::Value, ty)),
    }
}

/// A type that may be one of device code; rustc knows for sure, but has more to say about it.
pub(super) fn device_value(ty: &syn::Type, report: &mut Report) -> Option<syn::Type> {
    if let syn::Type::Path(path) = ty
        && let Some(last) = path.path.segments.last()
        && FOREIGN.iter().any(|name| last.ident == name)
    {
        let name = &last.ident;
        report.on(
            ty,
            match name == "char" {
                true => error(Code::DeviceType, "the type `char` is not supported in device code")
                    .help("text is bytes: a `u8` compares with `b'a'`, and has `is_ascii_digit()` and the like"),
                false => error(Code::DeviceType, format!("the type `{name}` is not supported in device code"))
                    .help("use `bool`, integers, floats, tuples, arrays, and `#[device]` structs and enums")
                    .help("a parameter can be a slice: `&[T]` or `&mut [T]`"),
            },
        );
        return None;
    }
    if let syn::Type::Path(_) = ty
        && of_any_lifetime(ty).is_some()
    {
        report.on(
            ty,
            error(Code::DeviceType, format!("`{}` has a lifetime, which no value of device code has", text(ty)))
                .help("take the slices of a struct as parameters of their own: `red: &mut [f32]`"),
        );
        return None;
    }
    if let syn::Type::Reference(_) = ty {
        report.on(
            ty,
            error(
                Code::Reference,
                "references are only supported in parameters and in variables whose type is not written",
            )
            .help("write the type without `&`: values are copied")
            .help("let rustc infer the type of a variable: `let row = &x[a..b];`"),
        );
        return None;
    }
    Some(ty.clone())
}

/// The type of a parameter that was refused: no argument of it is wrong, too.
pub(super) fn anything(refused: &syn::Type) -> syn::Type {
    match refused {
        syn::Type::Reference(syn::TypeReference { mutability, .. }) => {
            syn::parse_quote!(&#mutability impl ::core::marker::Sized)
        }
        _ => syn::parse_quote!(impl ::core::marker::Sized),
    }
}

pub(super) fn param_kind(ty: &syn::Type, name: &Ident, report: &mut Report) -> Option<ParamKind> {
    match ty {
        ty if has_no_name(ty, "kernel", Some(name), report) => None,
        syn::Type::Paren(inner) => param_kind(&inner.elem, name, report),
        syn::Type::Group(inner) => param_kind(&inner.elem, name, report),
        syn::Type::Reference(reference) => match &*reference.elem {
            syn::Type::Slice(slice) => {
                let elem = (*slice.elem).clone();
                slice_param(reference, elem, None, report)
            }
            of if let Some((elem, grid)) = grid_type(of) => slice_param(reference, elem, Some(grid), report),
            of if holds_atomics(of) => {
                report.on(of, one_atomic(name, of));
                None
            }
            of if is_named(of, "Buffer") => {
                buffer_parameter(of, name, report);
                None
            }
            of if has_other_dimensions(of) => {
                let dims = error(Code::BufferParameter, "a grid has two or three dimensions");
                report.on(
                    of,
                    dims.help(format!("write `{name}: &Grid<T, 2>` or `{name}: &Grid<T, 3>`"))
                        .help(format!("for more dimensions, write `{name}: &[T]`, and compute the index")),
                );
                None
            }
            of if is_primitive_type(of) => {
                let of = text(of);
                let by_reference = if reference.mutability.is_some() {
                    error(Code::ValueByReference, "a kernel cannot write to a single value")
                        .help(format!("write to a slice with one element: `{name}: &mut [{of}]`"))
                } else {
                    error(Code::ValueByReference, "a scalar parameter cannot be a reference")
                        .help(format!("write `{name}: {of}`"))
                };
                report.on(ty, by_reference);
                None
            }
            _ => Some(ParamKind::Value(ty.clone())),
        },
        syn::Type::Slice(slice) => {
            slice_by_value(slice, report);
            None
        }
        ty if holds_atomics(ty) => {
            report.on(ty, one_atomic(name, ty));
            None
        }
        ty if grid_type(ty).is_some() => {
            grid_by_value(ty, report);
            None
        }
        ty if is_named(ty, "Buffer") => {
            buffer_parameter(ty, name, report);
            None
        }
        syn::Type::Path(_) if let Some(of) = of_any_lifetime(ty) => Some(ParamKind::Slices(of)),
        other => Some(ParamKind::Value(other.clone())),
    }
}

/// The slice that a field of a struct of slices is.
pub(crate) fn slice_field(reference: &syn::TypeReference, report: &mut Report) -> Option<ParamKind> {
    let borrowed = syn::TypeReference { lifetime: None, ..reference.clone() };
    match &*reference.elem {
        syn::Type::Slice(slice) => slice_param(&borrowed, (*slice.elem).clone(), None, report),
        of if let Some((elem, grid)) = grid_type(of) => slice_param(&borrowed, elem, Some(grid), report),
        of => {
            report.on(
                of,
                error(Code::DeviceData, format!("a struct of slices cannot borrow `{}`", text(of)))
                    .help("hold a slice, `&'a [T]` or `&'a mut [T]`, a grid, or a value")
                    .help("a struct of slices in another one has no `&`: `inner: Inner<'a>`"),
            );
            None
        }
    }
}

/// The type with `'static` in place of its lifetimes, if it has some.
pub(crate) fn of_any_lifetime(ty: &syn::Type) -> Option<syn::Type> {
    let (mut ty, mut lifetimes) = (ty.clone(), Static::default());
    lifetimes.visit_type_mut(&mut ty);
    lifetimes.found.then_some(ty)
}

/// Puts `'static` in the place of lifetimes, and notes whether there was another one. Those of a
/// `for<'l>` stay.
#[derive(Default)]
pub(crate) struct Static {
    found: bool,
    bound: Vec<Ident>,
}

impl VisitMut for Static {
    fn visit_bound_lifetimes_mut(&mut self, bound: &mut syn::BoundLifetimes) {
        let lifetimes = bound.lifetimes.iter().filter_map(|param| match param {
            syn::GenericParam::Lifetime(of) => Some(of.lifetime.ident.clone()),
            syn::GenericParam::Type(_) | syn::GenericParam::Const(_) => None,
        });
        self.bound.extend(lifetimes);
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut syn::Lifetime) {
        if lifetime.ident != "static" && !self.bound.contains(&lifetime.ident) {
            self.found = true;
            lifetime.ident = Ident::new("static", lifetime.ident.span());
        }
    }
}

/// `&[elem]`, `&mut Grid<elem, 2>`.
fn slice_param(
    reference: &syn::TypeReference,
    mut elem: syn::Type,
    grid: Option<GridType>,
    report: &mut Report,
) -> Option<ParamKind> {
    if let Some(lifetime) = &reference.lifetime {
        let noun = if grid.is_some() { "grid" } else { "slice" };
        report.on(
            lifetime,
            error(Code::Lifetime, format!("a {noun} parameter cannot have a lifetime"))
                .help(format!("remove `{lifetime}`")),
        );
    }
    if !may_be_scalar(&elem) {
        let mut error = error(Code::ElementType, format!("device memory cannot hold `{}`", text(&elem)))
            .help("use `bool`, an integer type, `f32` or `f64`");
        if matches!(&elem, syn::Type::Reference(_) | syn::Type::Slice(_)) {
            error = error.help("in place of slices of slices, take one slice of all elements, and one that says where each part begins");
        }
        if let syn::Type::Tuple(tuple) = &elem {
            error = of_tuple(error, tuple);
        }
        report.on(&elem, error);
        // So that rustc does not ask for lifetimes, too.
        VisitMut::visit_type_mut(&mut WithLifetimes, &mut elem);
    }
    let borrow = borrow(reference, &elem, report);
    may_be_atomic(&elem, report).then_some(ParamKind::Slice { borrow, elem, grid })
}

/// What to write in place of a tuple.
fn of_tuple(error: Diagnostic, tuple: &syn::TypeTuple) -> Diagnostic {
    let types: Vec<_> = tuple.elems.iter().map(text).collect();
    let error = match types.as_slice() {
        [first, rest @ ..] if !rest.is_empty() && rest.iter().all(|ty| ty == first) => {
            error.help(format!("write an array: `[{first}; {}]`", types.len()))
        }
        _ => error,
    };
    let fields: Vec<_> = types.iter().zip('a'..='z').map(|(ty, name)| format!("{name}: {ty}")).collect();
    error
        .help(format!("write a struct: `#[device] #[derive(Clone, Copy)] struct Item {{ {} }}`", fields.join(", ")))
        .help("or pass one slice for each part")
}

/// References that name no lifetime.
struct WithLifetimes;

impl VisitMut for WithLifetimes {
    fn visit_type_reference_mut(&mut self, reference: &mut syn::TypeReference) {
        reference.lifetime.get_or_insert_with(|| syn::parse_quote!('static));
        syn::visit_mut::visit_type_reference_mut(self, reference);
    }
}

/// The elements of `Grid<elem, 2>`, which has two or three dimensions. Whether this is the grid of
/// the runtime, rustc says.
pub(super) fn grid_type(ty: &syn::Type) -> Option<(syn::Type, GridType)> {
    let syn::Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Grid")?;
    let syn::PathArguments::AngleBracketed(args) = &last.arguments else { return None };
    let (Some(syn::GenericArgument::Type(elem)), Some(syn::GenericArgument::Const(dims)), 2) =
        (args.args.get(0), args.args.get(1), args.args.len())
    else {
        return None;
    };
    let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(dims), .. }) = dims else { return None };
    let dims = dims.base10_parse().ok().filter(|dims| (2..=3).contains(dims))?;
    Some((elem.clone(), GridType { ty: Box::new(ty.clone()), dims }))
}

/// Whether a type is a grid with a number of dimensions that there is not, or with none.
fn has_other_dimensions(ty: &syn::Type) -> bool {
    let syn::Type::Path(path) = ty else { return false };
    path.path.segments.last().is_some_and(|last| match &last.arguments {
        syn::PathArguments::AngleBracketed(args) if last.ident == "Grid" => match args.args.get(1) {
            Some(of) => matches!(of, syn::GenericArgument::Const(syn::Expr::Lit(_))) && args.args.len() == 2,
            None => args.args.len() == 1,
        },
        _ => false,
    })
}

/// How a reference borrows what it refers to. Atomics are told by their name.
fn borrow(reference: &syn::TypeReference, of: &syn::Type, report: &mut Report) -> Borrow {
    match (&reference.mutability, is_atomic(of)) {
        (None, false) => Borrow::Shared,
        (None, true) => Borrow::Atomic,
        (Some(_), false) => Borrow::Unique,
        (Some(token), true) => {
            report.on(token, atomic_by_mut());
            Borrow::Atomic
        }
    }
}

/// Whether a type is not one of the atomics of std that a GPU does not have.
fn may_be_atomic(of: &syn::Type, report: &mut Report) -> bool {
    const NOT_THERE: [&str; 6] = ["AtomicBool", "AtomicI8", "AtomicI16", "AtomicPtr", "AtomicU8", "AtomicU16"];
    if let syn::Type::Path(path) = of
        && let Some(last) = path.path.segments.last()
        && NOT_THERE.iter().any(|name| last.ident == name)
    {
        let message = format!("`{}` is not supported: atomics in device code have 32 or 64 bits", last.ident);
        report.on(of, error(Code::ElementType, message).help("use an atomic of these sizes, such as `AtomicU32`"));
        return false;
    }
    true
}

/// The contents of the memory that a reference refers to.
fn value_type(krate: &syn::Path, of: &syn::Type) -> syn::Type {
    if is_atomic(of) { syn::parse_quote!(<#of as #krate::atomic::Atomic>::Value) } else { of.clone() }
}

fn buffer_parameter(ty: &syn::Type, name: &Ident, report: &mut Report) {
    report.on(
        ty,
        error(Code::BufferParameter, "a kernel takes slices and grids, and its launcher takes buffers for them")
            .help(format!("to read the buffer, write `{name}: &[T]` or `{name}: &Grid<T, 2>`"))
            .help(format!("to write it, write `{name}: &mut [T]` or `{name}: &mut Grid<T, 2>`")),
    );
}

fn slice_by_value(slice: &syn::TypeSlice, report: &mut Report) {
    let elem = text(&slice.elem);
    report.on(
        slice,
        error(Code::SliceByValue, "a slice cannot be passed by value")
            .help(format!("to read it, write `&[{elem}]`"))
            .help(format!("to write it, write `&mut [{elem}]`")),
    );
}

fn grid_by_value(ty: &syn::Type, report: &mut Report) {
    let grid = text(ty);
    report.on(
        ty,
        error(Code::SliceByValue, "a grid cannot be passed by value")
            .help(format!("to read it, write `&{grid}`"))
            .help(format!("to write it, write `&mut {grid}`")),
    );
}

/// One atomic, or an array of them.
fn holds_atomics(ty: &syn::Type) -> bool {
    match ty {
        syn::Type::Array(array) => holds_atomics(&array.elem),
        ty => is_atomic(ty),
    }
}

fn one_atomic(name: &Ident, ty: &syn::Type) -> Diagnostic {
    let of = match ty {
        syn::Type::Array(array) => text(&array.elem),
        ty => text(ty),
    };
    error(Code::AtomicUse, "the atomics of a kernel must be in a slice").help(format!("write `{name}: &[{of}]`"))
}

pub(super) fn atomic_by_mut() -> Diagnostic {
    error(Code::AtomicUse, "atomics are modified through `&`, not `&mut`").help("remove the `mut`")
}

/// What to write for a closure that the caller of a kernel chooses.
pub(super) fn closure_of_caller(error: Diagnostic, name: &str) -> Diagnostic {
    error
        .help(format!("if there is one closure, make it in the loop: `let {name} = |v| 2.0 * v;`"))
        .help("or write a function with `#[device]`, and call it by its name")
        .help(format!(
            "to let the caller choose, take `{name}: impl Fn(f32) -> f32`, and pass `closure!(|v: f32| 2.0 * v)`"
        ))
}

pub(super) fn is_named(ty: &syn::Type, name: &str) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == name))
}

fn is_primitive_type(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.get_ident().is_some_and(is_primitive))
}

/// Whether a type may be an alias or a name of a scalar; rustc knows for sure, but has more to say
/// about it.
fn may_be_scalar(ty: &syn::Type) -> bool {
    match ty {
        syn::Type::Paren(inner) => may_be_scalar(&inner.elem),
        syn::Type::Group(inner) => may_be_scalar(&inner.elem),
        syn::Type::Path(path) => {
            !path.path.get_ident().is_some_and(|name| name == "char" || name == "str" || name == "String")
        }
        syn::Type::Array(array) => may_be_scalar(&array.elem),
        syn::Type::Macro(_) => true,
        _ => false,
    }
}

/// Names that are types, not functions; used to tell `f32::max` from `module::function`.
pub(super) fn is_primitive(name: &Ident) -> bool {
    matches!(
        names::plain(name).as_str(),
        "bool"
            | "i8"
            | "i16"
            | "i32"
            | "i64"
            | "i128"
            | "isize"
            | "u8"
            | "u16"
            | "u32"
            | "u64"
            | "u128"
            | "usize"
            | "f32"
            | "f64"
    )
}

/// Whether a type is an atomic by its name. That it is one of device code, rustc checks.
fn is_atomic(ty: &syn::Type) -> bool {
    match ty {
        syn::Type::Paren(inner) => is_atomic(&inner.elem),
        syn::Type::Group(inner) => is_atomic(&inner.elem),
        syn::Type::Path(path) => path.path.segments.last().is_some_and(|last| {
            let name = names::plain(&last.ident);
            name.strip_prefix("Atomic").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
        }),
        _ => false,
    }
}
