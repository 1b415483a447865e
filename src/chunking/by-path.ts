import { invalid } from '../core/given.ts'
import type { SyncChunker } from './chunk.ts'
import { code } from './code.ts'
import { markdown } from './markdown.ts'
import { paragraphs } from './paragraphs.ts'

const MARKDOWN = words('md mdx mdown mkd markdown qmd rmd')

/** Source code, and other text whose lines are to be kept whole. */
const CODE = words(`
  ts tsx mts cts js jsx mjs cjs vue svelte astro py pyi rb rs go java kt kts scala groovy gradle c h cc cpp cxx hh hpp
  hxx m mm cs fs fsx vb swift dart php pl pm lua r jl ex exs erl hrl hs ml mli clj cljs cljc edn lisp el scm zig nim
  v sv vhd asm s sh bash zsh fish ps1 bat cmd sql graphql gql proto thrift tf hcl nix cmake mk sol wgsl glsl css scss
  sass less html htm xml xsd svg json jsonc json5 jsonl ndjson yaml yml toml ini cfg conf properties env csv tsv log
  diff patch`)

const CODE_NAMES = words(
  'dockerfile makefile gnumakefile rakefile gemfile jenkinsfile justfile vagrantfile procfile',
)

/**
 * The chunker, with its default size, for a file of this name: `markdown` for Markdown, `code` for source code, data
 * and other text of lines, `paragraphs` for everything else. Only the name is looked at; both kinds of slashes
 * separate folders. Throws `INVALID_ARGUMENT` when it is no text.
 */
export function chunkerFor(path: string): SyncChunker {
  if (typeof path !== 'string') throw invalid('path', path, 'give the name of a file')
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).toLowerCase()
  const extension = name.slice(name.lastIndexOf('.') + 1)
  if (extension === name) return CODE_NAMES.has(name) ? code() : paragraphs()
  if (MARKDOWN.has(extension)) return markdown()
  return CODE.has(extension) ? code() : paragraphs()
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/))
}
