// What resolvers are handed: the services' Context with this request's loaders. A plain object, one a request.
import DataLoader from 'dataloader';
import type { DocumentNode, OperationDefinitionNode } from 'graphql';
import type { Context } from '../context.ts';
import type { AppError } from '../errors.ts';
import type { Release } from '../fair-queue.ts';

type Loader = DataLoader<bigint, unknown>;

export interface GraphContext extends Context {
  /** Made when first asked for; forgotten with the request. */
  readonly loaders: Map<string, Loader>;
  readonly outcome: Outcome;
}

/** A request's document and operation, once Yoga has parsed and validated them. */
export interface Accepted {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

/** What became of a request on its way. */
interface Outcome {
  /** Its document, for the fast path; null until it is found valid. */
  accepted: Accepted | null;
  /** Why it is refused as a whole: the executor need not find that out again. */
  refusal: AppError | null;
  /** Whether it only reads: then it may be given up half-way, and run again. */
  isRead: boolean;
  /** Whether the executor found it larger than what it was given to make. */
  isLarge: boolean;
  /** The turn that a large answer has; ends with the answer. */
  turn: Release | null;
}

/** A context of its own for one request. */
export function toGraphContext(ctx: Context): GraphContext {
  return {
    ...ctx,
    loaders: new Map(),
    outcome: { accepted: null, refusal: null, isRead: false, isLarge: false, turn: null },
  };
}

/** The caller's team; 0 without credentials. */
export function callersTeamId({ actor }: Context): bigint {
  return actor.kind === 'anonymous' ? 0n : actor.tenancy.teamId;
}

/**
 * Asks for one of many: what is asked for under the same key in the same turn is loaded together, once.
 * @param key names what is loaded, arguments included
 * @param loadMany the service's call, answering in the ids' order
 */
export function loadBatched<Value>(
  ctx: GraphContext,
  key: string,
  id: bigint,
  loadMany: (ids: readonly bigint[]) => Promise<readonly Value[]>,
): Promise<Value> {
  let loader = ctx.loaders.get(key);
  if (loader === undefined) {
    loader = new DataLoader<bigint, unknown>(loadMany);
    ctx.loaders.set(key, loader);
  }
  // The key names what is loaded, so all that comes from this loader is a Value.
  return loader.load(id) as Promise<Value>;
}
