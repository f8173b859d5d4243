// The context of resolvers: the services' Context with the request's loaders and its GraphQL state. A plain object, created once per
// request.
import DataLoader from 'dataloader';
import type { DocumentNode, OperationDefinitionNode } from 'graphql';
import type { Release } from '../concurrency/fair-queue.ts';
import type { Context } from '../context.ts';
import type { AppError } from '../errors.ts';
import type { Position } from '../services/reading/consistency.ts';
import { LongLists } from './limits/long-lists.ts';
import type { Pace } from './limits/long-work.ts';
import type { TrustedDocument } from './trusted-documents/request.ts';

type Loader = DataLoader<bigint | string | object, unknown>;

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
type RequestState = ReturnType<typeof createState>;

function createState({ showsCost, position }: FromHeaders) {
  return {
    /** The trusted document that the request names by id; null when it sends the text of a document. */
    trusted: null as TrustedDocument | null,
    /** The parsed JSON body; undefined when the body is not a JSON object, or the operation is in the URL. */
    body: undefined as object | undefined,
    /** The document once it has been parsed, so that a second execution does not parse it again. */
    document: null as DocumentNode | null,
    /** The operation, for the fast path to compile. Set before execution, and cleared when a field fails. */
    validOperation: null as ValidOperation | null,
    /** An error that refuses the whole request, found before Yoga executes it. */
    refusal: null as AppError | null,
    /** The mutations that were refused with user errors. */
    refusedChanges: 0,
    /** Whether the operation is a query: only queries may be aborted and executed again. */
    isQuery: false,
    /** Whether the answer was too large for an execution without a slot (limits/large-answers.ts). */
    needsSlot: false,
    /** The rows that the operation may read, and the points that it costs; null until they are counted (limits/points.ts). */
    cost: null as { readonly rows: number; readonly points: number } | null,
    showsCost,
    /** The operation's variables as the client sent them. */
    variables: {} as Readonly<Record<string, unknown>>,
    /** The lists that were longer than assumed. */
    longLists: new LongLists(),
    /** How the full executor divides its work; null on the fast path, which writes its answer in slices. */
    pace: null as Pace | null,
    /** Whether a parent object may be assumed to exist without being read (unread-parents.ts). */
    assumesParents: false,
    /** Whether something below an assumed parent was refused: the operation must be executed again with `assumesParents` false. */
    mustReadParents: false,
    /** Assumed parents that turned out not to exist: type and id. */
    missing: new Set<string>(),
    position,
    /** The consistency token to return for the changes of this request. */
    consistencyToken: null as string | null,
    /** Releases the slot that the request holds for a large answer; null when it holds none. */
    releaseSlot: null as Release | null,
  };
}

/** Options from the request's headers. */
interface FromHeaders {
  /** Whether the answer shows the cost. */
  readonly showsCost: boolean;
  /** The position of the client's last write, from its consistency token; null without one. */
  readonly position: Position | null;
}

/** The context of one request. */
export function toGraphContext(ctx: Context, options: FromHeaders): GraphContext {
  return { ...ctx, loaders: new Map(), state: createState(options) };
}

/** The caller's team; 0 without credentials. */
export function callersTeamId({ actor }: Context): bigint {
  return actor.kind === 'anonymous' ? 0n : actor.tenancy.teamId;
}

/** The most values in one batch. Decoding the rows of a statement is synchronous, so a larger batch would block the event loop. */
const MAX_BATCH = 1_000;

/**
 * Loads one value through a DataLoader: all ids with the same key are loaded in one batch per tick of the event loop.
 * @param key identifies what is loaded, including arguments
 * @param loadMany the service's batch function; it returns the values in the order of the ids, and an Error where there is none
 */
export function loadBatched<Value, Id extends bigint | string | object = bigint>(
  ctx: GraphContext,
  key: string,
  id: Id,
  loadMany: (ids: readonly Id[]) => Promise<readonly (Value | Error)[]>,
): Promise<Value> {
  let loader = ctx.loaders.get(key);
  if (loader === undefined) {
    loader = new DataLoader<Id, unknown>(loadMany, { maxBatchSize: MAX_BATCH }) as Loader;
    ctx.loaders.set(key, loader);
  }
  // The key identifies what is loaded, so every value of this loader is a Value.
  return loader.load(id) as Promise<Value>;
}
