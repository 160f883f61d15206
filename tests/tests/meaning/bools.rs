//! What `bool` has.

macro_rules! bool_rows {
    () => {
        operations! { bools [] (x: bool, y: bool, z: bool) -> bool {
            and: x & y,
            or: x | y,
            xor: x ^ y,
            not: !x,
            and_assign: { let mut t = x; t &= y; t },
            or_assign: { let mut t = (x, y); t.0 |= y; t.0 },
            xor_assign: { let mut t = [x, y]; t[0] ^= y; t[0] },
            lazy_and: x && y,
            lazy_or: x || y,
            eq: x == y,
            ne: x != y,
            lt: x < y,
            le: x <= y,
            gt: x > y,
            ge: x >= y,
            min: x.min(y),
            max: x.max(y),
            max_path: bool::max(x, y),
            clamp: x.clamp(y, z),
            chosen: if x { y } else { z },
            matched: match (x, y) { (true, _) => z, (false, t) => !t },
            tuple_lt: (x, y) < (y, z),
            tuple_ge: (x, y, z) >= (z, y, x),
            array_eq: [x, y] == [y, z],
            array_gt: [x, y, z] > [z, x, y],
        } }
    };
}
