/*
 * Identifiers in the path of a URL. Percent-encoding holds any string but two: URL parsers take `.` and `..` away, also
 * where they are encoded. Such an identifier gets a `~` in front, and so does one that would be mistaken for it.
 */

/** An identifier as one segment of a path. */
export const encodeSegment = (id: string): string => encodeURIComponent(/^~*\.\.?$/.test(id) ? `~${id}` : id)

/** The identifier of a segment that was percent-decoded. */
export const unmarked = (segment: string): string => (/^~+\.\.?$/.test(segment) ? segment.slice(1) : segment)
