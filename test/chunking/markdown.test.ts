import { describe, expect, it } from 'vitest'
import { chunkerFor, code, markdown, whole } from '../../src/chunking/index.ts'
import { expectPromises, prose } from './promises.ts'

const texts = (text: string, max?: number) =>
  markdown(max === undefined ? {} : { max })
    .chunk(text)
    .map((chunk) => chunk.text)

describe('markdown', () => {
  it('starts a chunk at every heading, of both kinds, also without a blank line in front', () => {
    expect(texts('intro\n# A\na\n## B ##\nTitle\n=====\nt\nlast\n---\nend')).toEqual([
      'intro',
      '# A\na',
      '## B ##',
      'Title\n=====\nt'.replace('\nt', ''),
      't\nlast\n---\nend',
    ])
  })

  it('takes what is inside a fence for code, whatever it looks like', () => {
    for (const [open, close] of [
      ['```js', '```'],
      ['~~~', '~~~~'],
      ['   ````', '   `````'],
    ] as const) {
      const fence = `${open}\n# no heading\n\n- no item\n\`\`\n${close}`
      expect(texts(`${fence}\n\n# Heading`)).toEqual([fence, '# Heading'])
    }
  })

  it('an unclosed fence goes on to the end; inline code is no fence', () => {
    expect(texts('```\n\n# a\n\n# b')).toEqual(['```\n\n# a\n\n# b'])
    expect(texts('```a```\n\n# b')).toEqual(['```a```', '# b'])
  })

  it('keeps fences and tables whole where they fit in a chunk', () => {
    const fence = `\`\`\`\n${'let x = 1\n\n'.repeat(15)}\`\`\``
    const table = `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(20)}`.trim()
    const text = [prose(150), fence, prose(100, 2), table, prose(150, 3)].join('\n\n')
    const chunks = expectPromises(markdown({ max: 260 }), text, 260).map((chunk) => chunk.text)
    for (const block of [fence, table])
      expect(chunks.filter((chunk) => chunk.includes(block))).toHaveLength(1)
  })

  it('cuts a fence or a table that is too long between its lines', () => {
    const rows = Array.from({ length: 300 }, (_, i) => `| ${i} | ${prose(20, i)} |`)
    const text = ['| a | b |', '|---|---|', ...rows].join('\n')
    const chunks = expectPromises(markdown({ max: 400 }), text, 400)
    for (const { text: chunk } of chunks) expect(chunk.startsWith('|') && chunk.endsWith('|')).toBe(true)
    const code = `\`\`\`\n${Array.from({ length: 200 }, (_, i) => `line(${i});`).join('\n')}\n\`\`\``
    for (const chunk of texts(code, 300).slice(0, -1)) expect(chunk).toMatch(/;$/)
  })

  it('keeps a list item whole with what is nested in it, where it fits', () => {
    const item = (i: number) =>
      `- item ${i}\n  more of it\n\n  \`\`\`\n# code\n  \`\`\`\n\n  - nested ${i}\n    1. deep ${i}`
    const text = `The list:\n\n${Array.from({ length: 20 }, (_, i) => item(i)).join('\n')}`
    const chunks = expectPromises(markdown({ max: 200 }), text, 200).map((chunk) => chunk.text)
    for (let i = 0; i < 20; i++) expect(chunks.filter((chunk) => chunk.includes(item(i)))).toHaveLength(1)
    expect(chunks[0]).toMatch(/^The list:\n\n- item 0/)
  })

  it('a year at the start of a wrapped line starts no list', () => {
    expect(texts(`${'a '.repeat(30)}in\n1986. It was\n\n- x`, 80)[0]).toContain('1986. It was')
  })

  it('front matter is a chunk of its own; a rule at the start without an end is none', () => {
    expect(texts('---\ntitle: a\n\n# no: heading\n---\n\ntext')).toEqual([
      '---\ntitle: a\n\n# no: heading\n---',
      'text',
    ])
    expect(texts('+++\na = 1\n+++\ntext')).toEqual(['+++\na = 1\n+++', 'text'])
    expect(texts('---\n\ntext')).toEqual(['---\n\ntext'])
  })

  it('carries no metadata unless asked; headings: true adds the path of titles', () => {
    const text = 'intro\n\n# Guide\n\n## Install #\n\na\n\n### C#\n\n## Use\n\nTwo\nlines\n===\n\nz'
    for (const chunk of markdown().chunk(text)) expect(chunk).not.toHaveProperty('metadata')
    const chunker = markdown({ headings: true })
    expect(chunker.id).toBe('markdown/1?max=1200&headings=true')
    expect(chunker.chunk(text).map((chunk) => chunk.metadata?.heading)).toEqual([
      undefined,
      ['Guide'],
      ['Guide', 'Install'],
      ['Guide', 'Install', 'C#'],
      ['Guide', 'Use'],
      ['Two lines'],
    ])
  })

  it('is not confused by CR LF', () => {
    const text = '# A\n\ntext\n\n```\n# x\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nB\n---\nb'
    const crlf = texts(text.replaceAll('\n', '\r\n'))
    expect(crlf).toEqual(texts(text).map((chunk) => chunk.replaceAll('\n', '\r\n')))
  })
})

describe('code', () => {
  const method = (name: string, lines: number) =>
    `  /** Does ${name}. */\n  ${name}() {\n${`    call('${name}')\n`.repeat(lines)}\n    return 1\n  }`

  it('keeps lines whole, and a function with its comment and closing bracket together where they fit', () => {
    const text = `import a from 'a'\n\nclass A {\n${['one', 'two', 'three', 'four'].map((n) => method(n, 5)).join('\n\n')}\n}\n`
    const chunks = expectPromises(code({ max: 200 }), text, 200)
    for (const name of ['one', 'two', 'three', 'four']) {
      expect(chunks.filter((chunk) => chunk.text.includes(method(name, 5)))).toHaveLength(1)
    }
    const lines = new Set(text.split('\n'))
    for (const chunk of chunks) for (const line of chunk.text.split('\n')) expect(lines).toContain(line)
  })

  it('starts a chunk at a large top-level block, so that an edit above it does not reach it', () => {
    const block = (name: string) => `function ${name}() {\n${`  step('${name}')\n`.repeat(40)}}`
    const text = (head: string) => [head, block('f'), block('g')].join('\n\n')
    const after = code({ max: 1000 }).chunk(text(`const a = 1\n${'// more\n'.repeat(20)}`))
    const before = code({ max: 1000 }).chunk(text('const a = 1'))
    expect(after.slice(1).map((c) => c.text)).toEqual(before.slice(1).map((c) => c.text))
  })

  it('cuts only lines that are longer than max', () => {
    const text = `a = 1\n${'x'.repeat(500)}\nb = 2`
    expectPromises(code({ max: 100 }), text, 100)
    expect(code({ max: 100 }).chunk(text).at(-1)!.text).toBe('b = 2')
  })
})

describe('whole', () => {
  it('is one chunk, blank or not, and none when there is no text', () => {
    expect(whole().chunk('  a \n')).toEqual([{ start: 0, end: 5, text: '  a \n' }])
    expect(whole().chunk(' ')).toHaveLength(1)
    expect(whole().chunk('')).toEqual([])
    expect(whole().id).toBe('whole/1')
  })
})

describe('chunkerFor', () => {
  it('chooses by the name of the file', () => {
    const kind = (path: string) => chunkerFor(path).id.split('/')[0]
    for (const path of ['a.md', 'README.MD', 'x/y.mdx', 'C:\\docs\\a.markdown'])
      expect(kind(path)).toBe('markdown')
    for (const path of ['a.ts', 'a.py', 'x.d.ts', 'data.json', 'a.b/Makefile', '.env'])
      expect(kind(path)).toBe('code')
    for (const path of ['a.txt', 'LICENSE', 'notes', 'a.md/b', '', 'x.unknown', 'a.rst']) {
      expect(kind(path)).toBe('paragraphs')
    }
  })
})
