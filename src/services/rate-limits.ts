// Who pays for a request, and how much. A caller pays from the limit of the API key or OAuth client and from the team's; whoever has no
// valid credentials pays from the limit of their network. Limits are counted in src/rates/.
import { type Actor, type Caller, credentialOf, type OauthActor } from '../auth/actor.ts';
import type { App, Context } from '../context.ts';
import { type Counter, type Taken, takeUpTo } from '../rates/counter.ts';
import type { RateReading } from '../telemetry/request-facts.ts';
import { pointsOfAnswer, pointsOfBody } from './points-of-bytes.ts';
import { type Refused, refusal } from './rate-refusals.ts';
import { toNetwork } from './throttle.ts';

/** A request costs one point for every so many rows that it may read, and one at least. */
export const ROWS_PER_POINT = 50;
/** A change costs one point for every so many events and deliveries that it makes: to write a row takes longer than to read one. */
const MADE_ROWS_PER_POINT = 20;
/** A request with credentials that are not valid, because they have to be looked up. */
export const REJECTED_POINTS = 5;

/** The points of a request that may read so many rows. */
export function pointsOf(rows: number): number {
  return Math.max(1, Math.ceil(rows / ROWS_PER_POINT));
}

/** A limit, and under which key the request is counted. */
type Payer = readonly [Counter, string];
/** A request that is counted. */
export interface Counted extends Refused {
  readonly app: Pick<App, 'rates' | 'metrics'>;
}

/** undefined: it was counted at once; the counts of several processes take a moment. */
export type Counting = Promise<void> | undefined;

/** Somebody who is not known yet, or has no valid credentials. */
export interface Stranger {
  readonly address: string;
  /** What was sent as credentials; null: nothing. */
  readonly credentials: string | null;
}

/**
 * Before anything is looked up. A request without credentials is counted. One with credentials is only refused, uncounted, where its
 * network has used up its limit, and the credentials were not valid there a moment ago.
 * @throws AppError `too_many_requests`
 */
export function admitStranger(request: Counted, stranger: Stranger): Counting {
  const { address: counter, busy } = request.app.rates;
  if (counter === null) return undefined;
  const { credentials } = stranger;
  if (credentials === null) return chargeNetwork(request, toNetwork(stranger.address), 1);
  if (!busy.any) return undefined;
  const network = toNetwork(stranger.address);
  const waitMs = busy.waitMs(network);
  if (waitMs > 0 && !busy.isTrusted(network, credentials)) throw refusal(request, counter, waitMs);
  return undefined;
}

/** Counts a request whose credentials were found not to be valid. @throws AppError `too_many_requests` */
export function chargeRejected(request: Counted, { address, credentials }: Stranger): Counting {
  const network = toNetwork(address);
  const { busy } = request.app.rates;
  if (credentials !== null && busy.any) busy.trust(network, credentials, false);
  return chargeNetwork(request, network, REJECTED_POINTS);
}

/** Counts a request, once it was answered, whose credentials nobody has looked at: it was no request to the API. */
export async function chargeUnread(request: Counted, { address }: Stranger): Promise<void> {
  try {
    await chargeNetwork(request, toNetwork(address), 1);
  } catch {
    // It was answered already.
  }
}

/** Counts a caller's request, as one that reads few rows. @throws AppError `too_many_requests` */
export function admitCaller(request: Counted, actor: Caller, stranger: Stranger): Counting {
  const { busy } = request.app.rates;
  if (busy.any) {
    const network = toNetwork(stranger.address);
    if (stranger.credentials !== null && busy.has(network)) busy.trust(network, stranger.credentials, true);
  }
  return charge(request, payersOf(request, actor), 1);
}

/**
 * Counts what a request costs above its first point, before it is carried out.
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
 * Counts the body of a request, and waits for the turn of its team (http/team-turns.ts), before it is parsed.
 * @throws AppError `too_many_requests`
 */
export function admitBody(ctx: Context, bytes: number): Counting {
  const points = pointsOfBody(bytes);
  const counting = chargeMore(ctx, points);
  const wait = () => ctx.turn?.(1 + points);
  return counting === undefined ? wait() : counting.then(wait);
}

/**
 * Counts what is only known with the answer: what it was found to cost meanwhile, and its bytes beyond those that its points have paid
 * for. It refuses nothing: where less is left, all of that is taken.
 * @param bytes of the answer as it was before it was compressed
 */
export function chargeAnswer(
  request: Counted & { readonly actor: Actor | null },
  { bytes, isCompressed }: { readonly bytes: number; readonly isCompressed: boolean },
): Counting {
  const { facts, actor } = request;
  const ofBytes = pointsOfAnswer(bytes, isCompressed);
  const points = facts.owed + Math.max(0, ofBytes - facts.points - facts.owed);
  facts.owed = 0;
  // What was refused for want of points, and health checks, cost nothing.
  if (points <= 0 || facts.rates.length === 0 || facts.limit !== null) return undefined;
  const payers = actor === null || actor.kind === 'anonymous' ? networkOf(request) : payersOf(request, actor);
  return chargeAtMost(request, payers, points);
}

function networkOf({ app: { rates }, facts }: Counted): Payer[] {
  return rates.address === null || facts.network === null ? [] : [[rates.address, facts.network]];
}

/** Counts the rows of a page. @throws AppError `too_many_requests` */
export function chargePage(ctx: Context, rows: number): Counting {
  return chargeMore(ctx, pointsOf(rows) - 1);
}

/**
 * Counts what a change costs above its first point, for the events and deliveries that it has made. How many there are is known only
 * once it is made: it is not refused for them. Where less is left than they cost all of it is used up, until the window ends.
 */
export async function chargeMade(ctx: Context, rows: number): Promise<void> {
  const points = Math.ceil(rows / MADE_ROWS_PER_POINT) - 1;
  const { actor, facts } = ctx;
  if (points <= 0 || actor.kind === 'anonymous') return;
  const request = { app: ctx, facts };
  try {
    await chargeAtMost(request, payersOf(request, actor), points);
  } catch (error) {
    // The change was made, and is answered.
    ctx.log.warn({ err: error }, 'the rows of a change not counted');
  }
}

function payersOf({ app: { rates } }: Counted, actor: Caller): Payer[] {
  const { teamId } = actor.tenancy;
  const own = actor.kind === 'api_key' ? rates.key : rates.client;
  const payers: Payer[] = [];
  if (own !== null) payers.push([own, actor.kind === 'api_key' ? actor.publicId : clientKey(actor)]);
  // On another team's host nothing is a team's.
  if (rates.team !== null && teamId !== 0n) payers.push([rates.team, String(teamId)]);
  return payers;
}

/** The client and the person, in the team: a new token or another grant is no new limit. */
function clientKey(actor: OauthActor): string {
  return `${actor.tenancy.teamId} ${credentialOf({ ...actor, grantId: null })}`;
}

async function chargeNetwork(request: Counted, network: string, points: number): Promise<void> {
  const { address: counter, busy } = request.app.rates;
  if (counter === null) return;
  request.facts.network = network;
  try {
    await charge(request, [[counter, network]], points);
  } finally {
    for (const reading of request.facts.rates) busy.note(network, toRest(reading));
  }
}

/** What is left for requests with credentials: too little for one that would have to be looked up in vain is nothing. */
function toRest(reading: RateReading): RateReading {
  const isTooLittle = reading.remaining < Math.min(REJECTED_POINTS, reading.limit);
  return isTooLittle ? { ...reading, remaining: 0 } : reading;
}

/**
 * Counts points under every limit or, where one refuses, under none. A request that costs more than a whole limit costs all of it, so
 * that it is possible in a fresh window.
 * @throws AppError `too_many_requests`
 */
function charge(request: Counted, payers: readonly Payer[], points: number): Counting {
  const charges = payers.map(([counter, key]) => {
    const cost = Math.max(0, Math.min(points, counter.limit - request.facts.points));
    return { counter, key, cost, taken: counter.take(key, cost) };
  });
  // Where they are shared, both are asked for at the same time: one round trip.
  if (charges.every(isCounted)) return settle(request, charges, points);
  return Promise.all(charges.map(async (one) => ({ ...one, taken: await one.taken }))).then((counted) =>
    settle(request, counted, points),
  );
}

/** Counts points under every limit, of each no more than what is left. It refuses nothing. */
function chargeAtMost({ facts }: Counted, payers: readonly Payer[], points: number): Counting {
  const taken = payers.map(([counter, key]) => takeUpTo(counter, key, points));
  const settled = (all: readonly Taken[]) => {
    facts.rates = all.map(({ reading }) => reading);
    facts.points += points;
    return undefined;
  };
  if (taken.every((one) => !(one instanceof Promise))) return settled(taken as Taken[]);
  return Promise.all(taken).then(settled);
}

/** Points that were asked of a limit, and what came of it. */
interface Charge<T = Taken> {
  readonly counter: Counter;
  readonly key: string;
  readonly cost: number;
  readonly taken: T;
}

function isCounted(charge: Charge<Taken | Promise<Taken>>): charge is Charge {
  return !(charge.taken instanceof Promise);
}

/** @throws AppError `too_many_requests` where a limit has refused: the points are given back to the others */
function settle(request: Counted, charges: readonly Charge[], points: number): undefined {
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

/** What is left of a limit when its points are given back, because another limit refuses the request. */
function withoutCharge({ counter, key, cost, taken: { accepted, reading } }: Charge): RateReading {
  if (!accepted) return reading;
  counter.giveBack(key, cost, reading.resetMs);
  return { ...reading, remaining: Math.min(reading.limit, reading.remaining + cost) };
}
