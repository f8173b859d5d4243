// Writes what is the same in several places of the OpenAPI document once, among its components: parameters, and schemas of objects.

interface Operation {
  readonly tags: readonly string[];
  parameters: readonly Part[];
}
type Part = { readonly [name: string]: unknown } & {
  readonly $ref?: string;
  readonly name?: string;
  readonly example?: unknown;
};
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** `FilterCreatedAtFrom` of `filter[created_at][from]`. */
const pascalCase = (name: string) =>
  name
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/** What makes two parameters the same: all but the example. */
const keyOfPart = ({ example: _, ...part }: Part) => JSON.stringify(part);

/**
 * Replaces parameters that several operations have by references.
 * @returns the parameters by name. Different ones with the same name are named after the tag of their first operation, too
 */
export function shareParameters(paths: Paths): Record<string, Part> {
  const uses = new Map<string, { part: Part; tag: string; count: number }>();
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  for (const { tags, parameters } of operations)
    for (const part of parameters) {
      if (part.$ref !== undefined) continue;
      const key = keyOfPart(part);
      const use = uses.get(key) ?? { part, tag: tags[0] ?? '', count: 0 };
      uses.set(key, { ...use, count: use.count + 1 });
    }
  const shared = [...uses].filter(([, { count }]) => count > 1);
  const sameName = Map.groupBy(shared, ([, { part }]) => part.name);
  const names = new Map<string, string>();
  for (const [name = '', same] of sameName)
    for (const [key, { tag }] of same) {
      const own = same.length === 1 ? pascalCase(name) : pascalCase(`${tag} ${name}`);
      // `id` of a workspace beside `workspace_id` of what is below it.
      const free = [own, `Parent${own}`].find((one) => ![...names.values()].includes(one));
      if (free !== undefined) names.set(key, free);
    }
  for (const operation of operations)
    operation.parameters = operation.parameters.map((part) => {
      const name = names.get(keyOfPart(part));
      return name === undefined ? part : { $ref: `#/components/parameters/${name}` };
    });
  return Object.fromEntries([...names].map(([key, name]) => [name, uses.get(key)?.part ?? {}]));
}

type Schema = { readonly [name: string]: unknown };
type Schemas = Readonly<Record<string, Schema>>;

/** The place of a schema: the names of the members that lead to it, and whether it is an item of a list. */
interface Place {
  readonly owner: string;
  readonly member: string;
  readonly isItem: boolean;
}

/**
 * Replaces schemas of objects that are written out several times by references: to the noun's own schema, or to a new one, which is named
 * after the words that the members with it have in common (`Visit` for `first_visit` and `last_visit`).
 * @returns all schemas by name
 */
export function shareSchemas(schemas: Schemas): Schemas {
  const places = new Map<string, Place[]>();
  for (const [owner, schema] of Object.entries(schemas))
    visit(schema, { owner, member: '', isItem: false }, (key, place) => {
      if (place.member !== '') places.set(key, [...(places.get(key) ?? []), place]);
    });
  const names = new Map<string, string>();
  for (const [name, schema] of Object.entries(schemas)) {
    const key = keyOf(schema);
    if (key !== null && !names.has(key) && !/(?:Creation|Change)$/.test(name)) names.set(key, name);
  }
  const taken = new Set(Object.keys(schemas));
  for (const [key, same] of places) {
    if (names.has(key) || same.length < 2) continue;
    const name = nameFor(same, taken);
    taken.add(name);
    names.set(key, name);
  }
  const added = [...names]
    .filter(([, name]) => !Object.hasOwn(schemas, name))
    .map(([key, name]) => [name, referring(JSON.parse(key) as Schema, names, true)]);
  return {
    ...Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [name, referring(schema, names, true)]),
    ),
    ...Object.fromEntries(added),
  };
}

/** What makes two schemas of objects the same: all but description and null. null: it is not one. */
function keyOf({ description: _, ...schema }: Schema): string | null {
  const { type, properties } = schema;
  const isObject = type === 'object' || (Array.isArray(type) && type.includes('object'));
  return isObject && properties !== undefined ? JSON.stringify({ ...schema, type: 'object' }) : null;
}

function visit(schema: Schema, place: Place, found: (key: string, place: Place) => void): void {
  const key = keyOf(schema);
  if (key !== null) found(key, place);
  for (const [member, one] of Object.entries((schema['properties'] ?? {}) as Schemas))
    visit(one, { ...place, member, isItem: false }, found);
  if (typeof schema['items'] === 'object')
    visit(schema['items'] as Schema, { ...place, isItem: true }, found);
}

/** @param isOwn whether it is the schema that others refer to */
function referring(schema: Schema, names: ReadonlyMap<string, string>, isOwn: boolean): Schema {
  const name = names.get(keyOf(schema) ?? '');
  if (name !== undefined && !isOwn) {
    const { type, description } = schema;
    const ref = { $ref: `#/components/schemas/${name}` };
    if (Array.isArray(type)) return { anyOf: [ref, { type: 'null' }], description };
    return description === undefined ? ref : { ...ref, description };
  }
  const { properties, items } = schema as { properties?: Schemas; items?: Schema };
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([member, one]) => [member, referring(one, names, false)]),
      ),
    }),
    ...(items && { items: referring(items, names, false) }),
  };
}

/** The words that all members have in common, or else the owner's name and the first member's. Items are named in the singular. */
function nameFor(places: readonly Place[], taken: ReadonlySet<string>): string {
  const words = places.map(({ member, isItem }) => (isItem ? singular(member) : member).split('_'));
  const [first = [], ...others] = words;
  const common = first.filter((word) => others.every((other) => other.includes(word)));
  const name = pascalCase(common.join('_'));
  if (name !== '' && !taken.has(name)) return name;
  const [place] = places;
  const own = pascalCase(`${place?.owner} ${first.join('_')}`);
  return taken.has(own) ? `${own}Object` : own;
}

const singular = (name: string) => name.replace(/ies$/, 'y').replace(/(?<=ch|sh|x)es$|(?<=[^s])s$/, '');
