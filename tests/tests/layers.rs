//! The layers of the crates: a module imports only from layers below its own, as ARCHITECTURE.md
//! lists them, or from its own layer without a circle. Inside a module, at most three files import
//! each other in a circle. Imports from a file's own folder do not count, such as those of
//! `gpu/mod.rs` from `gpu/pool.rs`: these files are its parts. The bodies of `macro_rules!` are not
//! read.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::read_to_string;
use std::path::Path;

use syn::visit::{self, Visit};

/// The most files that may import each other in a circle.
const CIRCLE: usize = 3;

/// The path of a module in its crate: `["gpu", "pool"]`. The root is empty.
type Module = Vec<String>;

/// Imports: from a module to those that it names.
type Imports = BTreeMap<Module, BTreeSet<Module>>;

#[test]
fn modules_import_from_below() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let document = read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let mut wrong = Vec::new();
    for (folder, title) in [("core", "core"), ("macros", "the macros"), ("runtime", "the runtime")] {
        let imports = imports(&root.join(folder).join("src"));
        let layers = layers(&document, &format!("## The layers of {title}\n"));
        let modules: BTreeSet<_> = imports.keys().filter_map(|module| module.first().cloned()).collect();
        let listed: BTreeSet<_> = layers.keys().cloned().collect();
        let no_place = modules.symmetric_difference(&listed);
        wrong.extend(
            no_place.map(|name| format!("{folder}: `{name}` is not both a module and in the table of ARCHITECTURE.md")),
        );
        let mut between: Imports = BTreeMap::new();
        for (from, to) in imports.iter().flat_map(|(from, all)| all.iter().map(move |to| (from, to))) {
            // The root of the crate declares everything.
            let (Some(above), Some(below)) = (from.first(), to.first()) else { continue };
            if above == below {
                continue;
            }
            between.entry(vec![above.clone()]).or_default().insert(vec![below.clone()]);
            if layers.get(above) > layers.get(below) {
                wrong.push(format!("{folder}: `{}` imports upward, from `{below}`", from.join("::")));
            }
        }
        wrong.extend(
            circles(&between).into_iter().map(|circle| format!("{folder}: a circle of modules: {}", list(&circle))),
        );
        for module in &modules {
            let inside = |of: &Module| of.first() == Some(module);
            let within = imports.iter().filter(|(from, _)| inside(from));
            let within = within.map(|(from, to)| {
                (from.clone(), to.iter().filter(|to| inside(to) && !to.starts_with(from)).cloned().collect())
            });
            let large = circles(&within.collect()).into_iter().filter(|circle| circle.len() > CIRCLE);
            wrong
                .extend(large.map(|circle| format!("{folder}: a circle of {} files: {}", circle.len(), list(&circle))));
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn list(modules: &BTreeSet<Module>) -> String {
    modules.iter().map(|module| module.join("::")).collect::<Vec<_>>().join(", ")
}

/// The layer of each module by the table below a title, whose first column has the names: 0 for the
/// highest.
fn layers(document: &str, title: &str) -> BTreeMap<String, usize> {
    let (_, section) = document.split_once(title).unwrap_or_else(|| panic!("{title:?} is not in ARCHITECTURE.md"));
    let rows = section.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let names = rows.skip(2).enumerate().flat_map(|(layer, row)| {
        let cell = row.trim_start_matches('|').split('|').next().unwrap_or_default();
        cell.split('`').skip(1).step_by(2).map(move |name| (name.to_owned(), layer))
    });
    names.collect()
}

/// What each module of a crate imports from others, without tests.
fn imports(root: &Path) -> Imports {
    let mut all = BTreeMap::new();
    collect(root, Vec::new(), &mut all);
    let targets = |(module, paths): (&Module, &Paths)| {
        let named = paths.named.iter().map(|path| resolve(&all, path, 0));
        (module.clone(), named.filter(|to| to != module).collect())
    };
    all.iter().map(targets).collect()
}

/// Reads a module and those in it.
fn collect(root: &Path, module: Module, all: &mut BTreeMap<Module, Paths>) {
    let folder = module.iter().fold(root.to_owned(), |folder, name| folder.join(name));
    let files = [folder.with_extension("rs"), folder.join("mod.rs"), folder.join("lib.rs")];
    let path = files.iter().find(|path| path.is_file()).unwrap_or_else(|| panic!("no file of {module:?} in {root:?}"));
    let file = syn::parse_file(&read_to_string(path).unwrap()).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let mut paths = Paths { module: module.clone(), ..Paths::default() };
    paths.visit_file(&file);
    for child in std::mem::take(&mut paths.children) {
        collect(root, module.iter().cloned().chain([child]).collect(), all);
    }
    all.insert(module, paths);
}

/// The module that defines what a path names, which its parents may have exported. The module of
/// the path's beginning for what is of another crate.
fn resolve(all: &BTreeMap<Module, Paths>, path: &[String], depth: usize) -> Module {
    let length = (0..=path.len()).rev().find(|length| all.contains_key(&path[..*length])).unwrap_or(0);
    let module = path[..length].to_vec();
    let Some(name) = path.get(length).filter(|_| depth < 8) else { return module };
    let Paths { exported, globs, .. } = &all[&module];
    if let Some(origin) = exported.get(name) {
        return resolve(all, origin, depth + 1);
    }
    let defines = |glob: &&Module| all.get(*glob).is_some_and(|paths| paths.defined.contains(name));
    globs.iter().find(defines).cloned().unwrap_or(module)
}

/// The paths of a file that begin in its crate, from the root.
#[derive(Default)]
struct Paths {
    module: Module,
    /// The modules that it declares, in files of their own.
    children: Vec<String>,
    /// The names of its items.
    defined: BTreeSet<String>,
    named: Vec<Vec<String>>,
    /// What the module exports from others, by its name.
    exported: BTreeMap<String, Vec<String>>,
    /// The modules from which it exports everything.
    globs: Vec<Module>,
}

impl Paths {
    /// A path from the root: one that is written from the crate, from the module or one around it,
    /// or from a module in it.
    fn absolute(&self, path: &[String]) -> Vec<String> {
        let mut from =
            if path.first().is_some_and(|first| first == "crate") { Vec::new() } else { self.module.clone() };
        for part in path {
            match part.as_str() {
                "crate" | "self" => {}
                "super" => drop(from.pop()),
                part => from.push(part.to_owned()),
            }
        }
        from
    }

    fn import(&mut self, tree: &syn::UseTree, prefix: &[String], public: bool) {
        let with = |name: &syn::Ident| prefix.iter().cloned().chain([name.to_string()]).collect::<Vec<_>>();
        let (path, name) = match tree {
            syn::UseTree::Path(path) => return self.import(&path.tree, &with(&path.ident), public),
            syn::UseTree::Group(group) => return group.items.iter().for_each(|tree| self.import(tree, prefix, public)),
            syn::UseTree::Name(name) => (with(&name.ident), Some(name.ident.to_string())),
            syn::UseTree::Rename(renamed) => (with(&renamed.ident), Some(renamed.rename.to_string())),
            syn::UseTree::Glob(_) => (prefix.to_vec(), None),
        };
        let path = self.absolute(&path);
        match name {
            Some(name) if public => drop(self.exported.insert(name, path.clone())),
            None if public => self.globs.push(path.clone()),
            _ => {}
        }
        self.named.push(path);
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let (attrs, name) = match item {
            syn::Item::Mod(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Use(item) => (&item.attrs, None),
            syn::Item::Fn(item) => (&item.attrs, Some(&item.sig.ident)),
            syn::Item::Impl(item) => (&item.attrs, None),
            syn::Item::Struct(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Enum(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Trait(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Type(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Const(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Static(item) => (&item.attrs, Some(&item.ident)),
            _ => return visit::visit_item(self, item),
        };
        let is_test = |attr: &syn::Attribute| match &attr.meta {
            syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
            _ => false,
        };
        if !attrs.iter().any(is_test) {
            self.defined.extend(name.map(ToString::to_string));
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if item.content.is_none() {
            return self.children.push(item.ident.to_string());
        }
        self.module.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let public = !matches!(item.vis, syn::Visibility::Inherited);
        self.import(&item.tree, &[], public);
    }

    /// `pub(in crate::parse)` imports nothing.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let written: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if written.len() > 1 {
            self.named.push(self.absolute(&written));
        }
        visit::visit_path(self, path);
    }

    /// The arguments of `assert!`, `matches!`, `vec!` and the like.
    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        type Arguments = syn::punctuated::Punctuated<syn::Expr, syn::Token![,]>;
        for argument in item.parse_body_with(Arguments::parse_terminated).into_iter().flatten() {
            Visit::visit_expr(self, &argument);
        }
    }
}

/// The circles of a graph: the largest sets of modules in which each reaches each.
fn circles(imports: &Imports) -> Vec<BTreeSet<Module>> {
    let reached = |from: &Module| {
        let (mut found, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(module) = next.pop() {
            next.extend(imports.get(module).into_iter().flatten().filter(|to| found.insert((*to).clone())));
        }
        found
    };
    let reach: BTreeMap<&Module, BTreeSet<Module>> = imports.keys().map(|module| (module, reached(module))).collect();
    let circle = |module: &Module| {
        let around = reach[module].iter().filter(|to| reach.get(to).is_some_and(|back| back.contains(module)));
        around.cloned().collect::<BTreeSet<_>>()
    };
    let all: BTreeSet<_> = imports.keys().map(circle).filter(|circle| circle.len() > 1).collect();
    all.into_iter().collect()
}
