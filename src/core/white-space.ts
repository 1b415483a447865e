/** White space exactly as `String.prototype.trim` understands it, so that "blank" means one thing everywhere. */
export function isSpace(code: number): boolean {
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d)
  if (code < 0x1680) return code === 0xa0
  return (
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x3000 ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0xfeff ||
    code === 0x1680
  )
}
