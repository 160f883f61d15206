//! What is in a cubin: for each kernel its instructions, those of its innermost loops, registers,
//! shared memory, barriers.
//!
//! Only as much of the format as that takes, for `sm_90`: an ELF file, in which an instruction has
//! 16 bytes, and the lowest 12 bits say which it is.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The machine code of a kernel.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct MachineCode {
    /// All instructions, without padding.
    pub all: usize,
    /// Those of each innermost loop, in the order of the code.
    pub loops: Vec<usize>,
    /// Registers of a thread.
    pub registers: usize,
    /// Bytes of shared memory of a block.
    pub shared: usize,
    /// Barriers of a block.
    pub barriers: usize,
}

impl fmt::Display for MachineCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { all, loops, registers, shared, barriers } = self;
        write!(f, "{all} instructions, loops {loops:?}, {registers} registers, {shared} bytes, {barriers} barriers")
    }
}

const NOP: u64 = 0x918;
const BRANCH: u64 = 0x947;
const BARRIER: u64 = 0xb1d;

/// What CUDA keeps for itself in the shared memory of each block.
const RESERVED: usize = 1024;

/// The kernels of a cubin for `sm_90`, by their names.
pub(crate) fn kernels(cubin: &[u8]) -> BTreeMap<String, MachineCode> {
    let sections = sections(cubin);
    let mut kernels = BTreeMap::new();
    for section in &sections {
        let Some(name) = section.name.strip_prefix(".text.") else { continue };
        let words: Vec<u64> = section.data.chunks_exact(16).map(|instruction| number(instruction, 0, 8)).collect();
        let of = |kind: &str| sections.iter().find(|section| section.name == format!("{kind}.{name}"));
        let code = MachineCode {
            all: count(&words),
            loops: innermost(&words).into_iter().map(|(first, last)| count(&words[first..=last])).collect(),
            registers: registers(&sections, name),
            shared: of(".nv.shared").map_or(0, |section| section.size.saturating_sub(RESERVED)),
            barriers: words.iter().filter(|word| *word & 0xfff == BARRIER).count(),
        };
        kernels.insert(name.to_owned(), code);
    }
    kernels
}

/// The instructions of each kernel and function, as bytes.
pub(crate) fn instructions(cubin: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let code = sections(cubin).into_iter().filter(|section| section.name.starts_with(".text."));
    code.map(|section| (section.name.to_owned(), section.data.to_vec())).collect()
}

/// The bytes of the section with this name.
pub(crate) fn section<'a>(cubin: &'a [u8], name: &str) -> Option<&'a [u8]> {
    sections(cubin).into_iter().find(|section| section.name == name).map(|section| section.data)
}

/// The files and lines in the tables of `.debug_line`, which is DWARF up to version 4.
pub(crate) fn lines(mut tables: &[u8]) -> BTreeSet<(String, u64)> {
    let mut found = BTreeSet::new();
    while !tables.is_empty() {
        let (table, rest) = tables.split_at(4 + number(tables, 0, 4) as usize);
        lines_of(table, &mut found);
        tables = rest;
    }
    found
}

fn lines_of(table: &[u8], found: &mut BTreeSet<(String, u64)>) {
    let version = number(table, 4, 2);
    assert!((2..=4).contains(&version), "DWARF {version}");
    let (program, header) = (10 + number(table, 6, 4) as usize, if version == 4 { 12 } else { 11 });
    let (base, range, first) = (i64::from(table[header + 1] as i8), i64::from(table[header + 2]), table[header + 3]);
    let operands = &table[header + 4..][..usize::from(first) - 1];
    let mut rest = &table[header + 4 + operands.len()..program];
    let mut folders = vec![String::new()];
    while let Some(folder) = string(&mut rest) {
        folders.push(folder);
    }
    let mut files = vec![String::new()];
    while let Some(file) = string(&mut rest) {
        let folder = &folders[unsigned(&mut rest) as usize];
        // Its time and its size.
        unsigned(&mut rest);
        unsigned(&mut rest);
        files.push(format!("{folder}/{file}"));
    }
    let (mut file, mut line) = (1, 1);
    let mut rest = &table[program..];
    while let Some(&opcode) = rest.split_off_first() {
        match opcode {
            // What has a length: 1 ends a sequence.
            0 => {
                let length = unsigned(&mut rest) as usize;
                if rest[0] == 1 {
                    (file, line) = (1, 1);
                }
                rest = &rest[length..];
            }
            1 => {
                found.insert((files[file].clone(), line as u64));
            }
            3 => line += signed(&mut rest),
            4 => file = unsigned(&mut rest) as usize,
            9 => rest = &rest[2..],
            opcode if opcode < first => {
                for _ in 0..operands[usize::from(opcode) - 1] {
                    unsigned(&mut rest);
                }
            }
            opcode => {
                line += base + i64::from(opcode - first) % range;
                found.insert((files[file].clone(), line as u64));
            }
        }
    }
}

/// A text at the begin of some bytes, unless it is empty, as behind the last one.
fn string(bytes: &mut &[u8]) -> Option<String> {
    let text = text(bytes, 0);
    *bytes = &bytes[text.len() + 1..];
    (!text.is_empty()).then(|| text.to_owned())
}

fn unsigned(bytes: &mut &[u8]) -> u64 {
    leb128(bytes).0
}

fn signed(bytes: &mut &[u8]) -> i64 {
    let (number, bits) = leb128(bytes);
    let unused = 64 - bits.min(64);
    (number << unused) as i64 >> unused
}

/// A number in groups of seven bits, the lowest ones first, and the number of its bits.
fn leb128(bytes: &mut &[u8]) -> (u64, u32) {
    let (mut number, mut bits) = (0, 0);
    while let Some(byte) = bytes.split_off_first() {
        number |= u64::from(byte & 0x7f) << bits;
        bits += 7;
        if byte & 0x80 == 0 {
            break;
        }
    }
    (number, bits)
}

/// Without padding, and without the jump to itself behind the last exit.
fn count(words: &[u64]) -> usize {
    let is_padding = |(at, word): (usize, &u64)| match word & 0xfff {
        NOP => true,
        BRANCH => target(at, *word) == at as i64,
        _ => false,
    };
    words.iter().enumerate().filter(|instruction| !is_padding(*instruction)).count()
}

/// The instruction that a branch jumps to.
fn target(at: usize, word: u64) -> i64 {
    // In units of four bytes, from the next instruction on.
    let low = (word >> 16 & 0xff) as i64;
    let high = word as i64 >> 34;
    at as i64 + 1 + ((high << 8) | low) / 4
}

/// From its first to its last instruction, each loop that has no other in it.
fn innermost(words: &[u64]) -> Vec<(usize, usize)> {
    let branches = words.iter().enumerate().filter(|(_, word)| *word & 0xfff == BRANCH);
    let mut loops: Vec<(usize, usize)> = branches
        .filter_map(|(at, word)| Some((usize::try_from(target(at, *word)).ok()?, at)))
        .filter(|(first, last)| first < last)
        .collect();
    loops.sort_unstable();
    let contains = |a: &(usize, usize), b: &(usize, usize)| a != b && a.0 <= b.0 && b.1 <= a.1;
    loops.iter().filter(|outer| !loops.iter().any(|inner| contains(outer, inner))).copied().collect()
}

/// The number of registers is an attribute of the kernel's symbol.
fn registers(sections: &[Section<'_>], name: &str) -> usize {
    const OF_REGISTERS: u64 = 0x2f04;
    let section = |name: &str| sections.iter().find(|section| section.name == name);
    let (Some(info), Some(symbols), Some(names)) = (section(".nv.info"), section(".symtab"), section(".strtab")) else {
        return 0;
    };
    let mut rest = info.data;
    while rest.len() >= 4 {
        // Only the format 4 has data behind its head, whose size is there.
        let head = number(rest, 0, 2);
        let size = if head & 0xff == 4 { number(rest, 2, 2) as usize } else { 0 };
        if head == OF_REGISTERS {
            let symbol = number(rest, 4, 4) as usize;
            if text(names.data, number(symbols.data, 24 * symbol, 4) as usize) == name {
                return number(rest, 8, 4) as usize;
            }
        }
        rest = &rest[4 + size..];
    }
    0
}

struct Section<'a> {
    name: &'a str,
    data: &'a [u8],
    size: usize,
}

fn sections(file: &[u8]) -> Vec<Section<'_>> {
    let (headers, count, names) = (number(file, 0x28, 8), number(file, 0x3c, 2), number(file, 0x3e, 2));
    let header = |at: u64| &file[(headers + 64 * at) as usize..];
    let names = &file[number(header(names), 24, 8) as usize..];
    let section = |at: u64| {
        let header = header(at);
        let (kind, offset, size) = (number(header, 4, 4), number(header, 24, 8), number(header, 32, 8));
        // Of memory that is only reserved, nothing is in the file.
        const RESERVES: u64 = 8;
        let data = if kind == RESERVES { &[] } else { &file[offset as usize..][..size as usize] };
        Section { name: text(names, number(header, 0, 4) as usize), data, size: size as usize }
    };
    (0..count).map(section).collect()
}

/// A number of some bytes, the lowest one first.
fn number(bytes: &[u8], at: usize, size: usize) -> u64 {
    bytes[at..at + size].iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// A text that a zero ends.
fn text(bytes: &[u8], at: usize) -> &str {
    let bytes = &bytes[at..];
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    std::str::from_utf8(&bytes[..end]).unwrap_or_default()
}
