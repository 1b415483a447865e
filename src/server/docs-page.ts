import { createHash } from 'node:crypto'

/*
 * A page to browse the interface with: it reads /openapi.json and nothing else, so that it works without a network.
 * Viewers that are packaged bring a megabyte or more for it.
 */

const STYLE = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent) }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem }
h2 { margin: 2rem 0 .5rem } code, pre, textarea, input { font: 13px/1.45 ui-monospace, monospace }
details { border: 1px solid var(--line); border-radius: 6px; margin: .35rem 0; padding: .4rem .7rem }
summary { cursor: pointer } .method { display: inline-block; font-weight: 700; width: 4.2rem }
.what { opacity: .75 } pre { background: var(--line); border-radius: 6px; overflow: auto; padding: .6rem }
label { display: grid; grid-template-columns: 13rem 1fr; gap: .5rem; margin: .25rem 0 }
textarea { width: 100%; min-height: 7rem; box-sizing: border-box } table { border-collapse: collapse }
td { border-top: 1px solid var(--line); padding: .2rem .8rem .2rem 0; vertical-align: top }`

const SCRIPT = `
const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}
const show = (schema, all, seen = []) => {
  if (schema === undefined) return 'nothing'
  if (schema.$ref) {
    const name = schema.$ref.split('/').pop()
    return seen.includes(name) ? name : show(all[name], all, [...seen, name])
  }
  const either = schema.oneOf ?? schema.anyOf
  if (either) return either.map((one) => show(one, all, seen)).join('\\nor ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.type === 'array') return '[' + show(schema.items, all, seen) + ', …]'
  if (schema.properties) {
    const required = schema.required ?? []
    const lines = Object.entries(schema.properties).map(([name, value]) => {
      const note = value.description ? '   // ' + value.description : ''
      const text = show(value, all, seen).replaceAll('\\n', '\\n  ')
      return '  ' + name + (required.includes(name) ? '' : '?') + ': ' + text + note
    })
    return '{\\n' + lines.join('\\n') + '\\n}'
  }
  return [schema.type ?? 'any JSON'].flat().join(' | ')
}
const contentOf = (part) => Object.values(part?.content ?? {})[0]?.schema
const token = document.querySelector('#token')
const operation = (path, method, { parameters = [], requestBody, responses, ...about }, all) => {
  const inputs = parameters.map((parameter) => {
    const input = make('input', { placeholder: parameter.required ? '' : 'optional' })
    const label = make('label', { title: parameter.description ?? parameter.schema?.description ?? '' },
      make('span', {}, make('code', { textContent: parameter.name }), ' in ' + parameter.in), input)
    return { parameter, input, label }
  })
  const body = make('textarea', { value: '{}' })
  const answer = make('pre', { hidden: true })
  const send = make('button', { textContent: 'Send' })
  send.onclick = async () => {
    const given = (where) => inputs.filter(({ parameter, input }) => parameter.in === where && input.value !== '')
    let url = path
    for (const { parameter, input } of given('path'))
      url = url.replace('{' + parameter.name + '}', encodeURIComponent(input.value.replace(/^(~*\\.\\.?)$/, '~$1')))
    const query = new URLSearchParams(given('query').map(({ parameter, input }) => [parameter.name, input.value]))
    if (query.size > 0) url += '?' + query
    const headers = Object.fromEntries(given('header').map(({ parameter, input }) => [parameter.name, input.value]))
    if (token.value !== '') headers.Authorization = 'Bearer ' + token.value
    if (requestBody) headers['Content-Type'] = 'application/json'
    answer.hidden = false
    answer.textContent = '…'
    try {
      const init = { method: method.toUpperCase(), headers, ...(requestBody ? { body: body.value } : {}) }
      const response = await fetch(url, init)
      let text = await response.text()
      try { text = JSON.stringify(JSON.parse(text), undefined, 2) } catch {}
      const told = [...response.headers].map(([name, value]) => name + ': ' + value).join('\\n')
      answer.textContent = response.status + ' ' + response.statusText + '\\n' + told + '\\n\\n' + text
    } catch (error) {
      answer.textContent = String(error)
    }
  }
  const rows = Object.entries(responses).map(([status, response]) =>
    make('tr', {}, make('td', {}, make('b', { textContent: status })), make('td', { textContent: response.description })))
  const shown = contentOf(Object.entries(responses).find(([status]) => status < '300')?.[1])
  return make('details', { id: about.operationId },
    make('summary', {}, make('span', { className: 'method', textContent: method.toUpperCase() }),
      make('code', { textContent: path }), make('span', { className: 'what', textContent: '  ' + about.summary })),
    make('p', { textContent: (about.description ?? '') + (about['x-access'] ? ' Needs ' + about['x-access'] + ' access.' : '') }),
    ...inputs.map(({ label }) => label),
    ...(requestBody ? [make('p', { textContent: 'Body' }), make('pre', { textContent: show(contentOf(requestBody), all) }), body] : []),
    ...(about['x-stream'] ? [] : [send]), answer, make('table', {}, ...rows),
    ...(shown ? [make('p', { textContent: 'Answer' }), make('pre', { textContent: show(shown, all) })] : []))
}
const main = document.querySelector('main')
fetch('/openapi.json').then((response) => response.json()).then(({ info, paths, components }) => {
  main.append(make('p', { textContent: info.description }))
  const tags = new Map()
  for (const [path, methods] of Object.entries(paths))
    for (const [method, about] of Object.entries(methods)) {
      const tag = about.tags[0]
      if (!tags.has(tag)) tags.set(tag, make('section', {}, make('h2', { textContent: tag })))
      tags.get(tag).append(operation(path, method, about, components.schemas))
    }
  main.append(...tags.values())
  if (location.hash) document.getElementById(location.hash.slice(1))?.setAttribute('open', '')
}).catch((error) => main.append(make('p', { textContent: String(error) })))`

const sha = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Nothing runs on the page but its own script, and nothing is loaded from elsewhere. */
export const DOCS_POLICY = `default-src 'none'; script-src ${sha(SCRIPT)}; style-src ${sha(STYLE)}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

export const DOCS_PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>spanstore</title>
<style>${STYLE}</style></head>
<body><h1>spanstore</h1>
<p>The interface of this server, from <a href="/openapi.json">/openapi.json</a>.</p>
<label><span>Token</span><input id="token" type="password" autocomplete="off" placeholder="if the server asks for one"></label>
<main></main>
<script type="module">${SCRIPT}</script></body>
</html>
`
