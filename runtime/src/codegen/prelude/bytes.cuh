//@ .
// Bytes of numbers, and bytes as ASCII.
//@ to_be
template <class T> AB_FN T to_be(T x) { return ab::swap_bytes(x); }
//@ to_le
template <class T> AB_FN T to_le(T x) { return x; }
//@ from_be
template <class T> AB_FN T from_be(ab::same<T> x) { return ab::swap_bytes(x); }
//@ from_le
template <class T> AB_FN T from_le(ab::same<T> x) { return x; }
//@ to_le_bytes
template <class T> AB_FN ab::array<u8, sizeof(T)> to_le_bytes(T x) {
    if constexpr (ab::kind<T> == 'f') return to_le_bytes(ab::to_bits(x));
    else {
        ab::array<u8, sizeof(T)> r;
        for (u32 i = 0; i < sizeof(T); i++) r.e[i] = (u8)(x >> 8 * i);
        return r;
    }
}
//@ to_be_bytes
template <class T> AB_FN ab::array<u8, sizeof(T)> to_be_bytes(T x) {
    if constexpr (ab::kind<T> == 'f') return to_be_bytes(ab::to_bits(x));
    else return ab::to_le_bytes(ab::swap_bytes(x));
}
//@ to_ne_bytes
template <class T> AB_FN ab::array<u8, sizeof(T)> to_ne_bytes(T x) { return ab::to_le_bytes(x); }
//@ from_le_bytes
template <class T> AB_FN T from_le_bytes(const ab::array<u8, sizeof(T)>& bytes) {
    ab::uns<T> x = 0;
    for (u32 i = 0; i < sizeof(T); i++) x = (ab::uns<T>)(x | (ab::uns<T>)bytes.e[i] << 8 * i);
    if constexpr (ab::kind<T> == 'f') return ab::from_bits<T>(x);
    else return (T)x;
}
//@ from_be_bytes
template <class T> AB_FN T from_be_bytes(const ab::array<u8, sizeof(T)>& bytes) {
    if constexpr (ab::kind<T> == 'f') return ab::from_bits<T>(from_be_bytes<ab::uns<T>>(bytes));
    else return ab::swap_bytes(ab::from_le_bytes<T>(bytes));
}
//@ from_ne_bytes
template <class T> AB_FN T from_ne_bytes(const ab::array<u8, sizeof(T)>& bytes) { return ab::from_le_bytes<T>(bytes); }
//@ is_ascii
AB_FN bool is_ascii(u8 x) { return x < 128; }
//@ is_ascii_control
AB_FN bool is_ascii_control(u8 x) { return x < 32 || x == 127; }
//@ is_ascii_graphic
AB_FN bool is_ascii_graphic(u8 x) { return x > 32 && x < 127; }
//@ is_ascii_whitespace
AB_FN bool is_ascii_whitespace(u8 x) { return x == ' ' || x == '\t' || x == '\n' || x == '\f' || x == '\r'; }
//@ is_ascii_digit
AB_FN bool is_ascii_digit(u8 x) { return x >= '0' && x <= '9'; }
//@ is_ascii_lowercase
AB_FN bool is_ascii_lowercase(u8 x) { return x >= 'a' && x <= 'z'; }
//@ is_ascii_uppercase
AB_FN bool is_ascii_uppercase(u8 x) { return x >= 'A' && x <= 'Z'; }
//@ is_ascii_alphabetic
AB_FN bool is_ascii_alphabetic(u8 x) { return ab::is_ascii_lowercase(x) || ab::is_ascii_uppercase(x); }
//@ is_ascii_alphanumeric
AB_FN bool is_ascii_alphanumeric(u8 x) { return ab::is_ascii_alphabetic(x) || ab::is_ascii_digit(x); }
//@ is_ascii_punctuation
AB_FN bool is_ascii_punctuation(u8 x) { return ab::is_ascii_graphic(x) && !ab::is_ascii_alphanumeric(x); }
//@ is_ascii_hexdigit
AB_FN bool is_ascii_hexdigit(u8 x) { return ab::is_ascii_digit(x) || (x >= 'a' && x <= 'f') || (x >= 'A' && x <= 'F'); }
//@ to_ascii_lowercase
AB_FN u8 to_ascii_lowercase(u8 x) { return ab::is_ascii_uppercase(x) ? (u8)(x + 32) : x; }
//@ to_ascii_uppercase
AB_FN u8 to_ascii_uppercase(u8 x) { return ab::is_ascii_lowercase(x) ? (u8)(x - 32) : x; }
//@ end
}  // namespace ab
