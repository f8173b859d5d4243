// Which server answers the reads of a request: one replica for all of them, so that they agree, and the primary where none may be
// read, for whatever changes something, and for a request whose replica is lost on the way.
import { AppError } from '../../errors.ts';
import type { RowBlock } from '../../rows/row-block.ts';
import { ResultTooLarge } from '../connections/rows-query.ts';
import type { Readers } from '../pipelining/readers.ts';
import type { Statement } from '../sql/statements.ts';
import type { Position } from './positions.ts';
import type { Chosen, Replicas } from './replicas.ts';

/** What a request must see. */
interface Wanted {
  /** The position that the client has sent: nobody else is asked. */
  readonly position: Position | null;
  /** Whose last write is to be seen; null: the caller cannot have written. */
  readonly credential: string | null;
}

/** Where the reads of one request go; changed while it is processed. */
export interface Reading {
  /** null: to the primary, unless somebody says that the request only reads. */
  wanted: Wanted | null;
  chosen: Promise<Chosen | null> | null;
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

/** The replica that answers a request; null: the primary does. */
export function replicaOf({ store, changes, reading }: Sources): Promise<Chosen | null> | null {
  const { replicas } = store;
  if (replicas === null || reading === undefined || reading.wanted === null || changes?.sent) return null;
  reading.chosen ??= choose(replicas, reading.wanted);
  return reading.chosen;
}

/** Whether the reads of a request may have gone to a replica, which may not have what the primary has. */
export function mayBeReplica({ reading }: Pick<Sources, 'reading'>): boolean {
  return reading !== undefined && reading.chosen !== null;
}

/** From now on the primary answers, which has seen all that a replica has. */
export function leaveReplica({ reading }: Pick<Sources, 'reading'>): void {
  if (reading !== undefined) Object.assign(reading, { wanted: null, chosen: null });
}

async function choose(replicas: Replicas, { position, credential }: Wanted): Promise<Chosen | null> {
  if (!replicas.isAny()) return null;
  if (position !== null || credential === null) return replicas.pick(position);
  const found = await replicas.writes.find(credential);
  return found === 'unknown' ? null : replicas.pick(found);
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
  // Where there are no replicas nothing is awaited.
  if (choosing === null) return store[kind].read(statement, values, tenantId, signal);
  return readFromChosen(ctx, choosing, (source) => source[kind].read(statement, values, tenantId, signal));
}

async function readFromChosen(
  ctx: Sources,
  choosing: Promise<Chosen | null>,
  read: (source: Pick<Chosen, 'readers' | 'scans'>) => Promise<RowBlock>,
): Promise<RowBlock> {
  const chosen = await choosing;
  if (chosen === null) return read(ctx.store);
  try {
    return await read(chosen);
  } catch (error) {
    if (!mayBeTheReplica(error) || ctx.signal?.aborted) throw error;
    chosen.lost();
    leaveReplica(ctx);
    return read(ctx.store);
  }
}

const TIMED_OUT = '57014';

/** Whether the primary may have another answer: not where the read itself is too large or too slow, or its team has too many. */
function mayBeTheReplica(error: unknown): boolean {
  if (error instanceof AppError || error instanceof ResultTooLarge) return false;
  return (error as { code?: unknown }).code !== TIMED_OUT;
}
