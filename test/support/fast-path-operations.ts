// Operations for the comparison of the fast path with the full executor: those of our tests and examples, and generated ones.

import { glob, readFile } from 'node:fs/promises';
import fc from 'fast-check';
import {
  type GraphQLCompositeType,
  type GraphQLField,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  Kind,
  parse,
  validate,
} from 'graphql';
import type { App } from '../../src/context.ts';
import { encodeCursor } from '../../src/cursors.ts';
import { schema } from '../../src/graphql/schema.ts';
import type { GraphqlOperation } from './fast-path.ts';
import { prismaOf } from './prisma.ts';

/** Values that operations ask for, some of them of another team or unknown. */
export interface Asked {
  readonly globalIds: readonly string[];
  readonly cursors: readonly string[];
  readonly teamIds: readonly number[];
  readonly workspaceIds: readonly number[];
  readonly subdomains: readonly string[];
}

const BAD_IDS = ['', 'x', btoa('Contact:0'), btoa('Contact:99999999'), btoa('Nope:1'), btoa('Node:1')];
const BAD_CURSORS = ['', 'x', btoa('contacts:x')];
const LISTS = [
  'teams',
  'workspaces',
  'contacts',
  'funnels',
  'pages',
  'refine_filters',
  'webhook_endpoints',
  'conditional_split_steps',
  'api_keys',
  'oauth_grants',
  'tags',
];

/** Values from the store. */
export async function readAsked({ store }: App): Promise<Asked> {
  const prisma = prismaOf(store);
  const some = { select: { id: true }, orderBy: { id: 'asc' }, take: 3 } as const;
  const steps = (kind: 'page' | 'conditional_split') =>
    prisma.funnelStep.findMany({ ...some, where: { kind } });
  const rows = {
    Team: await prisma.team.findMany(some),
    Workspace: await prisma.workspace.findMany(some),
    Contact: await prisma.contact.findMany(some),
    Funnel: await prisma.funnel.findMany(some),
    Page: await prisma.page.findMany(some),
    SavedFilter: await prisma.refineFilter.findMany(some),
    WebhookEndpoint: await prisma.webhookEndpoint.findMany(some),
    PageStep: await steps('page'),
    ConditionalSplit: await steps('conditional_split'),
    ApiKey: await prisma.apiKey.findMany(some),
    OauthGrant: await prisma.oauthGrant.findMany(some),
    ContactTag: await prisma.tag.findMany(some),
    User: await prisma.user.findMany({ ...some, where: { serviceTeamId: { not: null } } }),
  };
  const globalIds = Object.entries(rows).flatMap(([type, found]) =>
    found.map(({ id }) => btoa(`${type}:${id}`)),
  );
  const workspaces = await prisma.workspace.findMany({ select: { subdomain: true } });
  return {
    globalIds,
    cursors: LISTS.flatMap((list) => [1n, 4n, 12n].map((id) => encodeCursor(list, id))),
    teamIds: rows.Team.map(({ id }) => Number(id)),
    workspaceIds: rows.Workspace.map(({ id }) => Number(id)),
    subdomains: workspaces.map(({ subdomain }) => subdomain),
  };
}

const SOURCES = 'test/**/*.test.ts';
const LITERAL = /\/\/.*$|`((?:[^`\\]|\\.)*)`|'((?:[^'\\\n]|\\.)*)'/gm;

/** Frames for selections that a test has outside of its operation. */
const FRAMES: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `{ ${text} }`,
  (text) => `{ workspace(by: { subdomain: "acme" }) { ${text} } }`,
  (text) => `{ viewer { teams { nodes { workspaces { nodes { ${text} } } } } } }`,
];

/** Every query that is complete in our tests' sources, or is a selection below a workspace; no mutations. */
export async function readTestOperations(asked: Asked): Promise<GraphqlOperation[]> {
  const found = new Map<string, GraphqlOperation>();
  for await (const file of glob(SOURCES)) {
    for (const [, long, short] of (await readFile(file, 'utf8')).matchAll(LITERAL)) {
      const text = (long ?? short ?? '').replaceAll("\\'", "'");
      if (!text.includes('{') || text.includes('${')) continue;
      if (/^\s*(\{|query\b)/.test(text)) found.set(text, toOperation(text, asked));
      const framed = FRAMES.map((frame) => frame(text)).find(isValidQuery);
      if (framed !== undefined) found.set(framed, toOperation(framed, asked));
    }
  }
  return [...found.values()];
}

function isValidQuery(text: string): boolean {
  try {
    const document = parse(text);
    const queries = document.definitions.every(
      (definition) => definition.kind !== Kind.OPERATION_DEFINITION || definition.operation === 'query',
    );
    return queries && validate(schema, document).length === 0;
  } catch {
    return false;
  }
}

/** A query with values for its variables, by their names. */
function toOperation(query: string, asked: Asked): GraphqlOperation {
  const of = (type: string) => asked.globalIds.find((id) => atob(id).startsWith(`${type}:`));
  const known: Record<string, unknown> = {
    ids: [...asked.globalIds, ...BAD_IDS],
    teamId: asked.teamIds[0],
    team: asked.teamIds[0],
    workspace: asked.workspaceIds[0],
    subdomain: asked.subdomains[0],
    workspaceId: of('Workspace'),
    contact: of('Contact'),
    funnel: of('Funnel'),
    endpoint: of('WebhookEndpoint'),
    first: 2,
    after: asked.cursors.find((cursor) => atob(cursor).startsWith('contacts:')),
  };
  const variables: Record<string, unknown> = {};
  for (const [, name = '', type = ''] of query.matchAll(/\$(\w+): *(\[?\w+)/g)) {
    const value = name === 'id' && type === 'BigInt' ? 1 : name === 'id' ? of('Contact') : known[name];
    if (value !== undefined) variables[name] = value;
  }
  return { query, variables };
}

/** Operations over our schema, nearly all of them valid. */
export function operations(asked: Asked): fc.Arbitrary<GraphqlOperation> {
  return fc.gen().map((g) => new Writer(asked, (max) => g(evenly, max)).operation());
}

/** An integer without a preference for small numbers, because the numbers are choices. */
function evenly(max: number): fc.Arbitrary<number> {
  return fc.noBias(fc.nat(max));
}

type Field = GraphQLField<unknown, unknown>;

class Writer {
  private readonly asked: Asked;
  /** An integer from 0 to the argument. */
  private readonly upTo: (max: number) => number;
  private readonly definitions: string[] = [];
  private readonly variables: Record<string, unknown> = {};
  private readonly fragments: { readonly name: string; readonly on: string; readonly text: string }[] = [];
  private aliases = 0;
  /** How many more fields may be written. */
  private budget = 40;

  constructor(asked: Asked, upTo: (max: number) => number) {
    this.asked = asked;
    this.upTo = upTo;
  }

  operation(): GraphqlOperation {
    const root = schema.getQueryType();
    if (root == null) throw new Error('no query type');
    const selection = this.selection(root, 4 + this.upTo(4));
    const fragments = this.fragments.map(({ text }) => text).join('\n');
    const head = this.definitions.length > 0 ? `(${this.definitions.join(', ')})` : '';
    const variables = this.variables;
    if (this.chance(15)) {
      const query = `query Other { __typename }\nquery Main${head} ${selection}\n${fragments}`;
      return { query, variables, operationName: 'Main' };
    }
    return { query: `query${head} ${selection}\n${fragments}`, variables };
  }

  private selection(type: GraphQLCompositeType, depth: number): string {
    const count = 1 + this.upTo(3);
    const parts = Array.from({ length: count }, () => this.part(type, depth)).flat();
    return `{ ${parts.join(' ')} }`;
  }

  private part(type: GraphQLCompositeType, most: number): string[] {
    const depth = this.budget-- > 0 ? most : 0;
    const dice = this.upTo(99);
    if (dice < 8) return [this.chance(50) ? '__typename' : `${this.alias()}: __typename`];
    if (depth <= 0) return this.field(type, depth);
    if (dice < 14) return [`...${this.directive()} ${this.selection(type, depth - 1)}`];
    if (dice < 24 || (isAbstractType(type) && dice < 75)) return [this.inline(this.narrow(type), depth)];
    if (dice < 34) return [this.spread(this.narrow(type), depth)];
    return this.field(type, depth);
  }

  private inline(on: GraphQLCompositeType, depth: number): string {
    return `... on ${on.name}${this.directive()} ${this.selection(on, depth - 1)}`;
  }

  private spread(on: GraphQLCompositeType, depth: number): string {
    const known = this.fragments.filter((fragment) => fragment.on === on.name);
    if (known.length > 0 && this.chance(50)) return `...${this.pick(known).name}`;
    const selection = this.selection(on, depth - 1);
    const name = `F${this.fragments.length}`;
    this.fragments.push({ name, on: on.name, text: `fragment ${name} on ${on.name} ${selection}` });
    return `...${name}`;
  }

  /** The type itself, one of its possible types, or one of its interfaces. */
  private narrow(type: GraphQLCompositeType): GraphQLCompositeType {
    const possible = isAbstractType(type) ? schema.getPossibleTypes(type) : [];
    const interfaces = isObjectType(type) || isInterfaceType(type) ? type.getInterfaces() : [];
    const below = Object.values(schema.getTypeMap()).filter(
      (other) => isInterfaceType(other) && isInterfaceType(type) && other.getInterfaces().includes(type),
    );
    return this.pick([type, ...possible, ...possible, ...interfaces, ...below.filter(isCompositeType)]);
  }

  private field(type: GraphQLCompositeType, depth: number): string[] {
    const all = 'getFields' in type ? Object.values(type.getFields()) : [];
    const fields = all.filter((field) => depth > 0 || !isCompositeType(getNamedType(field.type)));
    if (fields.length === 0) return ['__typename'];
    const field = this.pick(fields);
    const args = this.args(field);
    const key = args !== '' || this.chance(20) ? `${this.alias()}: ` : '';
    const start = `${key}${field.name}${args}`;
    const inner = getNamedType(field.type);
    if (!isCompositeType(inner)) return [`${start}${this.directive()}`];
    const one = () => `${start} ${this.selection(inner, depth - 1)}`;
    // The same response key twice: one object, of the fields of both.
    return this.chance(12) ? [one(), one()] : [one()];
  }

  private args({ name, args, type }: Field): string {
    if (args.length === 0) return '';
    const given: string[] = [];
    if (name === 'node') given.push(this.arg('id', 'ID!', this.globalId()));
    if (name === 'nodes') {
      const ids = Array.from({ length: this.upTo(5) }, () => this.globalId());
      given.push(this.arg('ids', '[ID!]!', ids));
    }
    if (args.some((arg) => arg.name === 'by')) {
      const key = name === 'workspace' ? this.workspaceKey() : this.key(type);
      given.push(`by: { ${key} }`);
    }
    if (args.some((arg) => arg.name === 'first')) given.push(...this.pageArgs());
    return given.length === 0 ? '' : `(${given.join(', ')})`;
  }

  private workspaceKey(): string {
    return this.chance(60)
      ? this.arg('subdomain', 'String!', this.pick(this.asked.subdomains))
      : this.arg('databaseId', 'BigInt!', this.pick(this.asked.workspaceIds));
  }

  /** An identifier of an object of a type, most often an existing one. */
  private key(type: Field['type']): string {
    const ids = this.asked.globalIds.filter((id) => atob(id).startsWith(`${getNamedType(type).name}:`));
    const id = this.chance(90) && ids.length > 0 ? this.pick(ids) : this.globalId();
    if (this.chance(50)) return this.arg('id', 'ID!', id);
    return this.arg(
      'databaseId',
      'BigInt!',
      Number(/\d+$/.exec(Buffer.from(id, 'base64').toString())?.[0] ?? 0),
    );
  }

  private pageArgs(): string[] {
    const given: string[] = [];
    if (this.chance(60)) given.push(this.arg(this.pick(['first', 'last']), 'Int', this.pageSize()));
    if (this.chance(25)) given.push(this.arg('after', 'String', this.cursor()));
    if (this.chance(15)) given.push(this.arg('before', 'String', this.cursor()));
    if (this.chance(30))
      given.push(
        `orderBy: { ${this.arg('direction', 'SortDirection', new Enum(this.pick(['ASC', 'DESC'])))} }`,
      );
    return given;
  }

  private pageSize(): number {
    return this.chance(4) ? this.pick([0, -1, 1_000]) : 1 + this.upTo(4);
  }

  private cursor(): string | null {
    if (this.chance(4)) return this.pick(BAD_CURSORS);
    return this.chance(8) ? null : this.pick(this.asked.cursors);
  }

  private globalId(): string {
    return this.pick(this.chance(12) ? BAD_IDS : this.asked.globalIds);
  }

  /** An argument as a literal or as a variable, with a default or without. */
  private arg(name: string, type: string, value: unknown): string {
    if (this.chance(45)) return `${name}: ${literal(value)}`;
    const variable = `v${this.definitions.length}`;
    const withDefault = value !== null && this.chance(35);
    const optional = withDefault || !type.endsWith('!');
    this.definitions.push(`$${variable}: ${type}${withDefault ? ` = ${literal(value)}` : ''}`);
    if (!(optional && this.chance(25))) this.variables[variable] = plain(value);
    else if (!type.endsWith('!') && this.chance(20)) this.variables[variable] = null;
    return `${name}: $${variable}`;
  }

  private directive(): string {
    if (!this.chance(1)) return '';
    const variable = `v${this.definitions.length}`;
    this.definitions.push(`$${variable}: Boolean!`);
    this.variables[variable] = this.chance(50);
    return ` @${this.pick(['skip', 'include'])}(if: $${variable})`;
  }

  private alias(): string {
    return this.chance(2) ? this.pick(['__proto__', 'toJSON', 'constructor']) : `a${this.aliases++}`;
  }

  private chance(percent: number): boolean {
    return this.upTo(99) < percent;
  }

  private pick<T>(of: readonly T[]): T {
    return of[this.upTo(of.length - 1)] as T;
  }
}

class Enum {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

function literal(value: unknown): string {
  return value instanceof Enum ? value.name : JSON.stringify(value);
}

function plain(value: unknown): unknown {
  return value instanceof Enum ? value.name : value;
}
