// Sends hostile requests to a gateway, one batch after the other, and finds what no answer may be and what no refusal may change.
import type { App } from '../../../src/context.ts';
import * as factories from '../factories.ts';
import { createTenant, type Tenant } from '../operations.ts';
import { requireGoodAnswer, requireGoodAnswers } from './answers.ts';
import type { ChangeLog } from './change-log.ts';
import { type Answer, type Client, createClient, exchangeBytes } from './connection.ts';
import { graphqlRequest } from './graphql-requests.ts';
import { type HostileBytes, hostileBytes } from './http-bytes.ts';
import type { Random } from './random.ts';
import { type Authorization, type BadRequest, toBytes } from './request.ts';
import { restRequest } from './rest-requests.ts';

export interface Campaign {
  readonly port: number;
  /** An app on the database of the gateway, which makes what the requests are about. */
  readonly app: App;
  readonly changes: ChangeLog;
  readonly random: Random;
  readonly requests: number;
  readonly atOnce?: number;
  /** An answer that takes longer is a finding, if it does so again when nothing else is asked. */
  readonly maxMs?: number;
  /** Told of after each batch. */
  readonly onBatch?: (sent: number) => void;
}

export interface Finding {
  readonly what: string;
  readonly why: string;
  /** What was sent; empty where it was not one request. */
  readonly bytes: Buffer;
}

export interface Outcome {
  readonly findings: Finding[];
  /** How many answers had each status. */
  readonly statuses: Map<number, number>;
  /** Times of all answers, in milliseconds. */
  readonly times: number[];
  /** Answers that took too long, and did not when they were asked for again alone. */
  slowOnce: number;
}

const BATCH = 500;
/** One of so many is no valid HTTP. */
const RAW_SHARE = 20;
/** Tenants of a batch: some requests delete what others are about. */
const TENANTS = 4;
/** A campaign that has found so much ends. */
const MAX_FINDINGS = 50;

export async function run(campaign: Campaign): Promise<Outcome> {
  const outcome: Outcome = { findings: [], statuses: new Map(), times: [], slowOnce: 0 };
  const clients = Array.from({ length: campaign.atOnce ?? 4 }, () => createClient(campaign.port));
  let teamId: bigint | undefined;
  for (let sent = 0; sent < campaign.requests && outcome.findings.length < MAX_FINDINGS; sent += BATCH) {
    const tenants: Tenant[] = [];
    for (let i = 0; i < TENANTS; i++) {
      tenants.push(await createTenant(campaign.app, `batch ${sent}`, teamId));
      teamId = tenants[0]?.team.id;
    }
    const callers = await callersOf(campaign.app, teamId ?? 0n);
    await campaign.changes.clear();
    await runBatch(campaign, {
      tenants,
      callers,
      clients,
      size: Math.min(BATCH, campaign.requests - sent),
      outcome,
    });
    campaign.onBatch?.(Math.min(sent + BATCH, campaign.requests));
  }
  for (const client of clients) client.close();
  return outcome;
}

/** Mostly one who may everything, so that what is sent is looked at. */
async function callersOf(app: App, teamId: bigint): Promise<Authorization[]> {
  const all = await factories.apiKey(app, { teamId });
  const reader = await factories.apiKey(app, { teamId, scopes: ['read'] });
  const stranger = await factories.apiKey(app, { teamId: (await factories.team(app)).id });
  return [
    ...Array<Authorization>(17).fill(all.authorization),
    reader.authorization,
    stranger.authorization,
    null,
  ];
}

interface Batch {
  readonly tenants: readonly Tenant[];
  readonly callers: readonly Authorization[];
  readonly clients: readonly Client[];
  readonly size: number;
  readonly outcome: Outcome;
}

async function runBatch(
  campaign: Campaign,
  { tenants, callers, clients, size, outcome }: Batch,
): Promise<void> {
  const { random, maxMs = Number.POSITIVE_INFINITY } = campaign;
  const changers = new Set<string>();
  const slow: BadRequest[] = [];
  // Made before they are sent: what is sent does not depend on the order of the answers.
  const raw = Array.from({ length: Math.ceil(size / RAW_SHARE) }, () =>
    hostileBytes(random.pick(tenants), callers[0] ?? '', random),
  );
  const requests = Array.from({ length: size - raw.length }, () => {
    const make = random.percent(55) ? restRequest : graphqlRequest;
    return make(random.pick(tenants), random.pick(callers), random);
  });

  async function attempt(client: Client, request: BadRequest): Promise<Answer | null> {
    const bytes = toBytes(request);
    try {
      const answer = await client.send(bytes, request.method === 'HEAD');
      const { hasChanged } = await requireGoodAnswer(request, answer);
      if (hasChanged) changers.add(answer.headers.get('x-request-id') ?? '');
      return answer;
    } catch (error) {
      outcome.findings.push({ what: request.what, why: (error as Error).message, bytes });
      return null;
    }
  }

  async function attemptRaw({ what, bytes }: HostileBytes): Promise<void> {
    try {
      for (const { status } of await requireGoodAnswers(await exchangeBytes(campaign.port, bytes)))
        count(status);
    } catch (error) {
      outcome.findings.push({ what, why: (error as Error).message, bytes });
    }
  }
  const count = (status: number) => outcome.statuses.set(status, (outcome.statuses.get(status) ?? 0) + 1);

  const rest = requests.values();
  // Most of them wait.
  const rawDone = Promise.all(raw.map(attemptRaw));
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
  await rawDone;
  for (const request of slow) {
    const [client] = clients;
    let best = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 3 && client !== undefined; i++)
      best = Math.min(best, (await attempt(client, request))?.ms ?? 0);
    if (best <= maxMs) outcome.slowOnce++;
    else
      outcome.findings.push({
        what: request.what,
        why: `It takes ${Math.round(best)} ms.`,
        bytes: toBytes(request),
      });
  }
  for (const why of await campaign.changes.changesBeside(changers))
    outcome.findings.push({ what: 'a change by what was refused', why, bytes: Buffer.alloc(0) });
}
