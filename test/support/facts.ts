// The operations of the public API as facts (test/facts/public-operations.md): paths, members of bodies and objects, filters.
import { readFileSync } from 'node:fs';

/** A member of an object or of a body. */
export interface Member {
  readonly name: string;
  /** `text`, `int`, `enum(...)`; absent for an object. */
  readonly type?: string;
  readonly members?: readonly Member[];
  readonly isList: boolean;
  /** It may be absent or null. */
  readonly isOptional: boolean;
}

export interface PublicOperation {
  readonly tag: string;
  readonly method: string;
  /** With `{name}` for parameters, below `/api/v2`. */
  readonly path: string;
  readonly query: readonly Member[];
  readonly body: readonly Member[];
}

export interface PublicTag {
  readonly tag: string;
  readonly operations: readonly PublicOperation[];
  /** The members of its objects; null if the facts have none. */
  readonly object: readonly Member[] | null;
}

const TEXT = readFileSync(new URL('../facts/public-operations.md', import.meta.url), 'utf8');

/** Splits at commas outside of brackets. */
function splitMembers(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at <= text.length; at++) {
    if ('{(<['.includes(text[at] ?? ' ')) depth++;
    if ('})>]'.includes(text[at] ?? ' ')) depth--;
    if (at === text.length || (text[at] === ',' && depth === 0)) {
      parts.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  return parts.filter((part) => part !== '');
}

function parseMember(text: string): Member {
  const colon = text.indexOf(':');
  const name = text.slice(0, colon).trim();
  let type = text.slice(colon + 1).trim();
  const isOptional = type.endsWith('?');
  if (isOptional) type = type.slice(0, -1);
  const isList = type.endsWith('[]');
  if (isList) type = type.slice(0, -2);
  // A map with names of the client's choice.
  if (type.startsWith('{CustomKey:')) type = 'map';
  return type.startsWith('{')
    ? { name, members: parseMembers(type.slice(1, -1)), isList, isOptional }
    : { name, type, isList, isOptional };
}

function parseMembers(text: string): Member[] {
  return splitMembers(text).map(parseMember);
}

function parseTag(section: string): PublicTag {
  const [tag = '', ...lines] = section.split('\n');
  const operations: { tag: string; method: string; path: string; query: Member[]; body: Member[] }[] = [];
  let object: readonly Member[] | null = null;
  for (const line of lines) {
    const [, method = '', path = ''] = /^- (GET|POST|PUT|PATCH|DELETE) (\S+)$/.exec(line) ?? [];
    if (method !== '') operations.push({ tag, method, path, query: [], body: [] });
    const [, kind, rest = ''] = /^ {2}- (query|body): (.*)$/.exec(line) ?? [];
    const last = operations.at(-1);
    if (kind === 'query' && last !== undefined) last.query = parseMembers(rest);
    if (kind === 'body' && last !== undefined) last.body = parseMembers(rest.slice(1, rest.lastIndexOf('}')));
    if (line.startsWith('- object: ')) object = parseMembers(line.slice('- object: '.length));
  }
  return { tag, operations, object };
}

/** The nested shapes, by name. */
export const SHAPES: ReadonlyMap<string, readonly Member[]> = new Map(
  [...TEXT.matchAll(/^- ([A-Z]\w+): (.*)$/gm)].map(([, name = '', members = '']) => [
    name,
    parseMembers(members.trim()),
  ]),
);

/** The description of a restock, which is in the introduction of the text. */
const RESTOCK = /A restock's object: (.*?)\.\n/.exec(TEXT)?.[1] ?? '';

/** Objects whose members are not below their tag. */
const ELSEWHERE: ReadonlyMap<string, readonly Member[]> = new Map([
  ['Contact', SHAPES.get('ContactBase') ?? []],
  ['Orders::Invoices::Restock', parseMembers(RESTOCK)],
]);

/** All tags with their operations. */
export const PUBLIC_TAGS: readonly PublicTag[] = TEXT.split(/^## /m)
  .slice(1)
  .map(parseTag)
  .filter(({ operations }) => operations.length > 0)
  .map((of) => ({ ...of, object: of.object ?? ELSEWHERE.get(of.tag) ?? null }));
