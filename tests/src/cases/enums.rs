//! Enums in buffers, as values, and in patterns.

use anabranch::prelude::*;

use crate::kernels::enums::{self as k, Cell, Charged, Far, Figure, Sign, plain};

pub fn enums_in_buffers(device: &Device, stream: &Stream) {
    let mut xs: Vec<Cell> = (0..100).map(|i| [Cell::Empty, Cell::Fluid, Cell::Wall, Cell::Empty][i % 4]).collect();
    let mut ys = vec![0; 100];
    let (mut x, mut y) = (device.buffer_from(&xs).unwrap(), device.zeros(100).unwrap());
    k::cells(stream, &mut x, &mut y).unwrap();
    plain::cells(&mut xs, &mut ys);
    assert_eq!((x.to_vec().unwrap(), y.to_vec().unwrap()), (xs, ys));
    assert_eq!(device.zeros::<Cell>(2).unwrap().to_vec().unwrap(), [Cell::Empty; 2]);
    assert_eq!(device.filled(3, Sign::Minus).unwrap().to_vec().unwrap(), [Sign::Minus; 3]);

    let charged = |i: usize| Charged {
        sign: if i.is_multiple_of(2) { Sign::Minus } else { Sign::Plus },
        cell: k::CYCLE[i % 4],
        around: [k::CYCLE[i % 2], Cell::Wall, k::CYCLE[(i + 1) % 4]],
    };
    for far in [Far::Near, Far::Away] {
        let mut xs: Vec<Charged> = (0..100).map(charged).collect();
        let mut ys = vec![0; 100];
        let (mut x, mut y) = (device.buffer_from(&xs).unwrap(), device.zeros(100).unwrap());
        k::charges(stream, &mut x, &mut y, far).unwrap();
        plain::charges(&mut xs, &mut ys, far);
        assert_eq!((x.to_vec().unwrap(), y.to_vec().unwrap()), (xs, ys));
    }
    assert_eq!(device.filled(3, charged(1)).unwrap().to_vec().unwrap(), [charged(1); 3]);
}

pub fn enums_with_fields(device: &Device, stream: &Stream) {
    let charged = Charged { sign: Sign::Plus, cell: Cell::Wall, around: [Cell::Wall; 3] };
    let extras = [
        Figure::Empty,
        Figure::Disc(3),
        Figure::Rect { w: 4, float: 8 },
        Figure::Charged(charged, None),
        Figure::Charged(Charged { cell: Cell::Empty, ..charged }, Some(Far::Near)),
        Figure::Never(1 << 100),
    ];
    for extra in extras {
        let (mut ys, mut y) = (vec![0; 100], device.zeros(100).unwrap());
        k::figures(stream, &mut y, extra).unwrap();
        plain::figures(&mut ys, extra);
        assert_eq!(y.to_vec().unwrap(), ys, "{extra:?}");
    }
}

pub fn options_and_results(device: &Device, stream: &Stream) {
    let xs: Vec<u32> = (0..200).map(|i| i * i % 333).collect();
    let x = device.buffer_from(&xs).unwrap();
    for limit in [None, Some(0), Some(100)] {
        let (mut ys, mut y) = (vec![0; 200], device.zeros(200).unwrap());
        k::options(stream, &x, &mut y, limit).unwrap();
        plain::options(&xs, &mut ys, limit);
        assert_eq!(y.to_vec().unwrap(), ys, "{limit:?}");
    }
    let (mut ys, mut y) = (vec![0; 200], device.zeros(200).unwrap());
    k::results(stream, &x, &mut y).unwrap();
    plain::results(&xs, &mut ys);
    assert_eq!(y.to_vec().unwrap(), ys);
}

pub fn variants_by_other_names_and_in_rusts_order(device: &Device, stream: &Stream) {
    let (mut ys, mut y) = (vec![0; 100], device.zeros(100).unwrap());
    k::names(stream, &mut y).unwrap();
    plain::names(&mut ys);
    assert_eq!(y.to_vec().unwrap(), ys);
    k::orders(stream, &mut y).unwrap();
    plain::orders(&mut ys);
    assert_eq!(y.to_vec().unwrap(), ys);
}
