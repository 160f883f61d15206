//! How deep expressions may be nested. rustc ends without a word where its stack is full, and so
//! would we.

use syn::spanned::Spanned;
use syn::visit::{Visit, visit_expr};

use crate::report::{Code, Report, error};

/// Every walk over a body holds so many levels many times over, also in a build without
/// optimizations.
const MOST_LEVELS: usize = 256;

/// Reports the first expression that is nested deeper. Nothing else may walk over such a body.
pub(crate) fn check(block: &syn::Block, report: &mut Report) {
    let mut walk = DepthWalk { level: 0, too_deep: None };
    walk.visit_block(block);
    if let Some(span) = walk.too_deep {
        report.at(
            span,
            error(Code::Unsupported, format!("this expression is nested in more than {MOST_LEVELS} others"))
                .help("name parts of it with `let`")
                .help("use a loop"),
        );
    }
}

struct DepthWalk {
    level: usize,
    too_deep: Option<proc_macro2::Span>,
}

impl<'ast> Visit<'ast> for DepthWalk {
    fn visit_expr(&mut self, expr: &'ast syn::Expr) {
        if self.level == MOST_LEVELS {
            self.too_deep.get_or_insert_with(|| expr.span());
            return;
        }
        self.level += 1;
        visit_expr(self, expr);
        self.level -= 1;
    }
}
