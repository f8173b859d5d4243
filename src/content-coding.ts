// Content codings by their names (RFC 9110 §8.4.1, §12.5.3), and entity tags of coded answers. Pure.

/** The weight of each coding that is listed: `x-gzip` is another name of gzip (RFC 9110 §8.4.1.3). */
function weightsOf(acceptEncoding: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of acceptEncoding.toLowerCase().split(',')) {
    const [, coding, weight = '1'] = ITEM.exec(item) ?? [];
    if (coding !== undefined) weights.set(coding === 'x-gzip' ? 'gzip' : coding, Number(weight));
  }
  return weights;
}

/** A coding and its weight; an item of another form is passed over. */
const ITEM = /^[ \t]*([!#$%&'*+.^_`|~\w-]+)[ \t]*(?:;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)[ \t]*)?$/;

/**
 * The coding that a client prefers; null where that is none, or where it prefers `identity`.
 * @param acceptEncoding the request's Accept-Encoding; @param available the server's codings, its favourite first
 */
export function preferredCoding<Coding extends string>(
  acceptEncoding: string,
  available: readonly Coding[],
): Coding | null {
  const weights = weightsOf(acceptEncoding);
  let preferred: Coding | null = null;
  let greatest = weights.get('identity') ?? 0;
  for (const coding of available) {
    const weight = weights.get(coding) ?? weights.get('*') ?? 0;
    // Of equal weights the first one counts, but any coding that is listed goes before identity.
    if (weight === 0 || weight < greatest || (weight === greatest && preferred !== null)) continue;
    preferred = coding;
    greatest = weight;
  }
  return preferred;
}

/** The entity tag of a coded answer: it is not the same bytes, so it needs another tag (RFC 9110 §8.8.3.3). */
export function codedTag(tag: string, coding: string): string {
  return `${tag.slice(0, -1)}-${coding}"`;
}

/** Whether If-None-Match lists a tag, by weak comparison (RFC 9110 §13.1.2). */
export function matchesTag(ifNoneMatch: string | null | undefined, tag: string): boolean {
  if (ifNoneMatch == null) return false;
  const listed = ifNoneMatch.split(',').map((item) => item.trim().replace(/^W\//, ''));
  return listed.includes('*') || listed.includes(tag);
}
