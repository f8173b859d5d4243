// Clients that share a workspace: they send planned changes to contacts and tags that any of them created, and remember the answers.
import { deepEqual, equal } from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Answer, Client, Options } from './client.ts';
import type { Sent } from './history.ts';
import type { Change } from './model.ts';
import { type Plan, resolve } from './plans.ts';

export interface Session {
  readonly client: Client;
  readonly workspaceId: bigint;
  readonly sent: readonly Sent[];
  /** Sends a plan; the answer to each of its copies. */
  send(plan: Plan): Promise<{ change: Change; answers: Answer[] }>;
  /**
   * Repeats every change that had a key: it gets the same answer, unless that was erased, and changes nothing.
   * @param unchanged the names of changes without an effect: their contacts have the current tags
   */
  retryAll(unchanged: ReadonlySet<string>): Promise<void>;
}

/** An answer without the tags, which a retry may return differently if nothing was changed. */
function withoutTags({ contact, ...answer }: Answer): object {
  return { ...answer, ...(contact !== undefined && { contact: { ...contact, tags: [] } }) };
}

const START: readonly Change[] = [
  { verb: 'create', members: { email_address: 'ann@example.com' } },
  { verb: 'create', members: { first_name: 'Nobody' } },
  { verb: 'createTag', name: 'red' },
  { verb: 'createTag', name: 'green' },
];

export async function createSession(client: Client, workspaceId: bigint): Promise<Session> {
  const sent: Sent[] = [];
  const retries: { name: string; change: Change; options: Options; answer: Answer }[] = [];
  const [contacts, tags]: [number[], number[]] = [[], []];
  /** The names of changes whose copies were answered with different tags. */
  const differing = new Set<string>();
  let count = 0;

  const session: Session = {
    client,
    workspaceId,
    sent,
    async send({ change: planned, face, copies }) {
      const change = resolve(planned, contacts, tags);
      const name = `change-${workspaceId}-${++count}`;
      const key = copies === 0 ? null : name;
      const optionsOf = (copy: number): Options => ({ face, key, requestId: `${name}.${copy}` });
      const answers = await Promise.all(
        Array.from({ length: Math.max(1, copies) }, (_, copy) => client.change(change, optionsOf(copy))),
      );
      // A tag that the contact already has is answered, but nothing is changed: it is neither recorded nor kept for a retry.
      const done = answers.filter(
        ({ status }) => status < 300 && !(change.verb === 'apply' && status === 200),
      );
      const [answer = null] = done;
      for (const other of done) {
        if (isDeepStrictEqual(other, answer)) continue;
        deepEqual(
          withoutTags(other),
          answer && withoutTags(answer),
          `the copies of ${JSON.stringify(change)}`,
        );
        differing.add(name);
      }
      sent.push({ name, change, answer });
      if (answer !== null && key !== null) retries.push({ name, change, options: optionsOf(copies), answer });
      if (answer?.id !== undefined && answer.status === 201 && change.verb !== 'apply')
        (change.verb === 'createTag' ? tags : contacts).push(answer.id);
      return { change, answers };
    },
    async retryAll(unchanged) {
      deepEqual(
        [...differing].filter((name) => !unchanged.has(name)),
        [],
        'only copies of what changed nothing are shown with other tags',
      );
      const hasErased = sent.some(({ change, answer }) => change.verb === 'erase' && answer !== null);
      for (const { name, change, options, answer } of retries) {
        const again = await client.change(change, options);
        if (again.status === 410) equal(hasErased, true, 'only what was erased is gone');
        else {
          const compared = unchanged.has(name) ? withoutTags : (one: Answer) => one;
          deepEqual(compared(again), compared(answer), `the retry of ${JSON.stringify(change)}`);
        }
      }
    },
  };
  for (const change of START) await session.send({ change, face: 'rest', copies: 1 });
  return session;
}
