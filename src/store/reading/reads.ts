// Executes reads for a caller: short ones, and those that may scan many rows. Checks the owner of every row before returning it.
import type { RowBlock } from '../../rows/row-block.ts';
import { toStoreError } from '../connections/failures.ts';
import { ResultTooLarge } from '../connections/rows-query.ts';
import { readFrom } from '../replicas/reading.ts';
import { type NamedStatement, type Values, valuesOf } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { StoreContext } from '../store.ts';
import type { Owners } from '../tenancy/row-owners.ts';

/**
 * Executes one short prepared read on a shared, pipelined connection. If its result is too large, reads it again with `scanRows`.
 * @param values by the names of the statement's parameters
 * @param tenancy of the caller
 * @param owners the columns that identify the owner of a row
 * @throws AppError `unavailable` if the database cannot be reached or took too long; the signal's reason if it is aborted before the read
 * is sent; ForeignRows if the caller does not own a row
 */
export async function readRows(
  ctx: StoreContext,
  statement: NamedStatement,
  values: Values,
  tenancy: Tenancy,
  owners: Owners,
): Promise<RowBlock> {
  try {
    const rows = await readOver(ctx, 'readers', statement, values, tenancy.teamId);
    return await ctx.store.rowGuard.requireOwn(rows, owners, tenancy, statement.name);
  } catch (error) {
    if (error instanceof ResultTooLarge) return scanRows(ctx, statement, values, tenancy, owners);
    throw toStoreError(error);
  }
}

/**
 * Executes one prepared read that may scan many rows, as soon as its team has a queue slot. Aborting the signal cancels it.
 * @throws AppError `unavailable` if the database cannot be reached or took too long, `too_many_requests` if too many reads of the team are
 * waiting; ForeignRows
 */
export async function scanRows(
  ctx: StoreContext,
  statement: NamedStatement,
  values: Values,
  tenancy: Tenancy,
  owners: Owners,
): Promise<RowBlock> {
  const { store, signal } = ctx;
  const { teamId } = tenancy;
  try {
    const scan = () => readOver(ctx, 'scans', statement, values, teamId);
    const rows = await store.expensive.run(String(teamId), scan, signal);
    return await store.rowGuard.requireOwn(rows, owners, tenancy, statement.name);
  } catch (error) {
    throw toStoreError(error);
  }
}

/** Reads over connections of one kind: the primary's or, with replicas, those of the server that answers the request. */
function readOver(
  ctx: StoreContext,
  kind: 'readers' | 'scans',
  statement: NamedStatement,
  values: Values,
  tenantId: bigint,
): Promise<RowBlock> {
  const { store, signal } = ctx;
  const numbered = valuesOf(statement, values);
  if (store.replicas === null) return store[kind].read(statement, numbered, tenantId, signal);
  return readFrom(ctx, kind, statement, numbered, tenantId);
}
