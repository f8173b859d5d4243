// Creates values that a JSON Schema of openapi.json allows, and finds its parts.
import { document } from '../openapi.ts';
import type { Random } from './random.ts';

/** The part of JSON Schema that the document uses for requests. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly format?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
}

/** The target of a reference to a part of openapi.json. */
export function dereference<T extends { readonly $ref?: string }>(described: T): T {
  if (described.$ref === undefined) return described;
  const parts = described.$ref.slice(2).split('/');
  return parts.reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], document) as T;
}

/** A value, with each optional member in about half of the cases. */
export function exampleOf(of: Schema, random: Random, name = ''): unknown {
  const schema = dereference(of);
  if (schema.anyOf !== undefined) return exampleOf(random.pick(schema.anyOf), random, name);
  if (schema.enum !== undefined) return random.pick(schema.enum);
  const type = random.pick([schema.type ?? 'string'].flat());
  if (type === 'object') return objectOf(schema, random);
  if (type === 'array')
    return Array.from({ length: random.int(4) }, () => exampleOf(schema.items ?? {}, random, name));
  if (type === 'null') return null;
  if (type === 'boolean') return random.percent(50);
  if (type === 'integer' || type === 'number') return random.int(1_000) + 1;
  return textOf(schema, random, name);
}

function objectOf({ properties = {}, required = [], additionalProperties }: Schema, random: Random): object {
  const given = Object.entries(properties).filter(([name]) => required.includes(name) || random.percent(50));
  const named = given.map(([name, schema]) => [name, exampleOf(schema, random, name)]);
  const free = typeof additionalProperties === 'object' ? additionalProperties : null;
  const added =
    free === null
      ? []
      : Array.from({ length: random.int(3) }, (_, i) => [`own_${i}`, exampleOf(free, random)]);
  return Object.fromEntries([...named, ...added]);
}

function textOf({ pattern, format, maxLength = 100 }: Schema, random: Random, name: string): string {
  if (pattern === '^#[0-9a-fA-F]{6}$') return `#${String(random.int(1_000_000)).padStart(6, '0')}`;
  if (pattern !== undefined) return String(random.int(1_000) + 1);
  if (format === 'date-time') return new Date(Date.UTC(2026, random.int(12), 1)).toISOString();
  if (name === 'email_address') return `person-${random.int(1_000_000)}@example.com`;
  if (name === 'url') return `https://hooks.example.com/${random.int(1_000)}`;
  if (name === 'event_type_ids')
    return random.pick(['contact.created', 'contact.updated', 'contact.identified']);
  return (
    'Name'.repeat(random.percent(5) ? Math.ceil(maxLength / 4) : 1).slice(0, maxLength) +
    (maxLength < 4_000 ? '' : random.int(9))
  );
}
