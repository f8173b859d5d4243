// Whoever has written reads what was written, at once and over both faces, although the replicas are behind: with the
// token of the answer, whatever the credential, and without it by the credential, where gateways share a Redis; else at the gateway that made
// the change. Without either it is not there yet, or nothing was tried.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../faults/load.ts';
import { createKeys } from '../faults/tenants.ts';
import { report } from '../test-bed.ts';
import { type Asked, ask } from './ask.ts';
import { countReads } from './counts.ts';
import { type Scene, untilReplayed } from './scene.ts';
import { setDelay } from './topology.ts';
import { withoutPositions } from './without-positions.ts';

const DELAY = '800ms';
const OLD_READS = 200;
const KINDS = ['token', 'credential', 'neither'] as const;
type Kind = (typeof KINDS)[number];

const SAID: Readonly<Record<Kind, string>> = {
  token: 'another credential with the token, at another gateway',
  credential: 'the same credential without the token',
  neither: 'another credential without the token, at another gateway',
};

interface Written {
  readonly id: string;
  readonly name: string;
  readonly token: string | null;
}

interface Count {
  reads: number;
  readonly stale: string[];
}

/** What became of writes and of the reads behind them. */
interface Observed {
  readonly counts: ReadonlyMap<Kind, Count>;
  /** Of each answer to a write. */
  readonly tokens: readonly (string | null)[];
}

export async function tryOwnWrites(scene: Scene): Promise<void> {
  const { topology, callers, seconds } = scene;
  const keys: string[][] = [];
  for (const caller of callers) keys.push(await createKeys(topology.primaryUrl, caller, 3));
  // The first write of a process takes longer.
  await observe(scene, keys, 1);
  await untilReplayed(topology);
  for (const replica of topology.replicas) await setDelay(replica, DELAY);
  try {
    const { counts, tokens } = await observe(scene, keys, seconds);
    const without = tokens.filter((token) => token === null).length;
    report(
      `${tokens.length} writes while replicas are ${DELAY} behind, ${without} without a token`,
      without === 0,
    );
    for (const [kind, { reads, stale }] of counts) {
      const isGuarded = kind !== 'neither';
      const examples = isGuarded ? stale.slice(0, 3).join('; ') : '';
      report(
        `${SAID[kind]}, at once: ${reads} reads, ${stale.length} stale ${examples}`,
        reads > 20 && (isGuarded ? stale.length === 0 : stale.length > reads / 10),
      );
    }
    // What a gateway remembers itself cannot be taken from it.
    const isAlone = topology.redisPort === null;
    await withoutPositions(topology, async () => {
      // Of a credential that has not written before, nothing later is known.
      const writers = callers.map((caller, index) => ({ ...caller, authorization: keys[index]?.[2] ?? '' }));
      const { counts } = await observe({ ...scene, callers: writers }, keys, Math.max(2, seconds / 2));
      const found = [...counts].map(
        ([kind, { reads, stale }]) => `${SAID[kind]} ${stale.length} of ${reads}`,
      );
      report(
        `without their guards (positions that say nothing, a Redis that forgets), stale reads: ${found.join(', ')}`,
        [...counts].every(([kind, { stale }]) => stale.length > 0 || (kind === 'credential' && isAlone)),
      );
    });
    await tryOldToken(scene, tokens.at(-1) ?? undefined);
  } finally {
    for (const replica of topology.replicas) await setDelay(replica, '0');
  }
}

/** Writes of every caller, each read at once at three other gateways. */
async function observe(
  { topology: { gateways, redisPort }, callers }: Scene,
  keys: readonly (readonly string[])[],
  seconds: number,
): Promise<Observed> {
  const counts = new Map<Kind, Count>(KINDS.map((kind) => [kind, { reads: 0, stale: [] }]));
  const tokens: (string | null)[] = [];
  const until = performance.now() + 1_000 * seconds;
  await Promise.all(
    callers.map(async (caller, index) => {
      const [other = '', third = ''] = keys[index] ?? [];
      let known: string | undefined;
      for (let turn = index; performance.now() < until; turn++) {
        const at = (offset: number) => gateways[(turn + offset) % gateways.length]?.origin ?? '';
        const written = await write(at(0), caller, turn, known);
        known = written.id;
        tokens.push(written.token);
        const see = async (kind: Kind, origin: string, asked: Asked) => {
          const count = counts.get(kind) as Count;
          for (const read of READS) {
            const missing = await read(origin, caller, asked, written);
            count.reads++;
            if (missing !== null) count.stale.push(missing);
          }
        };
        await Promise.all([
          see('token', at(1), { authorization: other, token: written.token ?? undefined }),
          // Without Redis only the gateway that made the change knows.
          see('credential', at(redisPort === null ? 0 : 2), caller),
          see('neither', at(3), { authorization: third }),
        ]);
      }
    }),
  );
  return { counts, tokens };
}

/** Once it is replayed, a token keeps nobody from the replicas. */
async function tryOldToken(scene: Scene, token: string | undefined): Promise<void> {
  const { topology, callers } = scene;
  const [caller] = callers as [Caller];
  for (const replica of topology.replicas) await setDelay(replica, '0');
  await untilReplayed(topology);
  // The credential's own last write is forgotten, or replayed.
  await sleep(1_000);
  const { share, total } = await countReads(topology.all, async () => {
    for (let turn = 0; turn < OLD_READS; turn++)
      await ask(`${topology.origin}/api/v2/workspaces/${caller.workspaceId}/contacts`, { ...caller, token });
  });
  report(
    `${OLD_READS} reads with an old token: the primary's share of ${total} is ${(100 * share('primary')).toFixed(1)} %`,
    token !== undefined && share('primary') < 0.05 && total >= OLD_READS,
  );
}

/** Creates a contact, or changes the one before, over REST or GraphQL in turn. */
async function write(
  origin: string,
  caller: Caller,
  turn: number,
  known: string | undefined,
): Promise<Written> {
  const name = `Name ${randomUUID()}`;
  const isRest = turn % 2 === 0;
  const isChange = known !== undefined && turn % 4 >= 2;
  const email = `${randomUUID()}@example.com`;
  const fields = isChange ? { first_name: name } : { first_name: name, email_address: email };
  const path = isChange ? `/api/v2/contacts/${known}` : `/api/v2/workspaces/${caller.workspaceId}/contacts`;
  const verb = isChange ? 'update' : 'create';
  const query = `mutation ($input: ${isChange ? 'Update' : 'Create'}ContactInput!) { ${verb}Contact(input: $input) { contact { databaseId } } }`;
  const input = isChange
    ? { contactId: btoa(`Contact:${known}`), firstName: name }
    : { workspaceId: caller.workspaceRef, firstName: name, emailAddress: email };
  const { status, text, token } = isRest
    ? await ask(origin + path, caller, { method: isChange ? 'PATCH' : 'POST', body: { contact: fields } })
    : await ask(`${origin}/graphql`, caller, { body: { query, variables: { input } } });
  const id = /"(?:id|databaseId)":"?(\d+)/.exec(text)?.[1];
  if (status >= 300 || id === undefined) throw new Error(`A write was answered ${status}: ${text}`);
  return { id, name, token };
}

type Read = (origin: string, caller: Caller, asked: Asked, written: Written) => Promise<string | null>;

const show: Read = async (origin, _, asked, { id, name }) => {
  const { status, text } = await ask(`${origin}/api/v2/contacts/${id}`, asked);
  return text.includes(`"${name}"`) ? null : `REST, one: ${status}`;
};

const list: Read = async (origin, { workspaceId }, asked, { name }) => {
  const path = `/api/v2/workspaces/${workspaceId}/contacts?per_page=5&sort_order=desc`;
  const { status, text } = await ask(origin + path, asked);
  return text.includes(`"${name}"`) ? null : `REST, list: ${status}`;
};

const node: Read = async (origin, _, asked, { id, name }) => {
  const query = 'query ($id: ID!) { node(id: $id) { ... on Contact { firstName } } }';
  const body = { query, variables: { id: btoa(`Contact:${id}`) } };
  const { status, text } = await ask(`${origin}/graphql`, asked, { body });
  return text.includes(`"${name}"`) ? null : `GraphQL, node: ${status}`;
};

const connection: Read = async (origin, { workspaceRef }, asked, { name }) => {
  const query =
    'query ($id: ID!) { node(id: $id) { ... on Workspace { contacts(first: 5, orderBy: { direction: DESC }) { nodes { firstName } } } } }';
  const { status, text } = await ask(`${origin}/graphql`, asked, {
    body: { query, variables: { id: workspaceRef } },
  });
  return text.includes(`"${name}"`) ? null : `GraphQL, connection: ${status}`;
};

const READS = [show, list, node, connection];
