//! Plans as drawings.

use super::step;

/// The lines of a drawing that contain a text, without their indents.
fn lines<'t>(text: &'t str, with: &str) -> Vec<&'t str> {
    text.lines().map(str::trim).filter(|line| line.contains(with)).collect()
}

#[test]
fn a_plan_is_a_graph() {
    let dot = step::plan().to_dot();
    // Groups without an order between them, a call in a nested group, the join, and what comes
    // after it.
    assert_eq!(lines(&dot, "->"), ["n1 -> n2", "n0 -> n3", "n2 -> n3", "n3 -> n4"], "{dot}");
    let frames = [
        r#"subgraph cluster_1 { label="'motion""#,
        r#"subgraph cluster_2 { label="'heat""#,
        r#"subgraph cluster_3 { label="group 1""#,
        r#"subgraph cluster_4 { label="smooth(&mut heat, &vel)""#,
    ];
    assert_eq!(lines(&dot, "subgraph"), frames, "{dot}");
    assert_eq!(dot.matches('{').count(), dot.matches('}').count());
    let [first, ..] = lines(&dot, "n0 [")[..] else { panic!("{dot}") };
    let begin = r#"n0 [label="step.par#1\nfor i in par(0..pos.len())\nreads vel  writes pos\nline "#;
    assert!(first.starts_with(begin), "{first}");
}

#[test]
fn a_plan_is_a_flowchart() {
    let text = step::plan().to_mermaid();
    assert!(text.starts_with("---\ntitle: kernel step\n---\nflowchart TD\n"), "{text}");
    assert_eq!(lines(&text, "-->"), ["n1 --> n2", "n0 --> n3", "n2 --> n3", "n3 --> n4"], "{text}");
    let frames = [
        r#"subgraph g1["'motion"]"#,
        r#"subgraph g2["'heat"]"#,
        r#"subgraph g3["group 1"]"#,
        r#"subgraph g4["smooth(#38;mut heat, #38;vel)"]"#,
    ];
    assert_eq!(lines(&text, "subgraph"), frames, "{text}");
    assert_eq!(lines(&text, "end").iter().filter(|line| **line == "end").count(), frames.len());
}
