//! C++ names of device functions and structs. Each kind has its own namespace, and the emitter
//! always writes the qualified name. So neither CUDA's functions (`max`, `sinf`) nor local
//! variables of the same name can hide them.

/// The names in use so far.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: Vec<String>,
}

impl Names {
    /// Names that differ from some others.
    pub(super) fn beside(taken: &[&str]) -> Self {
        Self { taken: taken.iter().map(|&name| name.to_owned()).collect() }
    }

    /// The name, if it is free. The macro has made it an identifier. Otherwise the name with the
    /// module appended, otherwise with a number.
    pub(super) fn claim(&mut self, c_name: &str, module: &str) -> String {
        self.claim_other_than(&[], c_name, module)
    }

    /// The same of a class: constants in it cannot have its name.
    pub(super) fn claim_other_than(&mut self, inside: &[&str], c_name: &str, module: &str) -> String {
        let numbered = (2u32..).map(|n| format!("{c_name}_{n}"));
        let mut candidates = [c_name.to_owned(), within(c_name, module)].into_iter().chain(numbered);
        let free = candidates
            .find(|candidate| !self.taken.contains(candidate) && !inside.contains(&candidate.as_str()))
            .unwrap_or_else(|| c_name.to_owned());
        self.taken.push(free.clone());
        free
    }
}

/// `wave_in_app_sound`. Avoids double underscores, because C++ reserves names with them.
fn within(c_name: &str, module: &str) -> String {
    let mut out = format!("{c_name}_in_");
    for c in module.replace("r#", "").chars() {
        match c {
            c if c.is_ascii_alphanumeric() => out.push(c),
            _ if out.ends_with('_') => {}
            _ => out.push('_'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_like_the_users_and_are_unique() {
        let mut names = Names::default();
        let mut check = |name, module, expected: &str| assert_eq!(names.claim(name, module), expected);
        check("wave", "app::math", "wave");
        check("wave", "app::sound", "wave_in_app_sound");
        check("wave", "app::sound", "wave_2");
        check("wave", "app::sound", "wave_3");
        check("wave", "r#try::höhe", "wave_in_try_h_he");
        check("max", "app", "max");
        check("v_", "app", "v_");
    }
}
