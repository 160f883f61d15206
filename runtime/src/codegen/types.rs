//! The structs and enums of a program in C++. What buffers hold lies in memory as in Rust, and an
//! assertion compares the two.

use std::any::TypeId;
use std::cell::Cell;

use anabranch_core::emit::{MISSING, literal};

use super::names::Names;
use crate::value::{DeviceType, EnumType, StructType};

/// The front end of NVRTC has no `offsetof`.
const OFFSET: &str = "#if defined(__EDG__)
#define AB_OFFSET(T, field) (usize)__INTADDR__(&((T*)0)->field)
#else
#define AB_OFFSET(T, field) __builtin_offsetof(T, field)
#endif
";

/// The member that tells the variants of an enum apart. No name of a user is that in C++.
pub(super) const TAG: &str = "ab_tag";

/// The structs and enums of a program, with their names, in an order in which each one only
/// contains earlier ones.
#[derive(Debug)]
pub(super) struct Types {
    known: Vec<Known>,
    names: Names,
}

#[derive(Debug)]
struct Known {
    id: TypeId,
    ty: Declared,
    name: String,
    /// Which comparisons the program has of its values.
    equal: Cell<bool>,
    ordered: Cell<bool>,
}

#[derive(Debug)]
enum Declared {
    Struct(&'static StructType),
    Enum(&'static EnumType),
}

impl Known {
    fn new(id: TypeId, ty: Declared, name: String) -> Self {
        Self { id, ty, name, equal: Cell::new(false), ordered: Cell::new(false) }
    }
}

impl Types {
    /// The structs and enums among some types and their parts.
    pub(super) fn of(types: &[&DeviceType]) -> Self {
        let mut all =
            Self { known: Vec::new(), names: Names::beside(&["ab", "arity", "constants", "device", "types"]) };
        types.iter().for_each(|ty| all.add(ty));
        all
    }

    fn add(&mut self, ty: &DeviceType) {
        match ty {
            DeviceType::Scalar(_) => {}
            DeviceType::Tuple(parts) => parts.iter().for_each(|part| self.add(part)),
            DeviceType::Array(element, _) => self.add(element),
            DeviceType::Struct(ty) => {
                let id = ty.id;
                if self.known.iter().all(|known| known.id != id) {
                    ty.fields.iter().for_each(|field| self.add(field.ty));
                    // Fields without a size are constants of the class.
                    let constants: Vec<&str> =
                        ty.fields.iter().filter(|field| field.size == 0).map(|field| field.c_name).collect();
                    let name = self.names.claim_other_than(&constants, ty.c_name, ty.module);
                    self.known.push(Known::new(id, Declared::Struct(ty), name));
                }
            }
            DeviceType::Enum(ty) => {
                let id = ty.id;
                if self.known.iter().all(|known| known.id != id) {
                    ty.variants.iter().flat_map(|variant| variant.fields).for_each(|field| self.add(field));
                    let name = self.names.claim(ty.c_name, ty.module);
                    self.known.push(Known::new(id, Declared::Enum(ty), name));
                }
            }
        }
    }

    /// Notes that the program compares values of a type part by part; `ordered`: by `<` and its
    /// like.
    pub(super) fn compared(&self, ty: &DeviceType, ordered: bool) {
        let (id, parts): (_, Vec<&DeviceType>) = match ty {
            DeviceType::Scalar(_) => return,
            DeviceType::Tuple(parts) => return parts.iter().for_each(|part| self.compared(part, ordered)),
            DeviceType::Array(element, _) => return self.compared(element, ordered),
            DeviceType::Struct(ty) => (ty.id, ty.fields.iter().map(|field| field.ty).collect()),
            DeviceType::Enum(ty) => (ty.id, ty.variants.iter().flat_map(|variant| variant.fields).copied().collect()),
        };
        let Some(known) = self.known.iter().find(|known| known.id == id) else { return };
        let noted = known.equal.replace(true) & (known.ordered.replace(ordered || known.ordered.get()) || !ordered);
        if !noted {
            parts.into_iter().for_each(|part| self.compared(part, ordered));
        }
    }

    /// A type in C++.
    pub(super) fn spelled(&self, ty: &DeviceType) -> String {
        match ty {
            DeviceType::Scalar(ty) => ty.c_name().to_owned(),
            DeviceType::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.spelled(part)).collect();
                format!("ab::tuple<{}>", parts.join(", "))
            }
            DeviceType::Array(element, len) => format!("ab::array<{}, {len}>", self.spelled(element)),
            DeviceType::Struct(StructType { id, .. }) | DeviceType::Enum(EnumType { id, .. }) => {
                let known = self.known.iter().find(|known| known.id == *id);
                known.map_or(MISSING.to_owned(), |known| format!("types::{}", known.name))
            }
        }
    }

    /// A value of a struct: `of` writes the value of the field with a number. Members come in their
    /// order in C++.
    pub(super) fn value(&self, ty: &'static StructType, of: impl FnMut(usize) -> String) -> String {
        let members: Vec<String> = ty.members().map(of).collect();
        format!("{}{{{}}}", self.spelled(&DeviceType::Struct(ty)), members.join(", "))
    }

    /// A value of a variant with these fields.
    pub(super) fn variant(&self, ty: &'static EnumType, variant: usize, fields: &[String]) -> String {
        let mut parts = vec![tag(ty, variant)];
        if !fields.is_empty() {
            let earlier = ty.variants[..variant].iter().filter(|earlier| !earlier.fields.is_empty());
            parts.extend(earlier.map(|_| "{}".to_owned()));
            parts.push(format!("{{{}}}", fields.join(", ")));
        }
        format!("{}{{{}}}", self.spelled(&DeviceType::Enum(ty)), parts.join(", "))
    }

    /// The test that a place is of a variant. `None`: there is no other.
    pub(super) fn is(ty: &EnumType, variant: usize, place: &str) -> Option<String> {
        (ty.variants.len() > 1).then(|| format!("ab::is({place}.{TAG}, {})", tag(ty, variant)))
    }

    /// The definitions of all structs and enums.
    pub(super) fn definitions(&self) -> String {
        if self.known.is_empty() {
            return String::new();
        }
        let definition = |known: &Known| match known.ty {
            Declared::Struct(ty) => self.definition(ty, &known.name),
            Declared::Enum(ty) => self.enum_definition(ty, &known.name),
        };
        let all: String = self.known.iter().map(|known| definition(known) + &comparisons(known)).collect();
        format!("{OFFSET}namespace types {{\n{all}}}  // namespace types\n")
    }

    fn definition(&self, ty: &'static StructType, name: &str) -> String {
        let mut out = format!("struct alignas({}) {name} {{\n", ty.c_align());
        for at in ty.members() {
            let field = &ty.fields[at];
            out.push_str(&format!("    {} {};\n", self.spelled(field.ty), field.c_name));
        }
        if ty.is_tuple {
            out.push_str(&format!("    static constexpr u32 arity = {};\n", ty.fields.len()));
        }
        // A member takes room, and in NVRTC only a constant takes none.
        for field in ty.fields.iter().filter(|field| field.size == 0) {
            out.push_str(&format!("    static constexpr {} {}{{}};\n", self.spelled(field.ty), field.c_name));
        }
        if ty.size == 0 {
            out.push_str(&format!("    AB_NOTHING_TO_WRITE({name})\n"));
        }
        out.push_str("};\n");
        out.push_str(&self.layout_assertion(ty, name));
        out
    }

    fn enum_definition(&self, ty: &EnumType, name: &str) -> String {
        let mut out = format!("struct {name} {{\n");
        // Where there is one variant, values that nobody has made are of it, too: a field without a
        // size is never written.
        let only = if ty.variants.len() == 1 { format!(" = {}", tag(ty, 0)) } else { String::new() };
        let tags: Vec<String> = (0..ty.variants.len()).map(|at| named_tag(ty, at)).collect();
        out.push_str(&format!("    {} {TAG}{only};  // {}\n", ty.tag().c_name(), tags.join(", ")));
        for variant in ty.variants.iter().filter(|variant| !variant.fields.is_empty()) {
            let members = variant.fields.iter().zip(variant.members);
            let members: String = members.map(|(field, name)| format!("{} {name}; ", self.spelled(field))).collect();
            out.push_str(&format!("    struct {{ {members}}} {};\n", variant.c_name));
        }
        if ty.variants.iter().all(|variant| variant.fields.is_empty()) {
            // For `kind as u32`.
            out.push_str(&format!("    template <class T> AB_FN explicit operator T() const {{ return (T){TAG}; }}\n"));
        }
        if ty.size == 0 {
            out.push_str(&format!("    AB_NOTHING_TO_WRITE(types::{name})\n"));
        }
        out.push_str("};\n");
        if ty.repr.is_some() {
            let size = ty.size;
            out.push_str(&format!(
                "static_assert(sizeof({name}) == {size} && alignof({name}) == {size}, \"{name} is laid out as in Rust\");\n"
            ));
        }
        out
    }

    /// Where C++ must lay the type out as Rust does, the assertion that it does.
    fn layout_assertion(&self, ty: &'static StructType, name: &str) -> String {
        if !DeviceType::Struct(ty).is_laid_out_as(ty.size, ty.align) {
            return String::new();
        }
        let offsets: String = ty
            .members()
            .map(|at| format!(" && AB_OFFSET({name}, {}) == {}", ty.fields[at].c_name, ty.fields[at].offset))
            .collect();
        let (size, align) = (ty.size, ty.align);
        format!(
            "static_assert(sizeof({name}) == {size} && alignof({name}) == {align}{offsets}, \"{name} is laid out as in Rust\");\n"
        )
    }
}

/// Members that are compared where a condition holds, if there is one.
type Group = (Option<String>, Vec<String>);

/// The operators that compare values part by part. The first part that differs decides.
fn comparisons(known: &Known) -> String {
    let name = &known.name;
    // Groups of members: each counts where its condition holds.
    let (tag, groups): (bool, Vec<Group>) = match known.ty {
        Declared::Struct(ty) => {
            let members = ty.fields.iter().filter(|field| field.size > 0).map(|field| field.c_name.to_owned());
            (false, vec![(None, members.collect())])
        }
        Declared::Enum(ty) => {
            let group = |at: usize| {
                let variant = &ty.variants[at];
                let members = variant.members.iter().map(|member| format!("{}.{member}", variant.c_name));
                (Types::is(ty, at, "a"), members.collect())
            };
            (true, (0..ty.variants.len()).map(group).filter(|(_, members): &Group| !members.is_empty()).collect())
        }
    };
    let function = |result: &str, called: &str, parameters: &str, body: &str| {
        format!("AB_FN {result} {called}(const types::{name}& a, const types::{name}& b{parameters}) {body}\n")
    };
    let mut out = String::new();
    if known.equal.get() {
        let tags = tag.then(|| format!("a.{TAG} == b.{TAG}"));
        let groups = groups.iter().filter(|(_, members)| !members.is_empty()).map(|(condition, members)| {
            let equal: Vec<String> = members.iter().map(|member| format!("a.{member} == b.{member}")).collect();
            match condition {
                Some(condition) => format!("(!{condition} || ({}))", equal.join(" && ")),
                None => equal.join(" && "),
            }
        });
        let all: Vec<String> = tags.into_iter().chain(groups).collect();
        let all = if all.is_empty() { "true".to_owned() } else { all.join(" && ") };
        out.push_str(&function("bool", "operator==", "", &format!("{{ return {all}; }}")));
        out.push_str(&function("bool", "operator!=", "", "{ return !(a == b); }"));
    }
    if known.ordered.get() {
        let mut body = "{\n".to_owned();
        if tag {
            body.push_str(&format!("    if (a.{TAG} != b.{TAG}) return a.{TAG} < b.{TAG};\n"));
        }
        for (condition, members) in &groups {
            for member in members {
                let condition = condition.as_ref().map_or(String::new(), |condition| format!("{condition} && "));
                body.push_str(&format!(
                    "    if ({condition}!(a.{member} == b.{member})) return a.{member} < b.{member};\n"
                ));
            }
        }
        body.push_str("    return tie;\n}");
        out.push_str(&function("bool", "ab_before", ", bool tie", &body));
        for (operator, of) in [("<", "a, b, false"), ("<=", "a, b, true"), (">", "b, a, false"), (">=", "b, a, true")] {
            out.push_str(&function(
                "bool",
                &format!("operator{operator}"),
                "",
                &format!("{{ return ab_before({of}); }}"),
            ));
        }
    }
    out
}

/// The tag of a variant, as a literal.
fn tag(ty: &EnumType, variant: usize) -> String {
    let tag = ty.variants[variant].tag;
    literal::int(ty.tag(), &tag.unsigned_abs().to_string(), tag < 0)
}

fn named_tag(ty: &EnumType, variant: usize) -> String {
    let variant = &ty.variants[variant];
    format!("{} {}", variant.tag, variant.c_name)
}
