// Edits the members of a JSON object as text, because parsing and writing it again could change numbers and the order of members. Pure.

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The JSON text of an object without the members with these names. */
export function withoutMembers(json: string, names: readonly string[]): string {
  if (names.length === 0) return json;
  const kept = partsOf(json).filter((member) => !names.includes(nameOf(member)));
  return `{${kept.join(',')}}`;
}

/** The members of an object, or the items of a list, as text. */
function partsOf(json: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at);
    else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      if (depth++ === 0) start = at + 1;
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      if (--depth === 0) parts.push(json.slice(start, at));
    } else if (code === COMMA && depth === 1) {
      parts.push(json.slice(start, at));
      start = at + 1;
    }
  }
  return parts.length === 1 && parts[0]?.trim() === '' ? [] : parts;
}

/** The index of the quotation mark that ends the string that begins at `start`. */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end < 0 ? json.length : end;
}

function isEscaped(json: string, at: number): boolean {
  let before = at - 1;
  while (json.charCodeAt(before) === BACKSLASH) before--;
  return (at - before) % 2 === 0;
}

function nameOf(member: string): string {
  const start = member.indexOf('"');
  const name = member.slice(start, endOfString(member, start) + 1);
  return name.includes('\\') ? (JSON.parse(name) as string) : name.slice(1, -1);
}

/** The JSON text of an object without some members of its nested objects. @param inside the names to remove, by the member with an object or a list */
export function withoutMembersInside(json: string, inside: ReadonlyMap<string, readonly string[]>): string {
  if (inside.size === 0) return json;
  const members = partsOf(json).map((member) => {
    const names = inside.get(nameOf(member));
    if (names === undefined) return member;
    const start = member.indexOf(':', endOfString(member, member.indexOf('"'))) + 1;
    return member.slice(0, start) + withoutMembersOf(member.slice(start), names);
  });
  return `{${members.join(',')}}`;
}

/** The JSON text of an object or a list of objects without the members with these names; any other value unchanged. */
export function withoutMembersOf(json: string, names: readonly string[]): string {
  const [first] = json.trimStart();
  if (first === '[')
    return `[${partsOf(json)
      .map((item) => withoutMembersOf(item, names))
      .join(',')}]`;
  return first === '{' ? withoutMembers(json, names) : json;
}

/** The JSON text of an object with null in place of some members. @param ways the path to each of them */
export function withNull(json: string, ways: readonly (readonly string[])[]): string {
  const keep = (_name: string, value: unknown, { source }: { source?: string }) =>
    typeof value === 'number' ? JSON.rawJSON(source ?? String(value)) : value;
  const object = JSON.parse(json, keep) as object;
  for (const way of ways) {
    const parent = way
      .slice(0, -1)
      .reduce<unknown>((of, name) => of && Reflect.get(of as object, name), object);
    const name = way.at(-1) ?? '';
    if (parent instanceof Object && name in parent) Reflect.set(parent, name, null);
  }
  return JSON.stringify(object);
}
