// Content codings (RFC 9110 §8.4.1, §12.5.3), and the comparison of entity tags in requests, including those of compressed responses
// (§8.8.3, §13.1). Pure.

/** The codings of responses, the preferred one first. For the same size zstd takes half the time of gzip, and brotli more than either. */
export const CODINGS = ['zstd', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/** The weight of each listed coding. `x-gzip` is another name of gzip (RFC 9110 §8.4.1.3). */
function weightsOf(acceptEncoding: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of acceptEncoding.toLowerCase().split(',')) {
    const [, coding, weight = '1'] = ITEM.exec(item) ?? [];
    if (coding !== undefined) weights.set(coding === 'x-gzip' ? 'gzip' : coding, Number(weight));
  }
  return weights;
}

/** A coding and its weight. Items of another form are ignored. */
const ITEM = /^[ \t]*([!#$%&'*+.^_`|~\w-]+)[ \t]*(?:;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)[ \t]*)?$/;

/**
 * The coding that a client prefers; null if it accepts none of them, or prefers `identity`.
 * @param acceptEncoding the request's Accept-Encoding; @param available the server's codings, the preferred one first
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
    // Of equal weights the first one wins, but any listed coding wins over identity.
    if (weight === 0 || weight < greatest || (weight === greatest && preferred !== null)) continue;
    preferred = coding;
    greatest = weight;
  }
  return preferred;
}

/** Whether a Content-Encoding changes nothing: it lists no coding but `identity`. Names of codings ignore case (RFC 9110 §8.4.1). */
export function isIdentity(contentEncoding: string): boolean {
  return contentEncoding.split(',').every((coding) => /^[ \t]*(?:identity)?[ \t]*$/i.test(coding));
}

/** The entity tag of a compressed response. Its bytes differ, so it needs another tag (RFC 9110 §8.8.3.3). */
export function codedTag(tag: string, coding: string): string {
  return `${tag.slice(0, -1)}-${coding}"`;
}

/** A condition on entity tags: `*`, or those that a request lists. */
export type TagCondition = '*' | readonly ListedTag[];

interface ListedTag {
  readonly isWeak: boolean;
  readonly tag: string;
}

/** One element of a list: an entity tag or, as RFC 9110 §5.6.1.2 allows, nothing. */
const ELEMENT = /[ \t]*(?:(W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/y;

/** Parses the value of If-Match or If-None-Match (RFC 9110 §13.1); null if it is invalid. */
export function parseTagCondition(value: string): TagCondition | null {
  if (value.trim() === '*') return '*';
  const listed: ListedTag[] = [];
  ELEMENT.lastIndex = 0;
  while (ELEMENT.lastIndex < value.length) {
    const element = ELEMENT.exec(value);
    if (element === null) return null;
    const [, weak, tag] = element;
    if (tag !== undefined) listed.push({ isWeak: weak !== undefined, tag });
  }
  return listed.length === 0 ? null : listed;
}

/** Whether If-None-Match lists a tag, by weak comparison (RFC 9110 §13.1.2). */
export function matchesTag(ifNoneMatch: string | null | undefined, tag: string): boolean {
  const condition = ifNoneMatch == null ? null : parseTagCondition(ifNoneMatch);
  if (condition === null || condition === '*') return condition !== null;
  return condition.some((listed) => listed.tag === tag);
}

/** Whether If-Match lists a tag, by strong comparison (RFC 9110 §13.1.1). Clients may have the tag of a compressed response. */
export function fitsTag(ifMatch: TagCondition, tag: string): boolean {
  if (ifMatch === '*') return true;
  const known = [tag, ...CODINGS.map((coding) => codedTag(tag, coding))];
  return ifMatch.some((listed) => !listed.isWeak && known.includes(listed.tag));
}
