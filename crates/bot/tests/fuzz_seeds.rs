//! Every input the fuzzer starts from, and every one that once broke something, goes through its target again.

#[path = "../../../fuzz/src/lib.rs"]
#[expect(unreachable_pub, reason = "in the fuzz crate they are what the targets call")]
mod fuzz;

use std::fs;
use std::path::Path;

type Target = fn(&[u8]);

#[test]
fn no_kept_fuzz_input_breaks_its_target() {
    let targets: [(&str, Target); 9] = [
        ("bsp", fuzz::bsp),
        ("entities", fuzz::entities),
        ("game", fuzz::game),
        ("patch", fuzz::patch),
        ("pk3", fuzz::pk3),
        ("queries", fuzz::queries),
        ("recording", fuzz::recording),
        ("source", fuzz::source),
        ("terrain", fuzz::terrain),
    ];
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    for (name, target) in targets {
        let mut count = 0;
        for entry in fs::read_dir(seeds.join(name)).unwrap() {
            let path = entry.unwrap().path();
            println!("{}", path.display());
            target(&fs::read(&path).unwrap());
            count += 1;
        }
        assert!(count > 0, "{name} has no seeds");
    }
    assert_eq!(fs::read_dir(&seeds).unwrap().count(), targets.len(), "a folder of seeds without a target");
}
