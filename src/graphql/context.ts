// The context of resolvers: the services' Context with the request's loaders and its GraphQL state. A plain object, one a
// request.
import DataLoader from 'dataloader';
import type { DocumentNode, OperationDefinitionNode } from 'graphql';
import type { Release } from '../concurrency/fair-queue.ts';
import type { Context } from '../context.ts';
import type { AppError } from '../errors.ts';
import type { Position } from '../services/consistency.ts';
import type { TrustedDocument } from './trusted-documents/documents.ts';

type Loader = DataLoader<bigint, unknown>;

export interface GraphContext extends Context {
  /** DataLoaders by the key given to `loadBatched`, created on first use. */
  readonly loaders: Map<string, Loader>;
  readonly state: RequestState;
}

/** A document and the operation of it to execute, after validation. */
export interface ValidOperation {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** That it may read, by so many lists and look-ups. */
  readonly rows: number;
  readonly reads: number;
}

/** What the handler, Yoga's plugins and the fast path know of one request; changed while it is processed. */
interface RequestState {
  /** The document that the request names by its id; null where it has a text. */
  trusted: TrustedDocument | null;
  /** The body of the request as JSON; undefined where it is none, or an operation in the URL. */
  body: object | undefined;
  /** The document, once it was parsed: it is not parsed again where the operation is executed again. */
  document: DocumentNode | null;
  /** Set before execution, and cleared when the answer has errors: what the fast path may compile. */
  validOperation: ValidOperation | null;
  /** An error that refuses the whole request, found before Yoga executes it. */
  refusal: AppError | null;
  /** Whether the operation is a query: it may be aborted and executed again. */
  isQuery: boolean;
  /** Whether the answer was too large to be executed without a slot (limits/large-answers.ts). */
  needsSlot: boolean;
  /** The rows that the operation may read and what the request costs, once they were counted (limits/points.ts). */
  cost: { readonly rows: number; readonly points: number } | null;
  /** Whether the answer is to say what the request costs. */
  readonly showsCost: boolean;
  /** Whether an object may be taken to be there without being read (unread-parents.ts). */
  assumesParents: boolean;
  /** Whether one was, and something below it was refused: the operation has to be executed again with `assumesParents` false. */
  mustReadParents: boolean;
  /** Those that were found not to be there: type and id. */
  readonly missing: Set<string>;
  /** What the client says of its last write. */
  readonly position: Position | null;
  /** What the client is told of the changes that it has made. */
  consistencyToken: string | null;
  /** Releases the slot that the request holds for a large answer; null where it holds none. */
  releaseSlot: Release | null;
}

/** What the headers of a request say of it. */
type FromHeaders = Pick<RequestState, 'showsCost' | 'position'>;

/** The context of one request. */
export function toGraphContext(
  ctx: Context,
  { showsCost, position }: FromHeaders = { showsCost: false, position: null },
): GraphContext {
  return {
    ...ctx,
    loaders: new Map(),
    state: {
      trusted: null,
      body: undefined,
      document: null,
      validOperation: null,
      refusal: null,
      isQuery: false,
      needsSlot: false,
      assumesParents: false,
      mustReadParents: false,
      missing: new Set(),
      releaseSlot: null,
      cost: null,
      showsCost,
      position,
      consistencyToken: null,
    },
  };
}

/** The caller's team; 0 without credentials. */
export function callersTeamId({ actor }: Context): bigint {
  return actor.kind === 'anonymous' ? 0n : actor.tenancy.teamId;
}

/**
 * Loads one value through a DataLoader: all ids under the same key in one tick of the event loop are loaded in one batch.
 * @param key identifies what is loaded, arguments included
 * @param loadMany the service's batch function; its values are in the order of the ids
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
  // The key identifies what is loaded, so that every value of this loader is a Value.
  return loader.load(id) as Promise<Value>;
}
