// The context of resolvers: the services' Context with the request's loaders and its GraphQL state. A plain object, created once per
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
  /** The most rows that it may read, and the number of lists and look-ups that read them. */
  readonly rows: number;
  readonly reads: number;
}

/** The state of one request, which the handler, Yoga's plugins and the fast path share and change. */
interface RequestState {
  /** The trusted document that the request names by id; null when it sends the text of a document. */
  trusted: TrustedDocument | null;
  /** The parsed JSON body; undefined when the body is not a JSON object, or the operation is in the URL. */
  body: object | undefined;
  /** The document once it has been parsed, so that a second execution does not parse it again. */
  document: DocumentNode | null;
  /** What the fast path may compile. Set before execution, and cleared when a field fails. */
  validOperation: ValidOperation | null;
  /** An error that refuses the whole request, found before Yoga executes it. */
  refusal: AppError | null;
  /** Whether the operation is a query: only queries may be aborted and executed again. */
  isQuery: boolean;
  /** Whether the answer was too large for an execution without a slot (limits/large-answers.ts). */
  needsSlot: boolean;
  /** The rows that the operation may read, and the points that it costs; null until they are counted (limits/points.ts). */
  cost: { readonly rows: number; readonly points: number } | null;
  /** Whether the client asked for the cost to be shown in the answer. */
  readonly showsCost: boolean;
  /** Whether a parent object may be assumed to exist without being read (unread-parents.ts). */
  assumesParents: boolean;
  /** Whether something below an assumed parent was refused: the operation must be executed again with `assumesParents` false. */
  mustReadParents: boolean;
  /** Assumed parents that turned out not to exist: type and id. */
  readonly missing: Set<string>;
  /** The position of the client's last write, from its consistency token; null without one. */
  readonly position: Position | null;
  /** The consistency token to return for the changes of this request. */
  consistencyToken: string | null;
  /** Releases the slot that the request holds for a large answer; null when it holds none. */
  releaseSlot: Release | null;
}

/** The part of the state that comes from the request's headers. */
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
 * Loads one value through a DataLoader: all ids with the same key are loaded in one batch per tick of the event loop.
 * @param key identifies what is loaded, including arguments
 * @param loadMany the service's batch function; it returns the values in the order of the ids
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
  // The key identifies what is loaded, so every value of this loader is a Value.
  return loader.load(id) as Promise<Value>;
}
