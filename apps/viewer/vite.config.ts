// How the page is built. What comes out is committed in dist/, so that `cargo install` needs no Node, and checked byte for
// byte by `cargo xtask page --check`: file names carry no hash, and libraries stand in a file of their own that changes
// only when they do.
import { defineConfig, type Plugin } from "vite";

/** Our texts end with a line end, built ones too. */
function endWithLineEnd(): Plugin {
  return {
    name: "end-with-line-end",
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === "chunk" && !file.code.endsWith("\n")) file.code += "\n";
        if (file.type === "asset" && typeof file.source === "string" && !file.source.endsWith("\n")) file.source += "\n";
      }
    },
  };
}

export default defineConfig({
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [endWithLineEnd()],
  build: {
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 4096,
    chunkSizeWarningLimit: 1200,
    reportCompressedSize: false,
    rollupOptions: {
      output: {
        entryFileNames: "page.js",
        chunkFileNames: "[name].js",
        assetFileNames: "[name][extname]",
        manualChunks: (id: string) => (id.includes("node_modules") ? "libraries" : undefined),
      },
    },
  },
  server: { proxy: { "/api": { target: process.env.FIRETEAM ?? "http://127.0.0.1:4747", ws: true } } },
});
