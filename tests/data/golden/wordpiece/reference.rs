// The BERT pipeline of Hugging Face's tokenizers (commit 3ba8ad0: normalizers/bert.rs, pre_tokenizers/bert.rs,
// models/wordpiece/mod.rs), written again over the same crates: unicode_categories 0.1.1, the tables of
// unicode-normalization 0.1.12, and Rust's own char.
use std::collections::HashMap;
use std::io::{self, BufRead};
use unicode_categories::UnicodeCategories;
use unicode_normalization::UnicodeNormalization;

fn ws(c: char) -> bool { matches!(c, '\t' | '\n' | '\r') || c.is_whitespace() }
fn control(c: char) -> bool { !matches!(c, '\t' | '\n' | '\r') && c.is_other() }
fn chinese(c: char) -> bool {
    matches!(c as usize, 0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x20000..=0x2A6DF | 0x2A700..=0x2B73F
        | 0x2B740..=0x2B81F | 0x2B920..=0x2CEAF | 0xF900..=0xFAFF | 0x2F800..=0x2FA1F)
}
fn normalise(t: &str) -> String {
    let mut s = String::new();
    for c in t.chars().filter(|&c| !(c as usize == 0 || c as usize == 0xfffd || control(c))) {
        let c = if ws(c) { ' ' } else { c };
        if chinese(c) { s.push(' '); s.push(c); s.push(' '); } else { s.push(c); }
    }
    let s: String = s.nfd().filter(|c| !c.is_mark_nonspacing()).collect();
    s.chars().flat_map(|c| c.to_lowercase()).collect()
}
fn words(s: &str) -> Vec<String> {
    let mut out: Vec<String> = vec![];
    for part in s.split(char::is_whitespace) {
        let mut word = String::new();
        for c in part.chars() {
            if c.is_ascii_punctuation() || c.is_punctuation() {
                if !word.is_empty() { out.push(std::mem::take(&mut word)); }
                out.push(c.to_string());
            } else { word.push(c); }
        }
        if !word.is_empty() { out.push(word); }
    }
    out
}
fn pieces(v: &HashMap<String, u32>, w: &str, out: &mut Vec<u32>) {
    let unk = v["[UNK]"];
    if w.chars().count() > 100 { out.push(unk); return; }
    let (mut start, mut sub) = (0, vec![]);
    while start < w.len() {
        let mut end = w.len();
        let mut cur = None;
        while start < end {
            if w.is_char_boundary(end) {
                let s = if start > 0 { format!("##{}", &w[start..end]) } else { w[start..end].to_string() };
                if let Some(&id) = v.get(&s) { cur = Some(id); break; }
            }
            end -= 1;
        }
        match cur { Some(id) => sub.push(id), None => { out.push(unk); return; } }
        start = end;
    }
    out.extend(sub);
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    if a.len() > 1 && a[1] == "categories" {
        for u in 0..0x110000u32 { if let Some(c) = char::from_u32(u) {
            let n: String = c.to_string().nfd().collect();
            println!("{:x} {}{}{}{} {:x?} {:x?}", u, c.is_other() as u8, c.is_mark_nonspacing() as u8, c.is_punctuation() as u8,
                c.is_whitespace() as u8, n.chars().map(|c| c as u32).collect::<Vec<_>>(), c.to_lowercase().map(|c| c as u32).collect::<Vec<_>>());
        } }
        return;
    }
    let mut v = HashMap::new();
    for (i, l) in std::fs::read_to_string(&a[1]).unwrap().lines().enumerate() { v.insert(l.trim_end().to_string(), i as u32); }
    let special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
    for line in io::stdin().lock().lines() {
        let h = line.unwrap();
        let b: Vec<u8> = (0..h.len() / 2).map(|i| u8::from_str_radix(&h[2 * i..2 * i + 2], 16).unwrap()).collect();
        let t = String::from_utf8(b).unwrap();
        let mut ids = vec![];
        let mut rest = &t[..];
        loop {
            let next = special.iter().filter_map(|s| rest.find(s).map(|at| (at, *s))).min_by_key(|x| x.0);
            let end = next.map_or(rest.len(), |x| x.0);
            for w in words(&normalise(&rest[..end])) { pieces(&v, &w, &mut ids); }
            match next { Some((at, s)) => { ids.push(v[s]); rest = &rest[at + s.len()..]; } None => break }
        }
        let hex: String = normalise(&t).bytes().map(|b| format!("{:02x}", b)).collect();
        println!("{}|{}", hex, ids.iter().map(|i| format!("{} ", i)).collect::<String>());
    }
}
