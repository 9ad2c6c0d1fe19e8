// Builds dist/page.html, one file with everything in it, and dist/LICENSES.txt, the licences of what was bundled.
// With --tests it bundles the unit tests instead, so that Node runs them without a loader for TypeScript.

import { build } from "esbuild";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const shared = {
  absWorkingDir: here,
  bundle: true,
  jsx: "automatic",
  jsxImportSource: "preact",
  // One Preact for everybody; hooks of a second copy would not find their component.
  alias: { react: "preact/compat" },
  logLevel: "warning",
};

async function build_tests() {
  rmSync(join(here, "dist", "test"), { recursive: true, force: true });
  const tests = readdirSync(join(here, "test")).filter((name) => /_test\.tsx?$/.test(name));
  const entryPoints = tests.map((name) => ({ in: `test/${name}`, out: `test/${name.replace(/\.tsx?$/, "")}` }));
  for (const tool of ["fixtures", "browser"]) entryPoints.push({ in: `test/${tool}.ts`, out: `tools/${tool}` });
  const external = ["playwright-core"];
  await build({
    ...shared,
    entryPoints,
    external,
    outdir: "dist",
    platform: "node",
    format: "esm",
    target: "node18",
    outExtension: { ".js": ".mjs" },
  });
}

/** The packages that ended up in the bundle, from the paths of its inputs. */
function bundled_packages(metafile) {
  const names = new Set();
  for (const [path, input] of Object.entries(metafile.outputs).flatMap(([, output]) => Object.entries(output.inputs))) {
    const match = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path);
    if (match && input.bytesInOutput > 0) names.add(match[1]);
  }
  // Dagre's distributed file has its graph library inside.
  if (names.has("@dagrejs/dagre")) names.add("@dagrejs/graphlib");
  return [...names].sort();
}

function licence_of(name) {
  const folder = join(here, "node_modules", name);
  const about = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file ? readFileSync(join(folder, file), "utf8").trim() : undefined;
  if (!text) throw new Error(`${name} has no licence file`);
  return `${name} ${about.version} (${about.license})\n\n${text}\n`;
}

async function build_page() {
  const result = await build({
    ...shared,
    entryPoints: ["src/main.tsx"],
    outdir: "dist",
    write: false,
    metafile: true,
    minify: true,
    format: "iife",
    target: ["es2020"],
    legalComments: "none",
    charset: "utf8",
  });
  const text_of = (ending) => result.outputFiles.find((file) => file.path.endsWith(ending))?.text.trim() ?? "";
  const licences = bundled_packages(result.metafile)
    .map(licence_of)
    .join(`\n${"-".repeat(80)}\n\n`);
  const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  const script = text_of(".js").replace(/<\/script/gi, "<\\/script");
  // Functions as replacements: a "$" in the code is not a pattern.
  const page = readFileSync(join(here, "src", "page.html"), "utf8")
    .replace("<!--@STYLE@-->", () => `<style>${text_of(".css")}</style>`)
    .replace("<!--@LICENCES@-->", () => escape(licences))
    .replace("<!--@SCRIPT@-->", () => `<script>${script}</script>`);
  if (page.split("@TIDELINE_DATA@").length !== 2) throw new Error("the page must have exactly one place for the data");
  mkdirSync(join(here, "dist"), { recursive: true });
  writeFileSync(join(here, "dist", "page.html"), page);
  writeFileSync(join(here, "dist", "LICENSES.txt"), licences);
  console.log(`dist/page.html: ${Math.round(Buffer.byteLength(page) / 1000)} kB`);
}

await (process.argv.includes("--tests") ? build_tests() : build_page());
