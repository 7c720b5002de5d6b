//! The page itself, compiled into the command: only files that were built are served, whatever a path says.

use super::serve::failed;
use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

/// A few files of fixed names: a crate that embeds folders brings a dozen others for it.
macro_rules! built {
    ($($name:literal),*) => {
        const BUILT: &[(&str, &[u8])] = &[$(($name, include_bytes!(concat!("../../../viewer/dist/", $name)))),*];
    };
}

built!("icon.svg", "index.css", "index.html", "libraries.css", "libraries.js", "page.js");

/// Whatever is no question is a file of the page.
pub(crate) async fn file(uri: Uri) -> Response {
    let path = uri.path().trim_start_matches('/');
    let name = if path.is_empty() { "index.html" } else { path };
    let Some((_, built)) = BUILT.iter().find(|(known, _)| *known == name) else {
        return failed(StatusCode::NOT_FOUND, format!("there is no {}", uri.path())).into_response();
    };
    let kind = HeaderValue::from_static(kind_of(name));
    // The page is as large as it is and changes with the command only; but nobody should see an old one beside a new server.
    let stay = HeaderValue::from_static("no-cache");
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, stay)], *built).into_response()
}

fn kind_of(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "json" => "application/json",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_that_was_built_is_served() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../viewer/dist");
        let entries = std::fs::read_dir(folder).expect("the page is built and committed");
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        assert_eq!(names, BUILT.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        assert!(names.iter().all(|name| kind_of(name) != "application/octet-stream"), "{names:?}");
    }
}
