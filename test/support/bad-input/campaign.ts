// Sends hostile requests to a gateway, batch by batch, reproducible by a seed.
import type { App } from '../../../src/context.ts';
import * as factories from '../factories.ts';
import { createTenant, type Tenant } from '../operations.ts';
import { graphqlRequest } from './graphql-requests.ts';
import { hostileBytes } from './http-bytes.ts';
import type { Random } from './random.ts';
import type { Authorization } from './request.ts';
import { restRequest } from './rest-requests.ts';
import type { Sender } from './sender.ts';

export interface Campaign {
  /** An app on the gateway's database, which creates the objects of the requests. */
  readonly app: App;
  readonly sender: Sender;
  readonly random: Random;
  readonly requests: number;
  /** Called after each batch. */
  readonly onBatch?: (sent: number) => void;
}

const BATCH = 500;
/** One of this many requests is not valid HTTP. */
const RAW_SHARE = 20;
/** Tenants of a batch: some requests delete objects that others use. */
const TENANTS = 4;
/** A campaign ends after this many findings. */
const MAX_FINDINGS = 50;

/** What is sent does not depend on the answers. */
export async function run({ app, sender, random, requests, onBatch }: Campaign): Promise<void> {
  let teamId: bigint | undefined;
  for (let sent = 0; sent < requests && sender.outcome.findings.length < MAX_FINDINGS; sent += BATCH) {
    const tenants: Tenant[] = [];
    for (let i = 0; i < TENANTS; i++) {
      tenants.push(await createTenant(app, `batch ${sent}`, teamId));
      teamId = tenants[0]?.team.id;
    }
    const callers = await callersOf(app, teamId ?? 0n);
    const size = Math.min(BATCH, requests - sent);
    const bytes = Array.from({ length: Math.ceil(size / RAW_SHARE) }, () =>
      hostileBytes(random.pick(tenants), callers[0] ?? '', random),
    );
    const valid = Array.from({ length: size - bytes.length }, () => {
      const make = random.percent(55) ? restRequest : graphqlRequest;
      return make(random.pick(tenants), random.pick(callers), random);
    });
    await sender.sendAll(valid, bytes);
    onBatch?.(sent + size);
  }
}

/** Mostly a caller with every right, so that the gateway examines the request. */
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
