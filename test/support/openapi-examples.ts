// The content of openapi.json: the document of the routes, with requests to the demo and their answers as examples.
import type { GraphQLSchema } from 'graphql';
import type { App } from '../../src/context.ts';
import { schema } from '../../src/graphql/schema.ts';
import { createServer } from '../../src/http/server.ts';
import { isRequired, writableFields } from '../../src/resources/description/inputs.ts';
import { restNameOf } from '../../src/resources/description/names.ts';
import { routes } from '../../src/rest/nouns.ts';
import { type Example, type Examples, toOpenApi } from '../../src/rest/openapi/openapi.ts';
import type { Route } from '../../src/rest/route.ts';
import { OPENAPI_VERSION } from '../../src/rest/router.ts';
import { graphqlOperationOf } from '../docs/graphql-operations.ts';
import { seedDemoKey } from './demo.ts';
import { OWN_REQUESTS } from './openapi-requests.ts';

/** The time of the examples, so that they are the same every time. */
export const exampleClock = (): Date => new Date('2026-04-01T09:00:00Z');

const REQUEST_ID = 'b7c1f6a2-8a55-4f0e-9d5b-2f6d3c1e7a90';

type Json = Record<string, unknown>;

/**
 * The text of openapi.json.
 * @param app of an empty store, with `exampleClock`; it gets the demo data
 */
export async function openApiText(app: App): Promise<string> {
  const server = createServer(app);
  const key = { Authorization: `Bearer ${await seedDemoKey(app)}`, 'X-Request-Id': REQUEST_ID };
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = key) =>
    server.fetch(
      new Request(`http://localhost:4000${path}`, {
        method,
        headers: body === undefined ? headers : { ...headers, 'Content-Type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
  const document = toOpenApi(routes, OPENAPI_VERSION, await collectExamples(call, schema));
  return `${JSON.stringify(document, null, 2)}\n`;
}

type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Response>;

/** The reads first, so that they show the demo as it is; then the changes, each of an object that its creation has made, deletions last. */
async function collectExamples(call: Call, graphql: GraphQLSchema): Promise<Examples> {
  const operations: Record<string, Example> = {};
  for (const route of routes.filter(({ method }) => method === 'GET'))
    operations[route.operationId] = await readExample(call, route);
  const refusal = async (path: string, headers?: Record<string, string>) =>
    (await call('GET', path, undefined, headers)).json();
  const refusals = {
    unauthenticated: await refusal('/api/v2/teams', { 'X-Request-Id': REQUEST_ID }),
    not_found: await refusal('/api/v2/contacts/0'),
    invalid: await refusal('/api/v2/teams?per_page=0'),
  };
  const made = new Map<string, number>();
  const changes = Map.groupBy(
    routes.filter(({ method }) => method !== 'GET'),
    turnOf,
  );
  for (const turn of [...changes.keys()].toSorted()) {
    // Of these the demo had none before.
    if (turn === LAST)
      for (const route of routes.filter(({ operationId }) => isEmpty(operations[operationId]?.answer?.body)))
        if (route.method === 'GET') operations[route.operationId] = await readExample(call, route);
    for (const route of changes.get(turn) ?? [])
      operations[route.operationId] = await changeExample(call, route, operations, made);
  }
  for (const route of routes) {
    const same = graphqlOperationOf(graphql, route);
    if (same !== null)
      operations[route.operationId] = { params: {}, ...operations[route.operationId], graphql: same };
  }
  return { operations, refusals };
}

const isEmpty = (body: unknown) => body === undefined || (Array.isArray(body) && body.length === 0);

/** Creations come first, deletions last, and before them what a later change would not find any more. */
const turnOf = ({ kind, method, operationId }: Route): number => {
  if (kind === 'create' || operationId in MAKES) return 0;
  return LATE[operationId] ?? (method === 'DELETE' ? LAST : 1);
};
const LAST = 4;
const LATE: Readonly<Record<string, number>> = {
  redeliverWebhookDelivery: 2,
  cancelAppointment: 2,
  deactivateWebhookEndpoint: 3,
};
/** Changes that make an object of another noun. */
const MAKES: Readonly<Record<string, string>> = { testWebhookEndpoint: 'WebhookDelivery' };

async function readExample(call: Call, { path, query, response }: Route): Promise<Example> {
  const { params, filled } = await fillPath(call, path);
  const needed = (query?.parameters ?? []).filter(({ required }) => required).map(({ name }) => `${name}=1`);
  const asked = [...(response.headers === undefined ? [] : ['per_page=2']), ...needed].join('&');
  const answered = await call('GET', asked === '' ? filled : `${filled}?${asked}`);
  // The demo has no such object.
  if (answered.status === 404) return { params };
  if (answered.status !== 200) throw new Error(`${path}: ${answered.status} ${await answered.text()}`);
  return { params, answer: await answerOf(answered) };
}

async function answerOf(response: Response): Promise<NonNullable<Example['answer']>> {
  const text = fixed(await response.text());
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}

/** A text without what differs from run to run: secrets, random ids, and the time of now. */
function fixed(text: string): string {
  const today = new Date().toISOString().slice(0, 10);
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  return text
    .replaceAll(/"hint":"fgw_\w+"/g, '"hint":"fgw_4SDq"')
    .replaceAll(/\/images\/(\d+)\/[\da-f]{64}/g, `/images/$1/${'0123456789abcdef'.repeat(4)}`)
    .replaceAll(/"token":"fgw_\w+"/g, '"token":"fgw_4SDqExampleOfAnApiKey"')
    .replaceAll(/"client_id":"fgc_[\w-]{22}"/g, '"client_id":"fgc_7bOZExampleOfAClientId"')
    .replaceAll(/"(\w*secret\w*)":"[^"]+"/g, '"$1":"0123456789abcdef0123456789abcdef"')
    .replaceAll(new RegExp(`"(?:${today}|${yesterday})T[\\d:.]+Z"`, 'g'), `"${exampleClock().toISOString()}"`)
    .replaceAll(/[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, REQUEST_ID);
}

/**
 * A change that the demo accepts. Its body has the values of an object that the demo shows; what must be unique is made so.
 * @param made the ids of the objects that creations have made, by noun
 */
async function changeExample(
  call: Call,
  route: Route,
  operations: Readonly<Record<string, Example>>,
  made: Map<string, number>,
): Promise<Example> {
  const { method, operationId, resource, body } = route;
  const own = OWN_REQUESTS[operationId.replace(/ByPatch$/, '')];
  const { params, filled } = await fillPath(call, route.path, {
    ...(made.has(resource.type) && { id: made.get(resource.type) ?? 0 }),
    ...own?.params,
  });
  const like = route.kind === 'reorder' ? await newOrder(call, filled) : bodyLike(route, operations);
  let given = own?.body === undefined && body !== undefined ? like : own?.body;
  const before = own?.before === undefined ? null : await call(method, `${filled}?${own.before}`, given);
  for (let attempt = 0; attempt < 3; attempt++) {
    const answered = await call(method, filled, given);
    if (answered.ok) {
      const answer = await answerOf(answered);
      const { id } = (answer.body ?? {}) as { id?: number };
      const makes = operationId === `create${resource.type}` ? resource.type : MAKES[operationId];
      if (makes !== undefined && id !== undefined) made.set(makes, id);
      // A creation that changes nothing when it is repeated has another answer then.
      const again =
        Object.keys(route.response.answers).length > 1 && method === 'POST'
          ? await call(method, filled, given)
          : before;
      return {
        params,
        ...(given !== undefined && { given }),
        answer,
        ...(again?.ok && { otherAnswer: await answerOf(again) }),
      };
    }
    const { errors = [] } = (await answered.json()) as { errors?: { field: string; code: string }[] };
    const taken = errors.filter(({ code }) => code === 'taken').map(({ field }) => field);
    if (taken.length === 0) {
      if (process.env['SHOW_REFUSED'])
        process.stderr.write(
          `${operationId} ${filled} ${answered.status} ${JSON.stringify(given)} ${JSON.stringify(errors)}\n`,
        );
      break;
    }
    given = madeUnique(given as Json, taken, resource.wrapper);
  }
  return { params };
}

/** The members that the body takes, with the values of the demo's object. A change has the first text alone, an action nothing. */
function bodyLike(route: Route, operations: Readonly<Record<string, Example>>): Json {
  const { kind, resource } = route;
  if (kind === undefined) return {};
  const moment = kind === 'create' ? 'creation' : 'change';
  const list = operations[`list${resource.type}s`]?.answer?.body as Json[] | undefined;
  const shown = (operations[`get${resource.type}`]?.answer?.body ?? list?.[0] ?? {}) as Json;
  const members = Object.entries(writableFields(resource, moment)).flatMap(([property, field]) => {
    const name = restNameOf(property, field);
    const value = shown[name];
    const isEmpty = value === null || value === undefined || (Array.isArray(value) && value.length === 0);
    if (
      isEmpty ||
      (typeof value === 'object' &&
        field.object === undefined &&
        !Array.isArray(value) &&
        field.members === undefined)
    )
      return [];
    return [[name, value, isRequired(field, moment)] as const];
  });
  const kept =
    kind === 'create' ? members : members.filter(([, value]) => typeof value === 'string').slice(0, 1);
  const plain = Object.fromEntries(kept.map(([name, value]) => [name, value]));
  return resource.wrapper === undefined ? plain : { [resource.wrapper]: plain };
}

/** The ids of a list in the opposite order. @param path of the reordering, below the list */
async function newOrder(call: Call, path: string): Promise<Json> {
  const list = await call('GET', path.replace(/\/reorder$/, ''));
  return { ids_in_order: ((await list.json()) as { id: number }[]).map(({ id }) => id).toReversed() };
}

function madeUnique(body: Json, taken: readonly string[], wrapper: string | undefined): Json {
  const inner = (wrapper === undefined ? body : body[wrapper]) as Json;
  const changed = Object.fromEntries(
    Object.entries(inner).map(([name, value]) => [
      name,
      taken.includes(name) && typeof value === 'string'
        ? value.includes('@')
          ? `new.${value}`
          : `${value} (new)`
        : value,
    ]),
  );
  return wrapper === undefined ? changed : { [wrapper]: changed };
}

/** A path with ids of the demo: the first id in the list before it, or else 1. @param chosen ids to use */
async function fillPath(call: Call, path: string, chosen: Readonly<Record<string, number>> = {}) {
  const params: Record<string, number> = {};
  let filled = '';
  for (const segment of path.split('/').slice(1)) {
    if (segment.startsWith(':')) {
      const name = segment.slice(1);
      const list = name in chosen ? null : await call('GET', `${filled}?per_page=1`);
      const [first] = list?.status === 200 ? ((await list.json()) as { id: number }[]) : [];
      params[name] = chosen[name] ?? first?.id ?? 1;
      filled += `/${params[name]}`;
    } else filled += `/${segment}`;
  }
  return { params, filled };
}
