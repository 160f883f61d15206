//! The layers of the crates, as ARCHITECTURE.md lists them: a module imports only from layers below its own, or from its own without a circle.
//! Inside a module, no circle of imports has more than three files. What a file imports from the files of its own folder, as `gpu/mod.rs` does
//! from `gpu/pool.rs`, does not count: they are its parts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::read_to_string;
use std::path::Path;

use syn::visit::{self, Visit};

/// The most files of a circle.
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
        let mut between: Imports = BTreeMap::new();
        for (from, to) in imports.iter().flat_map(|(from, all)| all.iter().map(move |to| (from, to))) {
            // The root of the crate declares everything.
            let (Some(above), Some(below)) = (from.first(), to.first()) else { continue };
            if above == below {
                continue;
            }
            between.entry(vec![above.clone()]).or_default().insert(vec![below.clone()]);
            match (layers.get(above), layers.get(below)) {
                (Some(layer), Some(lower)) if layer >= lower => {}
                (Some(_), Some(_)) => {
                    wrong.push(format!("{folder}: `{}` imports upward, from `{below}`", from.join("::")))
                }
                (known, _) => {
                    let missing = if known.is_none() { above } else { below };
                    wrong.push(format!("ARCHITECTURE.md has no layer for `{missing}` of {folder}"));
                }
            }
        }
        wrong.extend(
            circles(&between).into_iter().map(|circle| format!("{folder}: a circle of modules: {}", list(&circle))),
        );
        for module in imports.keys().filter_map(|module| module.first()).collect::<BTreeSet<_>>() {
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

/// The layer of each module by the table below a title, whose first column has the names: 0 for the highest.
fn layers(document: &str, title: &str) -> BTreeMap<String, usize> {
    let (_, section) = document.split_once(title).unwrap_or_else(|| panic!("{title:?} is not in ARCHITECTURE.md"));
    let rows = section.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let names = rows.skip(2).enumerate().flat_map(|(layer, row)| {
        let cell = row.trim_start_matches('|').split('|').next().unwrap_or_default();
        cell.split('`').skip(1).step_by(2).map(move |name| (name.to_owned(), usize::MAX - layer))
    });
    names.collect()
}

/// What each module of a crate imports from others, without tests.
fn imports(root: &Path) -> Imports {
    let mut all = BTreeMap::new();
    collect(root, Vec::new(), &mut all);
    let targets = |(module, paths): (&Module, &Paths)| {
        let named = paths.named.iter().filter_map(|path| resolve(&all, path, 0));
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
    let mut paths =
        Paths { module: module.clone(), children: Vec::new(), named: Vec::new(), exported: BTreeMap::new() };
    paths.visit_file(&file);
    for child in std::mem::take(&mut paths.children) {
        collect(root, module.iter().cloned().chain([child]).collect(), all);
    }
    all.insert(module, paths);
}

/// The module that defines what a path names, which its parents may have exported. `None`: it is of another crate.
fn resolve(all: &BTreeMap<Module, Paths>, path: &[String], depth: usize) -> Option<Module> {
    let length = (0..=path.len()).rev().find(|length| all.contains_key(&path[..*length]))?;
    let module = &path[..length];
    let exported = path.get(length).and_then(|name| all[module].exported.get(name));
    let origin = exported.filter(|_| depth < 8).and_then(|origin| resolve(all, origin, depth + 1));
    Some(origin.unwrap_or_else(|| module.to_vec()))
}

/// The paths of a file that begin in its crate, from the root.
struct Paths {
    module: Module,
    /// The modules that it declares, in files of their own.
    children: Vec<String>,
    named: Vec<Vec<String>>,
    /// What the module exports from others, by its name.
    exported: BTreeMap<String, Vec<String>>,
}

impl Paths {
    /// A path from the root, if it is written from the crate, or from the module or one around it.
    fn absolute(&self, path: &[String]) -> Option<Vec<String>> {
        let mut from = match path.first()?.as_str() {
            "crate" | "$crate" => Vec::new(),
            "self" | "super" => self.module.clone(),
            _ => return None,
        };
        for part in path {
            match part.as_str() {
                "crate" | "$crate" | "self" => {}
                "super" => drop(from.pop()),
                part => from.push(part.to_owned()),
            }
        }
        Some(from)
    }

    fn import(&mut self, tree: &syn::UseTree, prefix: &[String], public: bool) {
        let with = |name: &syn::Ident| prefix.iter().cloned().chain([name.to_string()]).collect::<Vec<_>>();
        let (path, name) = match tree {
            syn::UseTree::Path(path) => return self.import(&path.tree, &with(&path.ident), public),
            syn::UseTree::Group(group) => return group.items.iter().for_each(|tree| self.import(tree, prefix, public)),
            syn::UseTree::Name(name) => (with(&name.ident), name.ident.to_string()),
            syn::UseTree::Rename(renamed) => (with(&renamed.ident), renamed.rename.to_string()),
            syn::UseTree::Glob(_) => (prefix.to_vec(), String::new()),
        };
        // `pub use child::Item` in the parent.
        let written = self.absolute(&path).or_else(|| Some(self.module.iter().chain(&path).cloned().collect()));
        match written {
            Some(path) if public => drop(self.exported.insert(name, path)),
            Some(path) => self.named.push(path),
            None => {}
        }
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attrs = match item {
            syn::Item::Mod(item) => &item.attrs,
            syn::Item::Use(item) => &item.attrs,
            syn::Item::Fn(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            _ => return visit::visit_item(self, item),
        };
        let is_test = |attr: &syn::Attribute| matches!(&attr.meta, syn::Meta::List(list) if list.path.is_ident("cfg") && list.tokens.to_string() == "test");
        if !attrs.iter().any(is_test) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if item.content.is_none() {
            self.children.push(item.ident.to_string());
        }
        visit::visit_item_mod(self, item);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let public = !matches!(item.vis, syn::Visibility::Inherited);
        self.import(&item.tree, &[], public);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let written: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let child =
            || Some(self.module.iter().chain(&written).cloned().collect::<Vec<_>>()).filter(|_| written.len() > 1);
        self.named.extend(self.absolute(&written).or_else(child));
        visit::visit_path(self, path);
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
