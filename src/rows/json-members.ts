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
