/**
 * Media types by file name, and text detection by bytes. A type is a hint for display; only the bytes decide whether a
 * file travels as text. Source, script and configuration files have text types: general tables take `.ts` for video and
 * lack `.py` and `Dockerfile`.
 */
import { lookup } from 'mrmime';

const plain = 'text/plain';

/** By lower-case extension; takes precedence over the general table. */
const byExtension: ReadonlyMap<string, string> = new Map([
  ...rows('text/markdown', 'md markdown mdown mkd'),
  ...rows('text/javascript', 'js mjs cjs'),
  ...rows('text/x-typescript', 'ts mts cts tsx'),
  ...rows('text/x-python', 'py pyi pyw'),
  ...rows('text/x-ruby', 'rb rake gemspec'),
  ...rows('text/x-rust', 'rs'),
  ...rows('text/x-go', 'go'),
  ...rows('text/x-java', 'java'),
  ...rows('text/x-kotlin', 'kt kts'),
  ...rows('text/x-scala', 'scala sc'),
  ...rows('text/x-groovy', 'groovy gradle'),
  ...rows('text/x-swift', 'swift'),
  ...rows('text/x-c', 'c h'),
  ...rows('text/x-c++', 'cpp cc cxx hpp hh hxx ino cu'),
  ...rows('text/x-objective-c', 'm mm'),
  ...rows('text/x-csharp', 'cs csx'),
  ...rows('text/x-fsharp', 'fs fsx'),
  ...rows('text/x-php', 'php'),
  ...rows('text/x-perl', 'pl pm'),
  ...rows('text/x-lua', 'lua'),
  ...rows('text/x-r', 'r'),
  ...rows('text/x-julia', 'jl'),
  ...rows('text/x-haskell', 'hs'),
  ...rows('text/x-elixir', 'ex exs'),
  ...rows('text/x-erlang', 'erl hrl'),
  ...rows('text/x-clojure', 'clj cljs cljc edn'),
  ...rows('text/x-dart', 'dart'),
  ...rows('text/x-shellscript', 'sh bash zsh fish ksh'),
  ...rows('text/x-powershell', 'ps1 psm1 psd1'),
  ...rows('text/x-msdos-batch', 'bat cmd'),
  ...rows('text/x-diff', 'diff patch'),
  ...rows('text/x-tex', 'tex sty cls bib'),
  ...rows('text/x-rst', 'rst'),
  ...rows('text/x-asciidoc', 'adoc asciidoc'),
  ...rows('text/x-org', 'org'),
  ...rows('text/x-scss', 'scss sass'),
  ...rows('text/x-vue', 'vue'),
  ...rows('text/x-svelte', 'svelte'),
  ...rows('text/x-graphql', 'graphql gql'),
  ...rows('application/yaml', 'yaml yml'),
  ...rows('application/json', 'json ipynb webmanifest map'),
  ...rows('application/toml', 'toml'),
  ...rows('application/sql', 'sql'),
  ...rows('application/x-tar', 'tar'),
  ...rows('application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'),
  ...rows('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'),
  ...rows('application/vnd.openxmlformats-officedocument.presentationml.presentation', 'pptx'),
  ...rows(
    plain,
    'ini cfg conf config properties tf tfvars hcl bicep proto lock log jsonl ndjson jsonc env example sample dist',
  ),
  ...rows(plain, 'astro ejs hbs mustache liquid njk twig erb haml pug j2 jinja jinja2 tmpl tpl template'),
  ...rows(plain, 'dot gv puml mmd mermaid feature http rest nix cmake mk awk sed tcl vim'),
  ...rows(plain, 'el lisp scm pas nim zig sol asm s vb ml'),
  ...rows(plain, 'glsl hlsl rego cue editorconfig gitignore dockerignore skillignore srt po pot'),
]);

/** By lower-case file name up to its first dot, not counting a leading dot. */
const byName: ReadonlyMap<string, string> = new Map([
  ...rows(plain, 'license copying notice readme changelog changes authors contributors maintainers codeowners todo'),
  ...rows(plain, 'licence'),
  ...rows(plain, 'install news version contributing security'),
  ...rows('text/x-dockerfile', 'dockerfile containerfile'),
  ...rows('text/x-makefile', 'makefile gnumakefile'),
  ...rows('text/x-ruby', 'gemfile rakefile vagrantfile brewfile podfile fastfile'),
  ...rows('text/x-groovy', 'jenkinsfile'),
  ...rows(plain, 'procfile justfile caddyfile tiltfile earthfile pipfile'),
  ...rows(
    plain,
    '.editorconfig .gitignore .gitattributes .gitmodules .gitkeep .keep .dockerignore .npmignore .skillignore',
  ),
  ...rows(
    plain,
    '.env .envrc .npmrc .nvmrc .yarnrc .node-version .python-version .ruby-version .tool-versions .flake8 .pylintrc',
  ),
  ...rows(
    plain,
    '.prettierrc .eslintrc .babelrc .stylelintrc .prettierignore .eslintignore .browserslistrc .curlrc .inputrc',
  ),
  ...rows('text/x-shellscript', '.bashrc .bash_profile .profile .zshrc .zprofile'),
]);

function rows(type: string, words: string): [string, string][] {
  return words.split(' ').map((word) => [word, type]);
}

/** The media type for the file name, if it is known. */
export function mediaTypeOf(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const dot = name.lastIndexOf('.');
  if (dot > 0) {
    const extension = name.slice(dot + 1);
    const known: unknown = byExtension.get(extension) ?? lookup(extension);
    // The general table is a plain object, so "constructor" is found in it too.
    if (typeof known === 'string') return known;
  }
  const end = name.indexOf('.', 1);
  return byName.get(end === -1 ? name : name.slice(0, end));
}

/** The known type, else by name, else unknown bytes. */
export function fileMediaType(path: string, known?: string): string {
  return known ?? mediaTypeOf(path) ?? 'application/octet-stream';
}

/** By name, else plain text if the bytes are UTF-8. */
export function mediaTypeFromBytes(path: string, bytes: Uint8Array): string {
  return mediaTypeOf(path) ?? (decodeUtf8(bytes) === undefined ? 'application/octet-stream' : plain);
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes UTF-8 without loss (a BOM stays); `undefined` if the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
