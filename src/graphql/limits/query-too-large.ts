// The refusal of an operation for what it costs.
import type { FieldNode } from 'graphql';
import { AppError } from '../../errors.ts';

/** What exceeds a limit. */
export interface Excess {
  /** The response keys that lead to the field with the largest part of it. */
  readonly path?: readonly (string | number)[];
  /** That field, for the location of the error. */
  readonly node?: FieldNode | undefined;
  readonly rows?: number;
  readonly values?: number;
  /** The most that is allowed: rows, values, or what the message says. */
  readonly limit: number;
}

/** The longest part of a path that a message repeats: aliases can have any length. */
const MAX_PATH_CHARS = 120;

/** A path for a message, without the places in lists, such as `funnels.nodes.steps`. A long one without its beginning. */
export function dotted(path: NonNullable<Excess['path']>): string {
  const names = path.filter((key) => typeof key === 'string').join('.');
  return names.length > MAX_PATH_CHARS ? `…${names.slice(-MAX_PATH_CHARS)}` : names;
}

/** Thrown for an operation that reads or answers more than it may. Clients get `QUERY_TOO_LARGE`, with `path`, the measure and `limit`. */
export class QueryTooLarge extends AppError {
  readonly excess: Excess;

  constructor(message: string, excess: Excess) {
    super('invalid', message);
    this.excess = excess;
  }

  /** The refusal with the place where it was thrown during execution. Where an answer grows too large is chance. */
  at(_path: Excess['path']): QueryTooLarge {
    return this;
  }

  /** What the error has in `extensions`, in place of the code of its status. */
  get extensions(): { readonly code: string } {
    const { node: _, ...excess } = this.excess;
    return { code: 'QUERY_TOO_LARGE', ...excess };
  }
}

/** Thrown during execution, for lists that are longer than the cost analysis assumed. */
export class ListsTooLong extends QueryTooLarge {
  constructor(rows: number, limit: number, path?: Excess['path']) {
    const which = path === undefined ? 'some lists are' : `\`${dotted(path)}\` is`;
    super(
      `The operation reads more than ${limit} rows, because ${which} longer than usual. Ask for smaller pages above it, or for less below it.`,
      { rows, limit, ...(path && { path }) },
    );
  }

  override at(path: Excess['path']): QueryTooLarge {
    const { rows = 0, limit } = this.excess;
    return path === undefined ? this : new ListsTooLong(rows, limit, path);
  }
}
