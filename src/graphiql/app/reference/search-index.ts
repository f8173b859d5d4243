// What the search of the reference knows of each entry, and how it orders what it finds; in place of Scalar's own, which reads the schemas and
// examples of every answer. In a document of this size that takes many seconds before the first letter, and lists events before requests.
import Fuse from 'fuse.js';
import { findOperation, type Operation, resolveReference, type Schema } from './document.ts';

/** An entry of Scalar's list of contents. */
interface NavigationEntry {
  readonly type: 'operation' | 'webhook' | 'model' | 'models' | 'tag' | 'text';
  readonly id: string;
  readonly title?: string;
  readonly description?: string;
  readonly path?: string;
  readonly method?: string;
  readonly children?: readonly NavigationEntry[];
}

/** What Scalar shows of a hit, and `fields`, which are found too. */
interface Item {
  readonly type: 'operation' | 'webhook' | 'model' | 'heading' | 'tag';
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly path?: string | undefined;
  readonly method?: string | undefined;
  readonly operationId?: string | undefined;
  /** Names of parameters, and of the members of the request's body. */
  readonly fields: readonly string[];
  readonly entry: NavigationEntry;
}

/** Of hits that are equally good, the first kind comes first. */
const KINDS: readonly Item['type'][] = ['operation', 'tag', 'webhook', 'model', 'heading'];
/** A body is an object in an object; its lists have objects too. */
const MAX_DEPTH = 4;

/** @param document Scalar's copy of the OpenAPI document */
export function createSearchIndex(document: {
  readonly 'x-scalar-navigation'?: NavigationEntry;
}): readonly Item[] {
  const items = flatten(document['x-scalar-navigation']?.children ?? []).map(toItem);
  return items.toSorted((a, b) => KINDS.indexOf(a.type) - KINDS.indexOf(b.type));
}

export function createFuseInstance(): Fuse<Item> {
  return new Fuse<Item>([], {
    keys: [
      { name: 'title', weight: 4 },
      { name: 'path', weight: 2 },
      { name: 'operationId', weight: 2 },
      { name: 'fields', weight: 1 },
      { name: 'description', weight: 1 },
    ],
    threshold: 0.2,
    ignoreLocation: true,
    // A title that says more is not a worse hit than the name of an event.
    ignoreFieldNorm: true,
    useExtendedSearch: true,
  });
}

function flatten(entries: readonly NavigationEntry[]): NavigationEntry[] {
  return entries.flatMap((entry) => [entry, ...flatten(entry.children ?? [])]);
}

function toItem(entry: NavigationEntry): Item {
  const { type, id, title = '', description = '', path, method } = entry;
  if (type === 'operation') return { ...operationItem(path, method), type, id, title, path, method, entry };
  if (type === 'webhook') return { type, id, title, description: 'Webhook', fields: [], entry };
  if (type === 'model') return { type, id, title, description: 'Model', fields: [], entry };
  if (type === 'tag') return { type, id, title, description, fields: [], entry };
  return { type: 'heading', id, title, description: 'Heading', fields: [], entry };
}

function operationItem(path = '', method = ''): Pick<Item, 'description' | 'operationId' | 'fields'> {
  const operation = findOperation(path, method);
  return {
    description: operation?.description ?? '',
    operationId: operation?.operationId,
    fields: operation === undefined ? [] : fieldsOf(operation),
  };
}

function fieldsOf({ parameters = [], requestBody }: Operation): string[] {
  const body = requestBody && resolveReference(requestBody);
  const schemas = Object.values(body?.content ?? {}).map(({ schema }) => schema);
  const names = parameters.map((parameter) => resolveReference(parameter).name);
  return [...new Set([...names, ...schemas.flatMap((schema) => memberNames(schema, MAX_DEPTH))])];
}

function memberNames(reference: Schema | undefined, depth: number): string[] {
  if (reference === undefined || depth === 0) return [];
  const { properties = {}, anyOf = [], oneOf = [], allOf = [], items } = resolveReference(reference);
  const parts = [...Object.values(properties), ...anyOf, ...oneOf, ...allOf, items];
  return [...Object.keys(properties), ...parts.flatMap((part) => memberNames(part, depth - 1))];
}
