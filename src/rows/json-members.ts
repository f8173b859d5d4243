// The members of a JSON object, as text: parsed and written again, numbers and the order of members could become others. Pure.

/** Strings, which may contain anything, and what begins, ends or separates values. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/gs;
const NAME = /^\s*("[^"\\]*(?:\\.[^"\\]*)*")/s;

/** The JSON text of an object without the members of these names. */
export function withoutMembers(json: string, names: readonly string[]): string {
  if (names.length === 0) return json;
  const kept = membersOf(json).filter((member) => !names.includes(nameOf(member)));
  return `{${kept.join(',')}}`;
}

function membersOf(json: string): string[] {
  const members: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    if (token === '{' || token === '[') depth++;
    const isEnd = depth === 1 && (token === ',' || token === '}');
    if (isEnd) members.push(json.slice(start, index));
    if (isEnd || (depth === 1 && token === '{')) start = index + 1;
    if (token === '}' || token === ']') depth--;
  }
  return members.filter((member) => NAME.test(member));
}

function nameOf(member: string): string {
  return JSON.parse(NAME.exec(member)?.[1] ?? '""') as string;
}

/** The JSON text of an object without these members of the items of its lists. */
export function withoutMembersInLists(
  json: string,
  lists: readonly [list: string, names: readonly string[]][],
): string {
  if (lists.length === 0) return json;
  const object = parseExactly(json);
  for (const [list, names] of lists) {
    const items: unknown = Reflect.get(object, list);
    for (const item of Array.isArray(items) ? (items as object[]) : [])
      for (const name of names) Reflect.deleteProperty(item, name);
  }
  return JSON.stringify(object);
}

/** Parses an object so that its numbers are written again as they were. */
function parseExactly(json: string): object {
  const keep = (_name: string, value: unknown, { source }: { source?: string }) =>
    typeof value === 'number' ? JSON.rawJSON(source ?? String(value)) : value;
  return JSON.parse(json, keep) as object;
}

/** The JSON text of an object with null in place of these members, each of which is named by the way to it. */
export function withNull(json: string, ways: readonly (readonly string[])[]): string {
  const object = parseExactly(json);
  for (const way of ways) {
    const above = way
      .slice(0, -1)
      .reduce<unknown>((of, name) => of && Reflect.get(of as object, name), object);
    const name = way.at(-1) ?? '';
    if (above instanceof Object && name in above) Reflect.set(above, name, null);
  }
  return JSON.stringify(object);
}
