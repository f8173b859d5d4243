// Walks the operations of the public API as its facts say: creates, reads, changes, lists, filters and deletes objects of each collection.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Member,
  PUBLIC_TAGS,
  type PublicOperation,
  type PublicTag,
  SHAPES,
} from '../../support/facts.ts';
import { bodyOf, type FindId, type Form, hasAlternatives, hasIds } from './bodies.ts';
import { hasType, referenceOf, sampleFor } from './values.ts';

type Row = Readonly<Record<string, unknown>>;

interface Answer {
  readonly status: number;
  readonly json: unknown;
  readonly text: string;
  readonly next: string | null;
}

export type Send = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** An object, and the one that its path names before it. */
interface Found {
  readonly row: Row;
  readonly parent: Found | null;
}

/** Of each operation what failed; empty: nothing. By method and path. */
export type Results = ReadonlyMap<string, readonly string[]>;

const nameOf = ({ method, path }: PublicOperation) => `${method} ${path}`;

/** The collection that the last parameter of a path names an object of: `courses/sections`; null without a parameter. */
function ownerOf(path: string): string | null {
  const end = path.lastIndexOf('/{');
  if (end < 0) return null;
  return segmentsOf(path.slice(0, end)).join('/');
}

const segmentsOf = (path: string) => path.split('/').filter((part) => part !== '' && !part.startsWith('{'));
const isMember = ({ path }: PublicOperation) => path.endsWith('}');

/** The collection of a tag's objects; null for what is no object. */
function collectionOf({ operations }: PublicTag): string | null {
  const member = operations.find((one) => one.method === 'GET' && isMember(one));
  if (member !== undefined) return ownerOf(member.path);
  const list = operations.find(
    ({ method, query }) => method === 'GET' && query.some(({ name }) => name === 'after'),
  );
  if (list === undefined) return null;
  return segmentsOf(list.path.replace('/workspaces/{workspace_id}', '')).join('/');
}

const TAGS = new Map(PUBLIC_TAGS.map((tag) => [collectionOf(tag), tag]));

/** Whether an operation creates an object of the collection. */
function isCreation({ method, path, body }: PublicOperation, collection: string): boolean {
  return method === 'POST' && body.length > 0 && path.split('/').at(-1) === collection.split('/').at(-1);
}

/** @param say is told each fault as soon as it is found */
export async function walkOperations(
  send: Send,
  only: string,
  say: (line: string) => void,
): Promise<Results> {
  const results = new Map<string, string[]>();
  const shared = new Map<string, Found | null>();
  const making = new Set<string>();

  function fail(operation: PublicOperation, why: string): void {
    results.get(nameOf(operation))?.push(why);
    say(`${nameOf(operation)}: ${why}`);
  }

  /** The path of an operation for the object that its last parameter names. */
  function pathFor(template: string, found: Found | null): string {
    let path = template;
    let at: Found | null = found;
    while (path.includes('{') && at !== null) {
      const end = path.lastIndexOf('{');
      path = `${path.slice(0, end)}${at.row['id']}${path.slice(path.indexOf('}', end) + 1)}`;
      at = at.parent;
    }
    return path;
  }

  /** The object that stands before an operation's path. */
  async function parentOf({ path }: PublicOperation): Promise<Found | null> {
    const owner = ownerOf(path);
    return owner === null ? null : share(owner);
  }

  const findId: FindId = async (collection, isFresh, member = 'id') => {
    // Without a type a price is for one payment.
    const form = collection === 'products/prices' ? 'all' : 'required';
    const found = isFresh ? await make(collection, form) : await share(collection);
    return (found?.row[member] as number | string | undefined) ?? null;
  };

  /** As `findId`, for a change of an object: what it refers to is neither itself nor inside of another one. */
  const findIdFor =
    (collection: string, changed: Found | null): FindId =>
    async (wanted, isFresh, member) => {
      const [, inside = ''] = wanted.split(`${collection}/`);
      const [own] = [changed?.row[`${inside.replace(/s$/, '')}_ids`]].flat();
      if (typeof own === 'number') return own;
      if (inside !== '' && changed !== null && !TAGS.has(wanted))
        return (([changed.row[inside]].flat()[0] as Row | null | undefined)?.['id'] as number) ?? null;
      const id = await findId(wanted, isFresh, member);
      if (wanted !== collection || id !== changed?.row['id']) return id;
      return ((await anotherThan(changed, collection))?.['id'] as number | undefined) ?? null;
    };

  async function anotherThan(found: Found, collection: string): Promise<Row | undefined> {
    const list = TAGS.get(collection)?.operations.find((one) => one.method === 'GET' && !isMember(one));
    const { json } =
      list === undefined ? { json: [] } : await send('GET', pathFor(list.path, await parentOf(list)));
    return (json as Row[]).find(({ id }) => id !== found.row['id']);
  }

  /** An object that others refer to, always the same. */
  async function share(collection: string): Promise<Found | null> {
    if (!shared.has(collection)) {
      if (making.has(collection)) return null;
      const found = (await make(collection, 'all')) ?? (await make(collection, 'required'));
      if (found !== null && !shared.has(collection)) shared.set(collection, found);
    }
    return shared.get(collection) ?? null;
  }

  /** A new object, or the first of a collection that nobody can add to; null if there is none. */
  async function make(collection: string, form: Form): Promise<Found | null> {
    if (making.has(collection)) return null;
    making.add(collection);
    try {
      const tag = TAGS.get(collection);
      if (tag === undefined) return await insideOf(collection, form === 'required');
      const creation = tag.operations.find((one) => isCreation(one, collection));
      return creation === undefined ? await firstOf(tag) : await createBy(creation, form);
    } finally {
      making.delete(collection);
    }
  }

  async function createBy(creation: PublicOperation, form: Form): Promise<Found | null> {
    const parent = await parentOf(creation);
    const body = await bodyOf(creation, form, findId);
    if (isBlank(body)) return createBy(creation, 'all');
    const answer = await send('POST', pathFor(creation.path, parent), body);
    const { status, json } = answer;
    if (status !== 201 && status !== 200) {
      say(`nothing made by ${nameOf(creation)}: ${status} ${reasonOf(answer)} of ${JSON.stringify(body)}`);
      return null;
    }
    const isNested = segmentsOf(creation.path)[0] !== 'workspaces' && creation.path.includes('split');
    return { row: json as Row, parent: isNested ? parent : null };
  }

  /** What stands inside of another object, as the lines of an order. */
  async function insideOf(collection: string, isFresh: boolean): Promise<Found | null> {
    const parts = collection.split('/');
    const name = parts.pop() ?? '';
    const around = isFresh ? await make(parts.join('/'), 'all') : await share(parts.join('/'));
    const inside = [around?.row[name]].flat()[0];
    return inside == null ? null : { row: inside as Row, parent: null };
  }

  /** The first object in any list of a tag, below whichever parent has one. */
  async function firstOf({ operations }: PublicTag): Promise<Found | null> {
    const lists = operations.filter((one) => one.method === 'GET' && !isMember(one));
    for (const list of lists)
      for (const parent of await parentsOf(list)) {
        const { json } = await send('GET', pathFor(list.path, parent));
        const [row] = Array.isArray(json) ? (json as Row[]) : [];
        if (row !== undefined) {
          const owner = ownerOf(list.path);
          if (owner !== null) shared.set(owner, parent);
          return { row, parent: null };
        }
      }
    return null;
  }

  /** The objects below which a list may be asked for, the shared one first. */
  async function parentsOf({ path }: PublicOperation): Promise<readonly (Found | null)[]> {
    const owner = ownerOf(path);
    if (owner === null) return [null];
    const first = await share(owner);
    if (first === null) return [];
    const all = TAGS.get(owner)?.operations.find((one) => one.method === 'GET' && !isMember(one));
    if (all === undefined) return [first];
    const { json } = await send('GET', pathFor(all.path, await parentOf(all)));
    const rows = Array.isArray(json) ? (json as Row[]) : [];
    return [first, ...rows.map((row) => ({ row, parent: null }))];
  }

  async function tryBody(
    operation: PublicOperation,
    found: Found | null,
    form: Form,
    { second = false, find = findId }: { second?: boolean; find?: FindId } = {},
  ) {
    const body = await bodyOf(operation, form, find, second);
    if (form === 'required' && isBlank(body)) return null;
    const answer = await send(operation.method, pathFor(operation.path, found), body);
    if (answer.status < 300) return answer;
    const sent = body === undefined ? '' : ` of ${JSON.stringify(body)}`;
    fail(operation, `with ${form}: ${answer.status} ${reasonOf(answer)}${sent}`);
    return null;
  }

  async function tryCreation(operation: PublicOperation, members: readonly Member[]): Promise<void> {
    for (const form of ['all', 'required', 'nulls', 'decimals'] as const) {
      const answer = await tryBody(operation, await parentOf(operation), form);
      if (answer === null) continue;
      if (![200, 201].includes(answer.status)) fail(operation, `with ${form}: ${answer.status}`);
      checkObject(operation, answer.json as Row, membersShown(members, answer.json as Row));
    }
    if (hasAlternatives(operation.body))
      await tryBody(operation, await parentOf(operation), 'all', { second: true });
  }

  async function tryChange(operation: PublicOperation, collection: string, members: readonly Member[]) {
    for (const form of ['all', 'nulls', 'decimals'] as const) {
      const found = operation.path.includes('{id}')
        ? await make(collection, hasIds(operation.body) ? 'all' : 'required')
        : await parentOf(operation);
      if (found === null) fail(operation, 'there is no object to change');
      else {
        const answer = await tryBody(operation, found, form, { find: findIdFor(collection, found) });
        if (answer !== null)
          checkObject(operation, answer.json as Row, membersShown(members, answer.json as Row));
      }
    }
  }

  async function tryRead(operation: PublicOperation, found: Found | null, members: readonly Member[]) {
    const path = pathFor(operation.path, found);
    const answer = await send('GET', path);
    if (answer.status !== 200) return fail(operation, `${answer.status} ${reasonOf(answer)}`);
    const row = answer.json as Row;
    const hidden = members.filter(({ name }) => !(name in row)).map(({ name }) => `expand[]=${name}`);
    if (hidden.length === 0 || !operation.query.some(({ name }) => name === 'expand[]'))
      return checkObject(operation, row, members);
    const whole = await send('GET', `${path}?${hidden.join('&')}`);
    if (whole.status !== 200)
      return fail(operation, `${hidden.join('&')}: ${whole.status} ${reasonOf(whole)}`);
    checkObject(operation, whole.json as Row, members);
  }

  function checkObject(operation: PublicOperation, row: Row, members: readonly Member[]): void {
    const wrong = faultsIn(row, members, '');
    if (wrong.length > 0) fail(operation, [...new Set(wrong)].join(', '));
  }

  async function walk(path: string, query: string): Promise<Row[] | string> {
    const rows: Row[] = [];
    let after: string | null = null;
    do {
      const cursor: string = after === null ? '' : `&after=${encodeURIComponent(after)}`;
      const answer = await send('GET', `${path}?${query}${cursor}`);
      if (answer.status !== 200 || !Array.isArray(answer.json)) return `${answer.status} ${reasonOf(answer)}`;
      rows.push(...(answer.json as Row[]));
      after = answer.next;
    } while (after !== null && rows.length < MAX_ROWS);
    return rows;
  }

  const bothWays = async (path: string, query: string) =>
    [await walk(path, `${query}&sort_order=asc`), await walk(path, `${query}&sort_order=desc`)] as const;

  /** Pages a list both ways by each order, and filters it by each filter. */
  async function tryList(operation: PublicOperation, members: readonly Member[]): Promise<void> {
    const parents = await parentsOf(operation);
    let rows: Row[] = [];
    let path = '';
    for (const parent of parents) {
      path = pathFor(operation.path, parent);
      const answer = await send('GET', path);
      if (answer.status !== 200) return fail(operation, `${answer.status} ${reasonOf(answer)}`);
      if (!Array.isArray(answer.json)) return tryRead(operation, parent, members);
      rows = answer.json as Row[];
      if (rows.length > 0) break;
    }
    if (rows.length === 0) return fail(operation, 'the list is empty');
    for (const row of rows.slice(0, 3)) checkObject(operation, row, membersShown(members, row));
    const orders =
      operation.query
        .find(({ name }) => name === 'sort_property')
        ?.type?.slice(5, -1)
        .split('|') ?? [];
    for (const order of orders) {
      const query = `sort_property=${order}&per_page=${rows.length > 12 ? 50 : 2}`;
      let [up, down] = await bothWays(path, query);
      // An image that is being fetched moves in the order of changes: the walks are told apart from a fault by another one.
      for (let tries = 0; tries < 5 && !isMirrored(up, down); tries++) {
        await sleep(300);
        [up, down] = await bothWays(path, query);
      }
      if (typeof up === 'string' || typeof down === 'string') fail(operation, `by ${order}: ${up}, ${down}`);
      else if (!isMirrored(up, down))
        fail(operation, `by ${order}: ${idsOf(up)} upward, ${idsOf(down)} downward`);
    }
    const filters = operation.query.find(({ name }) => name === 'filter')?.members ?? [];
    for (const filter of filters) await tryFilter(operation, path, filter, rows);
  }

  async function tryFilter(operation: PublicOperation, path: string, filter: Member, rows: readonly Row[]) {
    const { name } = filter;
    const row = rows.find((one) => inRow(one, name) != null);
    const value = row === undefined ? await sampleOf(filter, operation.path) : inRow(row, name);
    const answer = await send('GET', `${path}?filter[${name}]=${encodeURIComponent(String(value))}`);
    if (answer.status !== 200 || !Array.isArray(answer.json))
      return fail(operation, `filter[${name}]=${value}: ${answer.status} ${reasonOf(answer)}`);
    const found = answer.json as Row[];
    if (row !== undefined && !idsOf(found).includes(row['id']))
      fail(operation, `filter[${name}]=${value} does not find ${row['id']}`);
    const others = found.filter(
      (one) => name in one && String(one[name]) !== String(value) && !Array.isArray(one[name]),
    );
    if (others.length > 0) fail(operation, `filter[${name}]=${value} finds ${idsOf(others)}`);
  }

  /** The value of a filter that no object has yet. */
  async function sampleOf(filter: Member, path: string): Promise<unknown> {
    const collection = referenceOf(filter.name, path);
    return (collection === null ? sampleFor(filter) : await findId(collection, false)) ?? 1;
  }

  async function tryRemoval(operation: PublicOperation, collection: string): Promise<void> {
    const found = await make(collection, 'required');
    if (found === null) return fail(operation, 'there is no object to delete');
    const answer = await tryBody(operation, found, 'all');
    if (answer === null) return;
    if (![200, 204].includes(answer.status)) fail(operation, `${answer.status}`);
    if (!isMember(operation)) return;
    // The first page of the test is gone with it.
    if (collection.includes('split')) for (const gone of PAGES) shared.delete(gone);
    const again = await send('GET', pathFor(operation.path, found));
    if (again.status !== 404) fail(operation, `afterwards GET answers ${again.status}`);
  }

  /** Any other POST. */
  async function tryAction(operation: PublicOperation): Promise<void> {
    const owner = ownerOf(operation.path);
    const found =
      owner === null ? null : owner === 'workspaces' ? await share(owner) : await make(owner, 'required');
    if (operation.path.endsWith('/reorder')) return tryReordering(operation, await parentOf(operation));
    await tryBody(operation, found, 'all');
    if (operation.body.length === 0) return;
    await tryBody(
      operation,
      owner === 'workspaces' ? found : await make(owner ?? '', 'required'),
      'decimals',
    );
  }

  async function tryReordering(operation: PublicOperation, parent: Found | null): Promise<void> {
    const path = pathFor(operation.path, parent);
    const { json } = await send('GET', path.slice(0, path.lastIndexOf('/')));
    const answer = await send('POST', path, { ids_in_order: idsOf(json as Row[]).reverse() });
    if (answer.status >= 300) fail(operation, `${answer.status} ${reasonOf(answer)}`);
  }

  for (const tag of PUBLIC_TAGS) {
    if (!tag.tag.startsWith(only)) continue;
    const { operations, object } = tag;
    const collection = collectionOf(tag) ?? '';
    const members = object ?? [];
    for (const operation of operations) results.set(nameOf(operation), []);
    for (const operation of [...operations].sort((a, b) => placeOf(a) - placeOf(b))) {
      try {
        if (isCreation(operation, collection)) await tryCreation(operation, members);
        else if (operation.method === 'POST') await tryAction(operation);
        else if (operation.method === 'DELETE')
          await tryRemoval(operation, ownerOf(operation.path) ?? collection);
        else if (operation.method !== 'GET') await tryChange(operation, collection, members);
        else if (isMember(operation)) await tryReadOf(operation, members);
        else await tryList(operation, members);
      } catch (error) {
        fail(operation, `the driver failed: ${(error as Error).stack} ${(error as Error).cause}`);
      }
    }
  }
  return results;

  async function tryReadOf(operation: PublicOperation, members: readonly Member[]): Promise<void> {
    const found = await parentOf(operation);
    if (found === null) fail(operation, 'there is no object to read');
    else await tryRead(operation, found, members);
  }
}

/** What is shared of pages. */
const PAGES = ['pages', 'pages/show_page_step'];

/** A list is not walked further. */
const MAX_ROWS = 400;

/** Whether two walks have the same rows, the one the other way round. A long list is not walked to its end. */
const isMirrored = (up: Row[] | string, down: Row[] | string) =>
  typeof up !== 'string' &&
  typeof down !== 'string' &&
  (up.length >= MAX_ROWS || idsOf(up).join() === idsOf(down).reverse().join());

const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => id);

/** Creations come first and removals last. */
function placeOf({ method }: PublicOperation): number {
  return ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'].indexOf(method);
}

/** Whether a body has no member of its object: nothing is required. */
const isBlank = (body: object = {}) =>
  Object.values(body).every((value) => typeof value === 'object' && Object.keys(value ?? {}).length === 0);

/** The members that an answer shows without being asked for more. What is shown only on request is read by its own operation. */
function membersShown(members: readonly Member[], row: Row): readonly Member[] {
  return members.filter(({ name }) => name in row);
}

/** What a row has of the thing that a filter names. */
function inRow(row: Row, name: string): unknown {
  if (name === 'funnel_pages') return row['funnel'] !== null;
  const [, noun = ''] = /^(\w+?)_ids?$/.exec(name) ?? [];
  const inside = [row[name] ?? row[`${noun}_ids`] ?? row[`${noun}s`] ?? row[noun]].flat()[0];
  return typeof inside === 'object' && inside !== null ? (inside as Row)['id'] : inside;
}

function reasonOf({ text, json }: Answer): string {
  const { error, detail } = (json ?? {}) as { error?: string; detail?: string };
  return detail ?? error ?? text.slice(0, 200);
}

/** The members that are missing, or have another type. */
function faultsIn(row: Row, members: readonly Member[], path: string, depth = 0): string[] {
  return members.flatMap((member) => {
    const { name } = member;
    const at = `${path}${name}`;
    // Inside of others what may be absent is.
    if (row === null || typeof row !== 'object' || !(name in row))
      return member.isOptional && depth > 0 ? [] : [`${at} is missing`];
    const value = row[name];
    const below = member.members ?? SHAPES.get(member.type ?? '');
    if (below === undefined) return hasType(value, member) ? [] : [`${at} is ${JSON.stringify(value)}`];
    if (value === null || below.length === 0 || depth > 5) return [];
    if (Array.isArray(value) !== member.isList) return [`${at} is ${JSON.stringify(value).slice(0, 100)}`];
    return [value].flat().flatMap((one) => faultsIn(one as Row, below, `${at}.`, depth + 1));
  });
}
