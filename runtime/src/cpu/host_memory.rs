//! How much memory the machine has.

/// Free and total bytes; `usize::MAX` where the system does not say, which is only known of Linux.
pub(crate) fn info() -> (usize, usize) {
    let said = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| parse(&text));
    said.unwrap_or((usize::MAX, usize::MAX))
}

/// The lines `MemTotal: 16316412 kB` and `MemAvailable: …`: what programs can get without swapping,
/// caches included.
fn parse(text: &str) -> Option<(usize, usize)> {
    let bytes = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        line.trim().strip_suffix(" kB")?.parse::<usize>().ok()?.checked_mul(1024)
    };
    let total = bytes("MemTotal")?;
    Some((bytes("MemAvailable")?.min(total), total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_linux() {
        let text =
            "MemTotal:       16316412 kB\nMemFree:         1000 kB\nMemAvailable:    9000000 kB\nHugePages_Total: 0\n";
        assert_eq!(parse(text), Some((9_000_000 << 10, 16_316_412 << 10)));
        assert_eq!(parse("MemTotal: 1 kB\nMemFree: 1 kB\n"), None);
        assert_eq!(parse("MemTotal: 1 kB\nMemAvailable: 99999999999999999999999 kB\n"), None);
        let (free, total) = info();
        assert!(free <= total && total > 1 << 20, "{free} of {total}");
    }
}
