//! The constant data of a kernel: everything that is known at compile time.

use anabranch_core::facts::wire::encode;
use anabranch_core::ir::code::{LoopDim, LoopHead};
use anabranch_core::ir::wire::encode_loop;
use proc_macro2::{Literal, Span, TokenStream};
use quote::{ToTokens, quote};

use super::{Launcher, library, nested};
use crate::analysis::Analyses;
use crate::analysis::barriers::Step;
use crate::analysis::cost::Cost;
use crate::analysis::lanes::Checks;
use crate::generics::Generics;
use crate::ir::{
    Access, Body, CaptureKind, Check, Collective, CollectiveOp, Dim, ExprKind, Group, Header, Kernel, ParLoop,
    PlanNode, Space,
};
use crate::names::{self, column, extent, file, line, local, shown, stride};

impl Launcher<'_> {
    /// `__kernel()`: everything that is known at compile time.
    pub(super) fn data(&self, kernel: &Kernel) -> TokenStream {
        let private = self.private;
        let Header { krate, name, place, generics, .. } = &kernel.header;
        let Generics { params: generics, clause, turbofish, of_instance, .. } = Generics::of_kernel(krate, generics);
        let (instance, describe) = (nested::instance(name), local("out"));
        let kernel_name = self.kernel_name;
        let loops = self.loops.iter().enumerate().map(|(index, par_loop)| self.loop_data(index, par_loop));
        let count = Literal::usize_unsuffixed(self.loops.len());
        let own = self.loops.len() - self.fused.len();
        let fused = self.fused.iter().zip(own..).map(|(of, index)| {
            let facts = self.analyses.get(index).map(|analyses| &analyses.facts);
            let checks = facts.and_then(|facts| Checks::of_types(&of.par_loop, facts)).unwrap_or_default();
            let (index, infallible) = (Literal::usize_unsuffixed(index), checks.infallible(private));
            let end = of.alike.end + usize::from(of.reduced.is_some());
            let [first, end] = [of.alike.start, end].map(Literal::usize_unsuffixed);
            quote!(#private::data::Fused { index: #index, parts: #first..#end, infallible: #infallible })
        });
        let plan = match kernel.library {
            Some(_) => library::plan(&kernel.header, &kernel.params),
            None => self.plan(&kernel.plan),
        };
        let (file, line) = (file(*place, private), line(*place));
        quote! {
            fn __kernel() -> &'static #private::data::Kernel {
                static LOOPS: [#private::data::Loop; #count] = [#(#loops),*];
                static KERNEL: #private::data::Kernel = #private::data::Kernel {
                    number: #private::data::Number::new(),
                    name: #kernel_name,
                    module: #private::rust::module_path!(),
                    file: #file,
                    line: #line,
                    loops: &LOOPS,
                    fused: &[#(#fused),*],
                    plan: #plan,
                };
                &KERNEL
            }
            fn __instance #generics() -> #private::data::Instance #clause {
                #private::data::Instance {
                    kernel: Self::__kernel(),
                    id: || #private::rust::TypeId::of::<#instance #of_instance>(),
                    describe: |#describe| {
                        let _ = #name::host_part #turbofish(#private::launch::Call::Describe(#describe));
                    },
                }
            }
        }
    }

    fn loop_data(&self, index: usize, par_loop: &ParLoop) -> TokenStream {
        let private = self.private;
        let ParLoop { span, header, group, dims, block, shape, body, label: _, counters: _ } = par_loop;
        let Some(analyses) = self.analyses.get(index) else { return TokenStream::new() };
        let blocks = blocks(par_loop, &analyses.steps, private);
        let name = self.loop_name(index, group.as_deref());
        let group = match group {
            Some(label) => quote!(#private::rust::Some(#label)),
            None => quote!(#private::rust::None),
        };
        let captures = body.captures.iter().map(|capture| {
            let name = match capture.kind {
                CaptureKind::Extent(of, dim) => extent(&body[of].name, dim),
                CaptureKind::Stride(of, dim) => stride(&body[of].name, dim),
                CaptureKind::View(..) | CaptureKind::Value => shown(&capture.name),
            };
            let kind = match capture.kind {
                CaptureKind::Value
                | CaptureKind::Extent(..)
                | CaptureKind::Stride(..)
                | CaptureKind::View(_, Access::Shape) => quote!(Value),
                CaptureKind::View(_, Access::Read) => quote!(Read),
                CaptureKind::View(_, Access::Atomic) => quote!(Atomic),
                CaptureKind::View(_, Access::Write) => quote!(Write),
            };
            quote!(#private::data::Capture { name: #name, kind: #private::data::CaptureKind::#kind })
        });
        let (sites, code) = (sites(body, private), Literal::byte_string(&code(par_loop, analyses)));
        let (differs, begins) = (analyses.info.differs(body), head(par_loop).begins());
        let told = Literal::byte_string(&encode(&analyses.facts.told));
        let Cost { operations, unbounded } = analyses.cost;
        let (line, column) = (line(*span), column(*span));
        let ranges = dims.iter().map(|dim| {
            let (variable, text) = (shown(&body[dim.var].name), &dim.text);
            let variable = if shape.is_some() { String::new() } else { variable };
            quote!(#private::data::LoopRange { variable: #variable, text: #text })
        });
        let dims = Literal::usize_unsuffixed(dims.len());
        let lanes = match &analyses.lanes {
            Ok(all) => {
                let conditions = all.values().map(|lanes| lanes.conditions(body, private));
                quote!(#private::rust::Ok(&[#(#conditions),*]))
            }
            Err(why) => quote!(#private::rust::Err(#why)),
        };
        quote! {
            #private::data::Loop {
                name: #name,
                header: #header,
                group: #group,
                line: #line,
                column: #column,
                block: #block,
                blocks: #blocks,
                dims: #dims,
                ranges: &[#(#ranges),*],
                captures: &[#(#captures),*],
                sites: #sites,
                code: #code,
                differs: #differs,
                begins: #begins,
                cost: #private::data::Cost::new(#operations, #unbounded),
                lanes: #lanes,
                judge: #private::data::Judge::new(#told),
            }
        }
    }

    /// Readable in profilers: the kernel, the place of the loop in it, the group.
    fn loop_name(&self, index: usize, group: Option<&str>) -> String {
        let group = group.map(|g| format!("_{g}")).unwrap_or_default();
        anabranch_core::names::identifier(&format!("{}_{index}{group}", self.kernel_name))
    }

    /// The label of a group, as constant data.
    pub(super) fn label(&self, group: &Group) -> TokenStream {
        let private = self.private;
        match &group.label {
            Some(label) => quote!(#private::rust::Some(#label)),
            None => quote!(#private::rust::None),
        }
    }

    fn plan(&self, nodes: &[PlanNode]) -> TokenStream {
        let private = self.private;
        let nodes = nodes.iter().map(|node| match node {
            PlanNode::Loop(index) => {
                let index = Literal::usize_unsuffixed(*index);
                quote!(Loop(#index))
            }
            PlanNode::Fork(index, plans) => {
                let Some(fork) = self.forks.get(*index) else { return quote!(Loop(0)) };
                let line_of_fork = line(fork.span);
                let groups = fork.groups.iter().zip(plans).map(|(group, plan)| {
                    let (label, line, nodes) = (self.label(group), line(group.span), self.plan(plan));
                    quote!(#private::data::PlanGroup { label: #label, line: #line, nodes: #nodes })
                });
                quote!(Parallel { line: #line_of_fork, groups: &[#(#groups),*] })
            }
            PlanNode::Call(index) => {
                let Some(call) = self.calls.get(*index) else { return quote!(Loop(0)) };
                let (index, line, what) = (Literal::usize_unsuffixed(*index), line(call.span), &call.what);
                quote!(Call { index: #index, what: #what, line: #line })
            }
            PlanNode::Host { what, span, nodes } => {
                let (line, nodes) = (line(*span), self.plan(nodes));
                quote!(Host { what: #what, line: #line, nodes: #nodes })
            }
        });
        quote!(&[#(#private::data::PlanNode::#nodes),*])
    }
}

/// `Option<Blocks>`: of a loop over blocks.
fn blocks(par_loop: &ParLoop, steps: &[Step], private: &TokenStream) -> TokenStream {
    if par_loop.shape.is_none() {
        return quote!(#private::rust::None);
    }
    let body = &par_loop.body;
    let shared = body.locals.iter().filter(|local| local.space == Space::Shared).map(|local| {
        let (name, slot) = (shown(&local.name), local.slot.number());
        quote!((#name, #slot))
    });
    let mut told = Vec::new();
    body.block.any(&mut |expr| {
        if let ExprKind::Collective(Collective { op: CollectiveOp::Broadcast, slot, .. }) = &expr.kind {
            told.push(slot.number());
        }
        false
    });
    let steps = steps.iter().map(|Step { span, phase, behind }| {
        let line = line(*span);
        quote!(#private::data::Step { line: #line, phase: #phase, behind: &[#(#behind),*] })
    });
    quote! {
        #private::rust::Some(#private::data::Blocks { shared: &[#(#shared),*], told: &[#(#told),*], steps: &[#(#steps),*] })
    }
}

/// The code of a loop as bytes, of which the runtime makes C++.
pub(crate) fn code(par_loop: &ParLoop, analyses: &Analyses<'_>) -> Vec<u8> {
    encode_loop(&head(par_loop), &par_loop.body, &analyses.info)
}

fn head(par_loop: &ParLoop) -> LoopHead<Span> {
    let dims = par_loop.dims.iter().map(|dim| {
        let first = Dim::literal(&dim.start).and_then(|first| i32::try_from(first).ok());
        LoopDim { var: dim.var, first: first.map(i32::cast_unsigned), stepped: dim.step.is_some() }
    });
    LoopHead {
        span: par_loop.span,
        dims: dims.collect(),
        block: par_loop.block,
        over_blocks: par_loop.shape.is_some(),
        can_fail: par_loop.body.can_fail(),
    }
}

/// The places of a body that can fail, as constant data.
pub(crate) fn sites(body: &Body, private: &TokenStream) -> TokenStream {
    let sites = body.sites.iter().map(|site| {
        let (file, line, column) = (names::file_name(site.span), line(site.span), column(site.span));
        let check = match &site.check {
            Check::Message(message) => quote!(Message(#message)),
            Check::Formatted(slot) => {
                let slot = Literal::u32_unsuffixed(*slot);
                quote!(Formatted(#slot))
            }
            Check::Dimension(dimension) => {
                let dimension = Literal::u32_unsuffixed(*dimension);
                quote!(Dimension(#dimension))
            }
            check => names::variant(check.variant()).into_token_stream(),
        };
        quote!(#private::data::Site { file: #file, line: #line, column: #column, check: #private::data::Check::#check })
    });
    quote!(&[#(#sites),*])
}
