// Chooses the server for the reads of a request. All reads of a request go to one replica, so that they are consistent. They go to the
// primary if no replica may be read, for requests that change something, and after the request's replica was lost.
import { AppError } from '../../errors.ts';
import type { RowBlock } from '../../rows/row-block.ts';
import { ResultTooLarge } from '../connections/rows-query.ts';
import type { Readers } from '../pipelining/readers.ts';
import type { Statement } from '../sql/statements.ts';
import type { Position } from './positions.ts';
import type { ChosenReplica, Replicas } from './replicas.ts';

/** The changes that a request must see. */
interface RequiredWrites {
  /** The position that the client has sent. If there is one, the credential is not looked up. */
  readonly position: Position | null;
  /** The credential whose changes must be visible; null: the caller cannot write. */
  readonly credential: string | null;
}

/** Where the reads of one request go. It changes while the request is processed. */
export interface Reading {
  /** null: reads go to the primary. Set when it is certain that the request only reads. */
  wanted: RequiredWrites | null;
  chosen: Promise<ChosenReplica | null> | null;
}

/** The parts of a context that are needed here. */
interface Sources {
  readonly store: {
    readonly readers: Readers;
    readonly scans: Readers;
    readonly replicas: Replicas | null;
  };
  readonly signal?: AbortSignal;
  readonly changes?: { readonly sent: boolean };
  readonly reading?: Reading;
}

/** The replica that answers a request; null: the primary answers. */
export function replicaOf({ store, changes, reading }: Sources): Promise<ChosenReplica | null> | null {
  const { replicas } = store;
  if (replicas === null || reading === undefined || reading.wanted === null || changes?.sent) return null;
  reading.chosen ??= choose(replicas, reading.wanted);
  return reading.chosen;
}

/** Whether reads of the request may have gone to a replica, which may lag behind the primary. */
export function mayHaveReadReplica({ reading }: Pick<Sources, 'reading'>): boolean {
  return reading !== undefined && reading.chosen !== null;
}

/** Sends all further reads to the primary, which has everything that a replica has. */
export function readFromPrimary({ reading }: Pick<Sources, 'reading'>): void {
  if (reading !== undefined) Object.assign(reading, { wanted: null, chosen: null });
}

async function choose(
  replicas: Replicas,
  { position, credential }: RequiredWrites,
): Promise<ChosenReplica | null> {
  if (!replicas.hasReadable()) return null;
  if (position === null && credential !== null && (await replicas.hasWritten(credential))) return null;
  return replicas.pick(position);
}

/** Reads over connections of one kind, of the request's replica or of the primary. @throws as `Readers.read` */
export function readFrom(
  ctx: Sources,
  kind: 'readers' | 'scans',
  statement: Statement,
  values: unknown[],
  tenantId: bigint,
): Promise<RowBlock> {
  const { store, signal } = ctx;
  const choosing = replicaOf(ctx);
  // Without replicas, no choice is awaited.
  if (choosing === null) return store[kind].read(statement, values, tenantId, signal);
  return readFromChosen(ctx, choosing, (source) => source[kind].read(statement, values, tenantId, signal));
}

async function readFromChosen(
  ctx: Sources,
  choosing: Promise<ChosenReplica | null>,
  read: (source: Pick<ChosenReplica, 'readers' | 'scans'>) => Promise<RowBlock>,
): Promise<RowBlock> {
  const chosen = await choosing;
  if (chosen === null) return read(ctx.store);
  try {
    return await read(chosen);
  } catch (error) {
    if (!isReplicaFault(error) || ctx.signal?.aborted) throw error;
    chosen.reportRetry();
    readFromPrimary(ctx);
    return read(ctx.store);
  }
}

const TIMED_OUT = '57014';

/**
 * Whether the primary might succeed where the replica failed. Not if the read itself is too large or too slow, or the team has too many
 * reads.
 */
function isReplicaFault(error: unknown): boolean {
  if (error instanceof AppError || error instanceof ResultTooLarge) return false;
  return (error as { code?: unknown }).code !== TIMED_OUT;
}
