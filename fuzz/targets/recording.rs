#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fireteam_fuzz::recording(bytes));
