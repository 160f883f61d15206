//! The files of a trace: Chrome's JSON format, and the picture.

use std::collections::HashMap;

use anabranch::trace::Trace;
use serde_json::Value;

/// Nanoseconds.
fn nanos(value: &Value) -> i64 {
    (value.as_f64().expect("a number") * 1000.0).round() as i64
}

pub(super) fn check(trace: &Trace) {
    perfetto(trace);
    picture(&trace.to_svg());
}

/// What Perfetto asks of a file: slices of a thread are properly nested, and an arrow has two ends
/// inside of slices.
fn perfetto(trace: &Trace) {
    let text = trace.to_perfetto();
    let json: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"));
    let events = json["traceEvents"].as_array().expect("a list of events");
    let mut slices: HashMap<(i64, i64), Vec<(i64, i64)>> = HashMap::new();
    let mut arrows: HashMap<i64, Vec<&Value>> = HashMap::new();
    let thread = |event: &Value| (event["pid"].as_i64().unwrap(), event["tid"].as_i64().unwrap());
    for event in events {
        assert!(event["name"].is_string(), "{event}");
        match event["ph"].as_str().expect("a phase") {
            "X" => {
                let (start, length) = (nanos(&event["ts"]), nanos(&event["dur"]));
                assert!(start >= 0 && length >= 0 && event["args"].is_object());
                slices.entry(thread(event)).or_default().push((start, start + length));
            }
            "s" | "f" => arrows.entry(event["id"].as_i64().unwrap()).or_default().push(event),
            "M" => assert!(event["args"].is_object()),
            other => panic!("a phase {other}"),
        }
    }
    assert_eq!(slices.values().map(Vec::len).sum::<usize>(), trace.spans().len());
    for slices in slices.values_mut() {
        slices.sort_by_key(|&(start, end)| (start, -end));
        let mut open: Vec<i64> = Vec::new();
        for &(start, end) in slices.iter() {
            open.retain(|&outer| outer > start);
            assert!(open.last().is_none_or(|&outer| end <= outer), "slices are nested");
            open.push(end);
        }
    }
    assert_eq!(arrows.len(), trace.waits().len());
    for ends in arrows.values() {
        let [from, to] = ends[..] else { panic!("two ends: {ends:?}") };
        assert_eq!((from["ph"].as_str(), to["ph"].as_str(), to["bp"].as_str()), (Some("s"), Some("f"), Some("e")));
        assert_eq!((&from["name"], &from["cat"]), (&to["name"], &to["cat"]));
        for end in [from, to] {
            let at = nanos(&end["ts"]);
            let inside = slices[&thread(end)].iter().any(|&(start, end)| start <= at && at <= end);
            assert!(inside, "{end} is in no slice");
        }
    }
}

/// Tags are closed in order, and nothing is drawn outside of the picture.
fn picture(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    for tag in svg.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').expect("the end of a tag");
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "{svg}"),
            None if tag.ends_with('/') => {}
            None => open.push(tag.split(' ').next().unwrap()),
        }
        assert!(!tag.contains("NaN") && !tag.contains("inf"), "{tag}");
        for number in tag.split(" x=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert!((0.0..=960.0).contains(&number.parse::<f64>().unwrap()), "{tag}");
        }
    }
    assert!(open.is_empty(), "{open:?}");
    assert!(svg.len() < 400_000, "{} bytes", svg.len());
}
