// A complete walk, page by page as an integration does it: over REST by the Link header, over GraphQL by endCursor.
// Every contact has to come once, in order.
import { attempt, type Bench, plainRow, type Row } from './bench.ts';
import { Connection, headerOf } from './connection.ts';
import { type CpuUse, cpuPerRequest, measureCpuUse } from './cpu-use.ts';
import type { Manifest } from './dataset.ts';
import { DOCUMENTS } from './documents.ts';
import { getRequest, graphqlRequest } from './requests.ts';
import type { Subject } from './subject.ts';
import type { SubjectName } from './subjects.ts';
import { pagePath } from './workloads.ts';

const PAGE_SIZE = 100;

interface Step {
  readonly ids: number[];
  /** The request for the next page. */
  readonly next: string | null;
}

/** How one face is walked: the first request, and what a reply leads to. */
interface Face {
  readonly title: string;
  readonly subjects: readonly SubjectName[];
  start(name: SubjectName, manifest: Manifest): string;
  read(name: SubjectName, manifest: Manifest, reply: { head: string; body: string }): Step;
}

const FACES: readonly Face[] = [
  {
    title: 'REST by Link',
    subjects: ['limit-json', 'limit-rows', 'limit-pipelined', 'gateway'],
    start: (_name, manifest) => getRequest(pagePath(manifest, PAGE_SIZE, 0), manifest.token),
    read(_name, { token }, { head, body }) {
      const link = /<https?:\/\/[^/]+([^>]*)>; rel="next"/.exec(headerOf(head, 'link') ?? '')?.[1];
      return {
        ids: idsIn(body, /"id":(\d+),"public_id":"[A-Za-z]+","workspace_id"/g),
        next: link ? getRequest(link, token) : null,
      };
    },
  },
  {
    title: 'GraphQL by cursor',
    subjects: ['gateway', 'postgraphile', 'stock', 'mercurius'],
    start: (name, manifest) => connectionOf(name, manifest, null),
    read(name, manifest, { body }) {
      const cursor = /"endCursor":"([^"]*)"/.exec(body)?.[1];
      const more = /"hasNextPage":true/.test(body);
      const ids = idsIn(body, /"databaseId":"?(\d+)/g);
      return { ids, next: more && cursor !== undefined ? connectionOf(name, manifest, cursor) : null };
    },
  },
];

/** The connection document with a page as large as they all allow. */
function connectionOf(name: SubjectName, { workspaceId, token }: Manifest, after: string | null): string {
  const document = DOCUMENTS[name].connection.replace('first: 20', `first: ${PAGE_SIZE}`);
  return graphqlRequest(document, { workspace: workspaceId, after }, token);
}

function idsIn(body: string, pattern: RegExp): number[] {
  return [...body.matchAll(pattern)].map((match) => Number(match[1]));
}

export async function measureWalks(bench: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  const count = bench.plan.walkContacts;
  for (const face of FACES) {
    bench.progress.say(`(e) Walk of ${count.toLocaleString('en')} contacts, ${face.title}`);
    const walks = new Map<SubjectName, { result: number; cpu: CpuUse }>();
    for (const name of face.subjects) {
      const subject = bench.subjects.get(name);
      if (subject === undefined) continue;
      const walked = await attempt(bench, `${name}, walk over ${face.title}`, () =>
        measureCpuUse(bench, subject, () => walk(bench, face, name, subject, count)),
      );
      if (walked !== null) walks.set(name, walked);
    }
    const gateway = walks.get('gateway')?.result;
    for (const [name, { result: seconds, cpu }] of walks) {
      rows.push(
        plainRow({
          part: 'e',
          workload: `(e) walk of ${count.toLocaleString('en')} contacts, ${face.title}, pages of ${PAGE_SIZE}`,
          subject: name,
          requests_per_second: count / PAGE_SIZE / seconds,
          ...cpuPerRequest([cpu], count / PAGE_SIZE),
          gateway_ratio: name === 'gateway' || gateway === undefined ? null : seconds / gateway,
          note: `${seconds.toFixed(2)} s, each contact once and in order`,
        }),
      );
    }
  }
  return rows;
}

/** Seconds. @throws Error when a contact is missing, repeated or out of order */
async function walk(
  { dataset: { manifest }, signal }: Bench,
  face: Face,
  name: SubjectName,
  subject: Subject,
  count: number,
): Promise<number> {
  const connection = new Connection(subject.port);
  try {
    let expected = manifest.firstContactId;
    const end = expected + count;
    let request: string | null = face.start(name, manifest);
    const startedAt = performance.now();
    while (request !== null && expected < end) {
      signal.throwIfAborted();
      const reply = await connection.ask(Buffer.from(request));
      if (reply.status !== 200) throw new Error(`status ${reply.status}: ${reply.body.slice(0, 200)}`);
      const { ids, next } = face.read(name, manifest, reply);
      for (const id of ids) {
        if (id !== expected) throw new Error(`contact ${id} came where ${expected} belongs`);
        expected++;
      }
      request = ids.length === 0 ? null : next;
    }
    if (expected < end) throw new Error(`ended after ${expected - manifest.firstContactId} contacts`);
    return (performance.now() - startedAt) / 1000;
  } finally {
    connection.close();
  }
}
