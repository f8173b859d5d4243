// What requests cost on a distributed store against the same PostgreSQL alone: the same requests to both, in turns.
import type { App } from '../../../src/context.ts';
import { createServer } from '../../../src/http/server.ts';
import type { Manifest } from '../../bench/dataset.ts';
import { DOCUMENTS } from '../../bench/documents.ts';
import { createRandom, median } from '../../bench/stats.ts';
import { say } from '../say.ts';
import { report } from '../test-bed.ts';

const ROUNDS = 5;
const REQUESTS = 24;
/** One after the other, and so many at once, which keep both cores busy. */
const AT_ONCE = [1, 12];

interface Side {
  readonly app: App;
  readonly manifest: Manifest;
  /** Contacts that were created here, to be changed and deleted. */
  readonly made: number[];
}

interface Operation {
  readonly name: string;
  readonly status: number;
  request(side: Side, n: number): Request;
  onAnswer?(side: Side, body: string): void;
}

const random = createRandom(7);
const COUNT =
  'query ($workspace: BigInt!) { workspace(by: { databaseId: $workspace }) { contacts { totalCount totalCountIsExact } } }';

function get(path: string): Request {
  return new Request(`http://localhost:4000${path}`);
}

function send(method: string, path: string, body?: object): Request {
  const headers = { 'Content-Type': 'application/json' };
  const content = body === undefined ? {} : { headers, body: JSON.stringify(body) };
  return new Request(`http://localhost:4000${path}`, { method, ...content });
}

const graphql = (query: string, variables: object) => send('POST', '/graphql', { query, variables });
const listOf = ({ manifest }: Side) => `/api/v2/workspaces/${manifest.workspaceId}/contacts`;
const anyId = ({ manifest }: Side) => 1 + Math.floor(random() * (manifest.rows - 100));

const OPERATIONS: readonly Operation[] = [
  {
    name: 'page of 20 contacts',
    status: 200,
    request: (side) => get(`${listOf(side)}?per_page=20&after=${anyId(side)}`),
  },
  { name: 'contact by id', status: 200, request: (side) => get(`/api/v2/contacts/${anyId(side)}`) },
  {
    name: 'nested query',
    status: 200,
    request: ({ manifest }) => graphql(DOCUMENTS.gateway.nested, { team: manifest.teamId, after: null }),
  },
  {
    name: 'count',
    status: 200,
    request: ({ manifest }) => graphql(COUNT, { workspace: manifest.workspaceId }),
  },
  {
    name: 'create',
    status: 201,
    request: (side, n) =>
      send('POST', listOf(side), { contact: { email_address: `cost-${n}@example.com`, first_name: 'Cost' } }),
    onAnswer: ({ made }, body) => void made.push((JSON.parse(body) as { id: number }).id),
  },
  {
    name: 'update',
    status: 200,
    request: ({ made }, n) =>
      send('PATCH', `/api/v2/contacts/${made[n % made.length]}`, { contact: { first_name: `Name ${n}` } }),
  },
  { name: 'delete', status: 204, request: ({ made }) => send('DELETE', `/api/v2/contacts/${made.pop()}`) },
];

/** Prints how many times as long each kind of request takes on the first store as on the second. */
export async function compareCosts(
  distributed: Omit<Side, 'made'>,
  plain: Omit<Side, 'made'>,
): Promise<void> {
  const sides = [distributed, plain].map((side): Side => ({ ...side, made: [] })) as [Side, Side];
  const servers = sides.map(({ app }) => createServer(app));
  let [number, failed] = [0, 0];

  /** Milliseconds that some requests took, `atOnce` of them under way. */
  async function run(index: 0 | 1, operation: Operation, atOnce: number): Promise<number> {
    const side = sides[index];
    let left = REQUESTS;
    const client = async () => {
      while (left-- > 0) {
        const request = operation.request(side, number++);
        request.headers.set('Authorization', `Bearer ${side.manifest.token}`);
        const response = await servers[index]?.fetch(request);
        const body = (await response?.text()) ?? '';
        if (response?.status !== operation.status || body.includes('"errors":[')) {
          if (failed++ < 3) say(`    ${operation.name}: ${response?.status} ${body.slice(0, 300)}`);
        } else operation.onAnswer?.(side, body);
      }
    };
    const started = performance.now();
    await Promise.all(Array.from({ length: atOnce }, client));
    return performance.now() - started;
  }

  const times = new Map<string, [number[], number[]]>();
  // The first round is for the compiler, and for plans.
  for (let round = -1; round < ROUNDS; round++)
    for (const atOnce of AT_ONCE)
      for (const operation of OPERATIONS)
        for (const index of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
          const ms = await run(index, operation, atOnce);
          const key = `${operation.name} ${atOnce}`;
          if (round >= 0) times.set(key, times.get(key) ?? [[], []]);
          times.get(key)?.[index].push(ms / REQUESTS);
        }
  say(`${'milliseconds a request'.padEnd(24)}${AT_ONCE.map((n) => `${n} at once`.padEnd(28)).join('')}`);
  for (const { name } of OPERATIONS) {
    const cells = AT_ONCE.map((atOnce) => {
      const [there, here] = (times.get(`${name} ${atOnce}`) ?? [[], []]).map(median) as [number, number];
      return `${there.toFixed(2)} : ${here.toFixed(2)} = ${(there / here).toFixed(1)}`.padEnd(28);
    });
    say(`  ${name.padEnd(22)}${cells.join('')}`);
  }
  report(`${failed} of ${number} requests failed`, failed === 0);
}
