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

/** Thrown for an operation that reads or answers more than it may. Clients get `QUERY_TOO_LARGE`, with `path`, the measure and `limit`. */
export class QueryTooLarge extends AppError {
  readonly excess: Excess;

  constructor(message: string, excess: Excess) {
    super('invalid', message);
    this.excess = excess;
  }

  /** The refusal during execution, with the list that was too long. Where an answer grows too large is chance. */
  at(path: Excess['path']): QueryTooLarge {
    return path === undefined || this.excess.rows === undefined
      ? this
      : new QueryTooLarge(this.message, { path, ...this.excess });
  }

  /** What the error has in `extensions`, in place of the code of its status. */
  get extensions(): { readonly code: string } {
    const { node: _, ...excess } = this.excess;
    return { code: 'QUERY_TOO_LARGE', ...excess };
  }
}
