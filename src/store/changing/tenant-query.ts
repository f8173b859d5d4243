// Sends a statement together with the one before it that enters the caller's tenancy (tenant-role.ts). Without a Sync message between them
// they are one transaction (PostgreSQL manual, "Pipelining"). Uses internals of node-postgres, whose version is pinned.
import pg from 'pg';
import { toStoreError } from '../connections/failures.ts';
import type { Statement } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import { types } from '../sql/value-types.ts';
import { query, type Store } from '../store.ts';
import { ENTER, enteringAs } from '../tenancy/tenant-role.ts';

/**
 * Executes one prepared statement for a caller. It sees and changes only rows that the caller owns.
 * @throws AppError `unavailable` when the database cannot be reached or took too long
 */
export async function queryAs<Row extends object>(
  store: Pick<Store, 'pool' | 'hasTenantRole' | 'preparedStatements'>,
  tenancy: Tenancy,
  statement: Statement,
  values: unknown[],
): Promise<Row[]> {
  try {
    if (!(await store.hasTenantRole())) return await query(store, statement, values);
    const named = (one: Statement) => (store.preparedStatements ? one : { ...one, name: '' });
    const inTenancy = new TenantQuery(named(ENTER), named(statement), values, enteringAs(tenancy));
    return ((await store.pool.query(inTenancy)) as unknown as pg.QueryResult<Row>).rows;
  } catch (error) {
    throw toStoreError(error);
  }
}

/** The parts of a connection's protocol state that are used. */
interface Connection extends pg.Connection {
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
}

interface Handlers {
  prepare(connection: pg.Connection): void;
  handleRowDescription(message: object): void;
  handleDataRow(message: object): void;
  handleCommandComplete(message: object, connection: pg.Connection): void;
  handleError(error: Error, connection: pg.Connection): void;
}

const Query = pg.Query as unknown as new (config: pg.QueryConfig) => Handlers & pg.Submittable;

class TenantQuery extends Query implements pg.Submittable {
  /** Name and text of the statement whose answer comes next. The client uses them to record what it has prepared. */
  name = '';
  text = '';
  #statement: Statement;
  readonly #enter: Statement;
  readonly #entering: readonly string[];
  #hasEntered = false;

  /** @param entering the values of `ENTER` */
  constructor(enter: Statement, { name, text }: Statement, values: unknown[], entering: readonly string[]) {
    super({ name, text, values, types });
    this.#statement = enter;
    this.#enter = enter;
    this.#entering = entering;
    Object.assign(this, { name, text });
  }

  override prepare(connection: Connection): void {
    const { parsedStatements, submittedNamedStatements } = connection;
    const enter = this.#enter;
    if (enter.name === '' || parsedStatements[enter.name] === undefined) {
      connection.parse({ ...enter, types: [] }, true);
      if (enter.name !== '') submittedNamedStatements[enter.name] = enter.text;
    }
    connection.bind({ statement: enter.name, values: [...this.#entering] }, true);
    connection.execute({}, true);
    super.prepare(connection);
    this.#statement = { name: this.name, text: this.text };
    Object.assign(this, { name: enter.name, text: enter.text });
  }

  override handleDataRow(message: object): void {
    if (this.#hasEntered) super.handleDataRow(message);
  }

  override handleCommandComplete(message: object, connection: pg.Connection): void {
    if (this.#hasEntered) {
      super.handleCommandComplete(message, connection);
      return;
    }
    this.#hasEntered = true;
    Object.assign(this, this.#statement);
  }

  override handleError(error: Error, connection: Connection): void {
    // PostgreSQL skipped the statement sent after the failed one.
    if (!this.#hasEntered) delete connection.submittedNamedStatements[this.#statement.name];
    super.handleError(error, connection);
  }
}
