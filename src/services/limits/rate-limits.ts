// Which rate limits a request counts against, and for how many points. An authenticated request counts against the limits of its API key
// or OAuth client and of its team; a request without valid credentials counts against the limit of its network. src/rates/ does the
// counting.
import { type Actor, type Caller, credentialOf, type OauthActor } from '../../auth/actor.ts';
import type { App, Context } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { type Counter, type TakeResult, takeUpTo } from '../../rates/counter.ts';
import type { RateReading, RequestFacts } from '../../telemetry/request-facts.ts';
import { toNetwork } from './throttle.ts';

/** Rows that a request may read for one point; every request costs at least one. */
export const ROWS_PER_POINT = 50;
/** Events and deliveries that a change may create for one point; writing a row takes longer than reading one. */
const CREATED_ROWS_PER_POINT = 20;
/** The points of a request with invalid credentials, because they have to be looked up. */
export const REJECTED_POINTS = 5;

/** The points of a request that may read `rows`. */
export function pointsOf(rows: number): number {
  return Math.max(1, Math.ceil(rows / ROWS_PER_POINT));
}

/** A limit, and the key that the request is counted under. */
type Payer = readonly [Counter, string];
/** A request that is counted. */
export interface CountedRequest {
  readonly app: Pick<App, 'rates' | 'metrics'>;
  readonly facts: RequestFacts;
}

/** undefined: counted at once. Counts that processes share take a moment. */
export type Counting = Promise<void> | undefined;

/** A client that is not authenticated, or not yet. */
export interface UnknownClient {
  readonly address: string;
  /** The credentials as sent; null: none. */
  readonly credentials: string | null;
}

/**
 * Runs before anything is looked up. Counts a request without credentials. Does not count a request with credentials; refuses it only if
 * its network has used up its limit and the credentials were not valid there recently.
 * @throws AppError `too_many_requests`
 */
export function admitUnknownClient(request: CountedRequest, client: UnknownClient): Counting {
  const { address: counter, busy } = request.app.rates;
  if (counter === null) return undefined;
  const { credentials } = client;
  if (credentials === null) return chargeNetwork(request, toNetwork(client.address), 1);
  if (!busy.any) return undefined;
  const network = toNetwork(client.address);
  const waitMs = busy.waitMs(network);
  if (waitMs > 0 && !busy.isTrusted(network, credentials)) throw refusal(request, counter, waitMs);
  return undefined;
}

/** Counts a request with invalid credentials. @throws AppError `too_many_requests` */
export function chargeRejected(request: CountedRequest, { address, credentials }: UnknownClient): Counting {
  const network = toNetwork(address);
  const { busy } = request.app.rates;
  if (credentials !== null && busy.any) busy.trust(network, credentials, false);
  return chargeNetwork(request, network, REJECTED_POINTS);
}

/** Counts a request outside the API after its answer: nothing has checked its credentials. */
export async function chargeUnread(request: CountedRequest, { address }: UnknownClient): Promise<void> {
  try {
    await chargeNetwork(request, toNetwork(address), 1);
  } catch {
    // The request is already answered.
  }
}

/** Counts an authenticated request as one point. @throws AppError `too_many_requests` */
export function admitCaller(request: CountedRequest, actor: Caller, client: UnknownClient): Counting {
  const { busy } = request.app.rates;
  if (busy.any) {
    const network = toNetwork(client.address);
    if (client.credentials !== null && busy.has(network)) busy.trust(network, client.credentials, true);
  }
  return charge(request, payersOf(request, actor), 1);
}

/**
 * Counts the points of a request beyond the first one, before it is executed.
 * @throws AppError `too_many_requests`
 */
export function chargeMore(ctx: Context, points: number): Counting {
  const { actor, facts } = ctx;
  const request = { app: ctx, facts };
  if (points <= 0) return undefined;
  if (actor.kind !== 'anonymous') return charge(request, payersOf(request, actor), points);
  return facts.network === null ? undefined : chargeNetwork(request, facts.network, points);
}

/**
 * Counts a request body, then waits for the team's queue slot (http/request-turn.ts), before the body is parsed.
 * @throws AppError `too_many_requests`
 */
export function admitBody(ctx: Context, bytes: number): Counting {
  const points = pointsOfBody(bytes);
  const counting = chargeMore(ctx, points);
  const wait = () => ctx.waitForSlot?.(1 + points);
  return counting === undefined ? wait() : counting.then(wait);
}

/** Counts the members of a JSON body with the response: each name that was not seen before takes far longer to parse than its bytes. */
export function chargeMembersLater({ facts }: Context, members: number): void {
  facts.owed += Math.floor(members / MEMBERS_PER_POINT);
}

/**
 * Counts costs that are known only with the response: extra points found during execution, and response bytes beyond those that the
 * request's points already cover. Never refuses: if fewer points are left, it takes all of them.
 * @param bytes the size of the response before compression
 */
export function chargeAnswer(
  request: CountedRequest & { readonly actor: Actor | null },
  { bytes, isCompressed }: { readonly bytes: number; readonly isCompressed: boolean },
): Counting {
  const { facts, actor } = request;
  const ofBytes = pointsOfAnswer(bytes, isCompressed);
  const points = facts.owed + Math.max(0, ofBytes - facts.points - facts.owed);
  facts.owed = 0;
  // Requests that a rate limit refused, and health checks, cost nothing.
  if (points <= 0 || facts.rates.length === 0 || facts.limit !== null) return undefined;
  const payers = actor === null || actor.kind === 'anonymous' ? networkOf(request) : payersOf(request, actor);
  return chargeAtMost(request, payers, points);
}

function networkOf({ app: { rates }, facts }: CountedRequest): Payer[] {
  return rates.address === null || facts.network === null ? [] : [[rates.address, facts.network]];
}

/** Counts the rows of a page. @throws AppError `too_many_requests` */
export function chargePage(ctx: Context, rows: number): Counting {
  return chargeMore(ctx, pointsOf(rows) - 1);
}

/**
 * Counts the points of a change beyond the first one, for the events and deliveries that it created. Their number is known only
 * afterwards, so the change is not refused. If fewer points are left, all of them are used up until the window ends.
 */
export async function chargeCreatedRows(ctx: Context, rows: number): Promise<void> {
  const points = Math.ceil(rows / CREATED_ROWS_PER_POINT) - 1;
  const { actor, facts } = ctx;
  if (points <= 0 || actor.kind === 'anonymous') return;
  const request = { app: ctx, facts };
  await chargeAtMost(request, payersOf(request, actor), points);
}

function payersOf({ app: { rates } }: CountedRequest, actor: Caller): Payer[] {
  const { teamId } = actor.tenancy;
  const own = actor.kind === 'api_key' ? rates.key : rates.client;
  const payers: Payer[] = [];
  if (own !== null) payers.push([own, actor.kind === 'api_key' ? actor.publicId : clientKey(actor)]);
  // On another team's host the request belongs to no team.
  if (rates.team !== null && teamId !== 0n) payers.push([rates.team, String(teamId)]);
  return payers;
}

/** The client and the person, in the team: a new token or grant does not get a new limit. */
function clientKey(actor: OauthActor): string {
  return `${actor.tenancy.teamId} ${credentialOf({ ...actor, grantId: null })}`;
}

async function chargeNetwork(request: CountedRequest, network: string, points: number): Promise<void> {
  const { address: counter, busy } = request.app.rates;
  if (counter === null) return;
  request.facts.network = network;
  try {
    await charge(request, [[counter, network]], points);
  } finally {
    for (const reading of request.facts.rates) busy.remember(network, remainingForCredentials(reading));
  }
}

/** What is left for requests with credentials: fewer points than a failed look-up costs count as none. */
function remainingForCredentials(reading: RateReading): RateReading {
  const isTooLittle = reading.remaining < Math.min(REJECTED_POINTS, reading.limit);
  return isTooLittle ? { ...reading, remaining: 0 } : reading;
}

/**
 * Counts points against every limit or, if one refuses, against none. A request that costs more than a full limit takes the full limit,
 * so that it can succeed in a fresh window.
 * @throws AppError `too_many_requests`
 */
function charge(request: CountedRequest, payers: readonly Payer[], points: number): Counting {
  const charges = payers.map(([counter, key]) => {
    const cost = Math.max(0, Math.min(points, counter.limit - request.facts.points));
    return { counter, key, cost, taken: counter.take(key, cost) };
  });
  // Queries shared limits concurrently: one round trip.
  if (charges.every(isCounted)) return settle(request, charges, points);
  return Promise.all(charges.map(async (one) => ({ ...one, taken: await one.taken }))).then((counted) =>
    settle(request, counted, points),
  );
}

/** Counts points against every limit, at most what is left of each. Never refuses. */
function chargeAtMost({ facts }: CountedRequest, payers: readonly Payer[], points: number): Counting {
  const taken = payers.map(([counter, key]) => takeUpTo(counter, key, points));
  const settled = (all: readonly TakeResult[]) => {
    facts.rates = all.map(({ reading }) => reading);
    facts.points += points;
    return undefined;
  };
  if (taken.every((one) => !(one instanceof Promise))) return settled(taken as TakeResult[]);
  return Promise.all(taken).then(settled);
}

/** Points requested from a limit, and its answer. */
interface Charge<T = TakeResult> {
  readonly counter: Counter;
  readonly key: string;
  readonly cost: number;
  readonly taken: T;
}

function isCounted(charge: Charge<TakeResult | Promise<TakeResult>>): charge is Charge {
  return !(charge.taken instanceof Promise);
}

/** @throws AppError `too_many_requests` when a limit has refused; the other limits get their points back */
function settle(request: CountedRequest, charges: readonly Charge[], points: number): undefined {
  const { facts } = request;
  const refused = charges.find(({ taken }) => !taken.accepted);
  if (refused === undefined) {
    facts.rates = charges.map(({ taken }) => taken.reading);
    facts.points += points;
    return undefined;
  }
  facts.rates = charges.map(withoutCharge);
  const waits = charges.map(({ taken }) => (taken.accepted ? 0 : taken.reading.resetMs));
  throw refusal(request, refused.counter, Math.max(...waits));
}

/** What is left of a limit after its points are given back, because another limit refuses the request. */
function withoutCharge({ counter, key, cost, taken: { accepted, reading } }: Charge): RateReading {
  if (!accepted) return reading;
  counter.giveBack(key, cost, reading.resetMs);
  return { ...reading, remaining: Math.min(reading.limit, reading.remaining + cost) };
}

/** Bytes of a request body that cost one point. */
const BODY_BYTES_PER_POINT = 48 * 1024;
/** Members of a request body's objects that cost one point. */
const MEMBERS_PER_POINT = 2_000;
/** Bytes of a response that cost one point; half as many if the response is compressed. */
const ANSWER_BYTES_PER_POINT = 32 * 1024;

/** The points of a request body of `bytes`; a small one costs none. */
function pointsOfBody(bytes: number): number {
  return Math.floor(bytes / BODY_BYTES_PER_POINT);
}

/** The points of a response with `bytes` before compression. */
function pointsOfAnswer(bytes: number, isCompressed: boolean): number {
  return Math.floor((bytes * (isCompressed ? 2 : 1)) / ANSWER_BYTES_PER_POINT);
}

/** Creates the error, and counts the refusal under the limit's name. */
function refusal({ app, facts }: CountedRequest, { name }: Counter, waitMs: number): AppError {
  facts.limit = name;
  app.metrics.countRateLimited(name);
  return new AppError('too_many_requests', MESSAGES[name] ?? 'Too many requests.', {
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
  });
}

const MESSAGES: Readonly<Record<string, string>> = {
  key: 'This API key has sent too many requests. The header RateLimit says when it may send more.',
  client: 'This OAuth client has sent too many requests. The header RateLimit says when it may send more.',
  team: 'The keys and clients of this team have sent too many requests. The header RateLimit says when they may send more.',
  address: 'Too many requests without valid credentials came from this address. Try again later.',
};
