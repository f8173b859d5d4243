// JSON as a tree that also has what JSON.stringify never writes: duplicate members, numbers beyond floating point, invalid texts.
import type { Random } from './random.ts';
import { JSON_VALUES, TEXTS } from './values.ts';

/** A list, an object by its members in order, or the text of any other value. */
export type Json = string | Json[] | { members: [string, Json][] };

export function toJson(value: unknown): Json {
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  return { members: Object.entries(value).map(([name, member]) => [name, toJson(member)]) };
}

export function toText(json: Json): string {
  if (typeof json === 'string') return json;
  if (Array.isArray(json)) return `[${json.map(toText).join(',')}]`;
  return `{${json.members.map(([name, member]) => `${JSON.stringify(name)}:${toText(member)}`).join(',')}}`;
}

/** The tree with one part that is wrong, or may be. */
export function mutate(json: Json, random: Random): Json {
  // Mostly further down, because the gateway finds errors at the top first.
  if (typeof json !== 'string' && random.percent(80)) {
    if (Array.isArray(json) && json.length > 0) return mutateAt(json, random);
    if (!Array.isArray(json) && json.members.length > 0)
      return random.percent(70) ? mutateMember(json.members, random) : mutateMembers(json.members, random);
  }
  return random.pick([
    () => random.pick(JSON_VALUES),
    () => random.pick(JSON_VALUES),
    () => [json],
    (): Json => ({ members: [['a', json]] }),
    () => JSON.stringify(toText(json)),
  ])();
}

function mutateAt(items: Json[], random: Random): Json {
  const at = random.int(items.length);
  return items.with(at, mutate(items[at] ?? 'null', random));
}

function mutateMember(members: [string, Json][], random: Random): Json {
  const at = random.int(members.length);
  const [name, value] = members[at] ?? ['', 'null'];
  return { members: members.with(at, [name, mutate(value, random)]) };
}

/** Changes which members exist, and their names. */
function mutateMembers(members: [string, Json][], random: Random): Json {
  const at = random.int(members.length);
  const [name, value] = members[at] ?? ['', 'null'];
  const others = members.toSpliced(at, 1);
  return random.pick([
    (): Json => ({ members: others }),
    (): Json => ({ members: [...members, [name, random.pick(JSON_VALUES)]] }),
    (): Json => ({ members: [[name, random.pick(JSON_VALUES)], ...members] }),
    (): Json => ({ members: [...members, [random.pick(TEXTS), random.pick(JSON_VALUES)]] }),
    (): Json => ({ members: [...others, [random.pick(TEXTS), value]] }),
    (): Json => ({ members: [...others, [name.toUpperCase(), value]] }),
    (): Json => ({ members: [...members, ['id', random.pick(JSON_VALUES)], ['workspace_id', '1']] }),
  ])();
}

/** The bytes of a text with some changed, removed or added. */
export function mutateBytes(bytes: Buffer, random: Random): Buffer {
  const at = random.int(bytes.length + 1);
  const put = (...added: number[]) =>
    Buffer.concat([bytes.subarray(0, at), Buffer.from(added), bytes.subarray(at)]);
  return random.pick([
    () => bytes.subarray(0, at),
    () => put(0),
    () => put(0xff),
    () => put(0xc0, 0xaf),
    () => put(0xed, 0xa0, 0x80),
    () => put(0xef, 0xbb, 0xbf),
    () => put(random.int(256)),
    () => Buffer.concat([bytes, bytes]),
    () => Buffer.concat([Buffer.from('\ufeff'), bytes]),
    () => Buffer.from(bytes.toString(), 'utf16le'),
    () => bytes.map((byte, index) => (index === at ? byte ^ (1 << random.int(8)) : byte)) as Buffer,
  ])();
}
