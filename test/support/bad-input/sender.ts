// Sends requests to a gateway, and finds invalid answers and refusals that changed something.
import { requireGoodAnswer, requireGoodAnswers } from './answers.ts';
import type { ChangeLog } from './change-log.ts';
import { type Answer, type Client, createClient, exchangeBytes } from './connection.ts';
import type { HostileBytes } from './http-bytes.ts';
import { type BadRequest, toBytes } from './request.ts';

interface Finding {
  readonly what: string;
  readonly why: string;
  /** The sent bytes; empty if they were not one request. */
  readonly bytes: Buffer;
}

export interface Outcome {
  readonly findings: Finding[];
  /** How many answers had each status. */
  readonly statuses: Map<number, number>;
  /** Times of all answers to valid HTTP, in milliseconds. */
  readonly times: number[];
  /** Answers that took too long, but not when repeated alone. */
  slowOnce: number;
}

export interface Sender {
  readonly outcome: Outcome;
  /** @param bytes that are not a valid request, and must not change anything */
  sendAll(requests: readonly BadRequest[], bytes?: readonly HostileBytes[]): Promise<void>;
  close(): void;
}

interface Options {
  readonly port: number;
  readonly changes: ChangeLog;
  readonly atOnce?: number;
  /** A slower answer is a finding if it is slow again while nothing else runs. */
  readonly maxMs?: number;
}

/** How often a slow request is repeated. */
const TRIES = 10;

export function createSender({
  port,
  changes,
  atOnce = 4,
  maxMs = Number.POSITIVE_INFINITY,
}: Options): Sender {
  const outcome: Outcome = { findings: [], statuses: new Map(), times: [], slowOnce: 0 };
  const clients = Array.from({ length: atOnce }, () => createClient(port));
  /** The ids of requests whose answers reported a change. */
  const changers = new Set<string>();
  /** The answers to the last requests, by the ids of the requests. */
  const answers = new Map<string, { readonly bytes: Buffer; readonly text: string }>();
  const find = (what: string, why: string, bytes: Buffer = Buffer.alloc(0)) =>
    outcome.findings.push({ what, why, bytes });
  const count = (status: number) => outcome.statuses.set(status, (outcome.statuses.get(status) ?? 0) + 1);

  async function attempt(client: Client, request: BadRequest): Promise<Answer | null> {
    const bytes = toBytes(request);
    try {
      const answer = await client.send(bytes, request.method === 'HEAD');
      const id = answer.headers.get('x-request-id') ?? '';
      answers.set(id, { bytes, text: `${answer.status} ${answer.body.toString('utf8', 0, 1_000)}` });
      const { hasChanged } = await requireGoodAnswer(request, answer);
      if (hasChanged) changers.add(id);
      return answer;
    } catch (error) {
      find(request.what, (error as Error).message, bytes);
      return null;
    }
  }

  async function attemptBytes({ what, bytes }: HostileBytes): Promise<void> {
    try {
      for (const { status } of await requireGoodAnswers(await exchangeBytes(port, bytes))) count(status);
    } catch (error) {
      find(what, (error as Error).message, bytes);
    }
  }

  /** Repeats alone: other programs on the machine, and other requests, do not count. */
  async function attemptAlone(client: Client, request: BadRequest): Promise<void> {
    let best = Number.POSITIVE_INFINITY;
    for (let i = 0; i < TRIES && best > maxMs; i++)
      best = Math.min(best, (await attempt(client, request))?.ms ?? 0);
    if (best <= maxMs) outcome.slowOnce++;
    else find(request.what, `It takes ${Math.round(best)} ms.`, toBytes(request));
  }

  return {
    outcome,
    async sendAll(requests, bytes = []) {
      await changes.clear();
      changers.clear();
      answers.clear();
      const slow: BadRequest[] = [];
      const rest = requests.values();
      // Most of them wait for bytes that never come.
      const bytesSent = Promise.all(bytes.map(attemptBytes));
      await Promise.all(
        clients.map(async (client) => {
          for (const request of rest) {
            const answer = await attempt(client, request);
            if (answer === null) continue;
            count(answer.status);
            outcome.times.push(answer.ms);
            if (answer.ms > maxMs) slow.push(request);
          }
        }),
      );
      await bytesSent;
      for (const request of slow) if (clients[0] !== undefined) await attemptAlone(clients[0], request);
      for (const { requestId, change } of await changes.changesBeside(changers)) {
        const { bytes: sent, text } = answers.get(requestId ?? '') ?? {};
        find('a change by what was refused', `${change}; ${requestId} was answered ${text}`, sent);
      }
    },
    close() {
      for (const client of clients) client.close();
    },
  };
}
