// What is special of changes to one noun, as SQL. Without rules a noun is changed by its description alone.

import {
  isArchivable,
  type Moment,
  type Resource,
  toSnakeCase,
  writableFields,
} from '../../resources/resource.ts';
import type { Table } from '../tables/table.ts';

/** SQL at creation, of the row as it is to be, `n`; and in a change, of `n` and the row as it was, `o`. */
interface Moments {
  readonly onCreate: string;
  readonly onUpdate: string;
}

export interface ChangeRules {
  /** Columns that follow from others, and no client gives. */
  readonly derived?: Readonly<Record<string, Moments>>;
  /** Events beside `created`, `updated` and `deleted`, and when they happen. */
  readonly events?: Readonly<Record<string, Moments>>;
  /** What a client can know it by, besides its id: with `$known_by` a change is made only where it still is that. */
  readonly knownBy?: { readonly column: string; readonly keyOf: (sql: string) => string };
  /** The table below it that puts tags on it: the input `tagIds` replaces the set. */
  readonly tags?: Table<{ id: bigint }>;
  /** The properties that constraints are about which are not called after their column. */
  readonly constraints?: Readonly<Record<string, string>>;
  /** It is part of what is shown of its parent, which is changed with it. */
  readonly touchesParent?: true;
  /**
   * How many of it a parent has at most, and the property that is to blame for one more. Where it does not touch its parent, some that
   * are created at the same moment may be beyond that.
   */
  readonly most?: { readonly perParent: number; readonly property: string };
}

/** The columns that clients may give. That of `archived` is generated (archiving.ts). */
export function givenColumns(resource: Resource, moment: Moment): string[] {
  return Object.keys(writableFields(resource, moment))
    .filter((property) => property in resource.fields && !(property === 'archived' && isArchivable(resource)))
    .map(toSnakeCase);
}

/** Those columns whose members are changed one by one: what is not given of them stays. */
export function mergedColumns({ fields }: Resource): string[] {
  return Object.entries(fields)
    .filter(([, { members }]) => members !== undefined)
    .map(([property]) => toSnakeCase(property));
}

/**
 * That a row still is what it was found by: by the time that it is locked, it may have lost it.
 * @param row the SQL of the locked row
 */
export function isKnownBy({ knownBy }: ChangeRules, row: string): string {
  if (knownBy === undefined) return 'true';
  const { column, keyOf } = knownBy;
  return `($known_by::text is null or ${keyOf(`${row}.${column}`)} = ${keyOf('$known_by::text')})`;
}
