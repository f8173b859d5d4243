// The content of openapi.json: the document of the routes, with answers of the demo data as examples.
import type { App } from '../../src/context.ts';
import { createServer } from '../../src/http/server.ts';
import { routes } from '../../src/rest/nouns.ts';
import { type Example, type Examples, toOpenApi } from '../../src/rest/openapi/openapi.ts';
import { OPENAPI_VERSION } from '../../src/rest/router.ts';
import { seedDemoKey } from './demo.ts';

/** The time of the examples, so that they are the same every time. */
export const exampleClock = (): Date => new Date('2026-04-01T09:00:00Z');

const REQUEST_ID = 'b7c1f6a2-8a55-4f0e-9d5b-2f6d3c1e7a90';

/**
 * The text of openapi.json.
 * @param app of an empty store, with `exampleClock`; it gets the demo data
 */
export async function openApiText(app: App): Promise<string> {
  const server = createServer(app);
  const key = { Authorization: `Bearer ${await seedDemoKey(app)}`, 'X-Request-Id': REQUEST_ID };
  const get = (path: string, headers: Record<string, string> = key) =>
    server.fetch(new Request(`http://localhost:4000${path}`, { headers }));
  const document = toOpenApi(routes, OPENAPI_VERSION, await collectExamples(get));
  return `${JSON.stringify(document, null, 2)}\n`;
}

type Get = (path: string, headers?: Record<string, string>) => Promise<Response>;

async function collectExamples(get: Get): Promise<Examples> {
  const operations: Record<string, Example> = {};
  for (const { operationId, method, path, query, response } of routes) {
    const { params, filled } = await fillPath(get, path);
    const needed = (query?.parameters ?? [])
      .filter(({ required }) => required)
      .map(({ name }) => `${name}=1`);
    const asked = [...(response.headers === undefined ? [] : ['per_page=2']), ...needed].join('&');
    operations[operationId] =
      method === 'GET'
        ? { params, ...(await answerOf(get, asked === '' ? filled : `${filled}?${asked}`)) }
        : { params };
  }
  const refusal = async (path: string, headers?: Record<string, string>) => (await get(path, headers)).json();
  return {
    operations,
    refusals: {
      unauthenticated: await refusal('/api/v2/teams', { 'X-Request-Id': REQUEST_ID }),
      not_found: await refusal('/api/v2/contacts/0'),
      invalid: await refusal('/api/v2/teams?per_page=0'),
    },
  };
}

/** No answer if the demo has no such noun. */
async function answerOf(get: Get, path: string): Promise<Pick<Example, 'answer'>> {
  const response = await get(path);
  if (response.status === 404) return {};
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  // The hint of a key is random.
  const text = (await response.text()).replaceAll(/"hint":"fgw_\w+"/g, '"hint":"fgw_4SDq"');
  return { answer: { headers: response.headers, body: JSON.parse(text) } };
}

/** A path with ids of the demo: the first id in the list before it, or else 1. */
async function fillPath(get: Get, path: string) {
  const params: Record<string, number> = {};
  let filled = '';
  for (const segment of path.split('/').slice(1)) {
    if (segment.startsWith(':')) {
      const list = await get(`${filled}?per_page=1`);
      const [first] = list.status === 200 ? ((await list.json()) as { id: number }[]) : [];
      params[segment.slice(1)] = first?.id ?? 1;
      filled += `/${params[segment.slice(1)]}`;
    } else filled += `/${segment}`;
  }
  return { params, filled };
}
