// The SQL that is specific to changes of one noun. Without rules, the noun's description is enough.

import type { Fault } from '../../errors.ts';
import {
  isArchivable,
  type Moment,
  type Resource,
  toSnakeCase,
  writableFields,
} from '../../resources/resource.ts';
import type { Executor } from '../connections/executor.ts';
import type { Transaction } from '../store.ts';
import type { Table } from '../tables/table.ts';
import type { ChangeRecord } from './records.ts';

/** An SQL expression for creation, over the new row `n`, and one for updates, over `n` and the old row `o`. */
interface Moments {
  readonly onCreate: string;
  readonly onUpdate: string;
}

/** A list of children that are written with their parent: its property, and their table. */
export interface ChildRules {
  readonly property: string;
  readonly table: Table<{ id: bigint }>;
}

/** The values of columns that a change sets. */
interface GivenValues {
  readonly columns: Readonly<Record<string, unknown>>;
  /** The values of the noun's inputs that are no columns, by property; absent: none. */
  readonly inputs?: Readonly<Record<string, unknown>>;
}

/** A row whose change is under way. It is locked, unless it is new. */
export interface ChangingRow {
  readonly workspaceId: bigint;
  /** null: it is new, and not written yet. */
  readonly id: bigint | null;
  /** Its JSON before the change; null for a new one. */
  readonly before: string | null;
  /** What is set, and what is done with its children by the property of their list; null: it is removed. */
  readonly given:
    | (GivenValues & {
        readonly children?:
          | Readonly<Record<string, readonly { readonly verb: string; readonly given?: GivenValues }[]>>
          | undefined;
      })
    | null;
}

/** What a change of a row does to others in its transaction, for each of which there is a record. */
interface OtherChanges {
  /** The nouns of the others. */
  readonly nouns: readonly Table<{ id: bigint }>[];
  /** Before the row is written. @throws Refused */
  before?(tx: Executor, row: ChangingRow): Promise<readonly ChangeRecord[]>;
  /** Values of parameters that derived columns of a new row name, after `before`. */
  parameters?(tx: Executor, row: ChangingRow): Promise<Readonly<Record<string, unknown>>>;
  /** When the row is written. */
  after?(tx: Executor, row: ChangingRow): Promise<readonly ChangeRecord[]>;
}

/** What other rows do not allow a change. */
export class Refused extends Error {
  /** The property to blame; null: the change conflicts with what there is. */
  readonly property: string | null;
  /** Of a list of children: which of them, and the property of it. */
  readonly item: { readonly index: number; readonly property: string } | null;

  /** What is wrong with the property. */
  readonly fault: Fault | null;

  /** @param why what is wrong with the property; a sentence where there is none */
  constructor(property: string | null, why: Fault | string, item: Refused['item'] = null) {
    super(typeof why === 'string' ? why : why.message);
    this.property = property;
    this.fault = typeof why === 'string' ? null : why;
    this.item = item;
  }
}

export interface ChangeRules {
  /** Columns computed from others, or from what clients give for them. */
  readonly derived?: Readonly<Record<string, Moments>>;
  /** Events besides `created`, `updated` and `deleted`, and the conditions under which they happen. */
  readonly events?: Readonly<Record<string, Moments>>;
  /**
   * A column, besides the id, by which clients can find the row. With `$known_by`, a change is made only while the row still has that
   * value.
   */
  readonly knownBy?: { readonly column: string; readonly keyOf: (sql: string) => string };
  /** The child table that applies tags to it. The input `tagIds` replaces the whole set. */
  readonly tags?: Table<{ id: bigint }>;
  /** The properties that constraints belong to, where a property is not named after the column. */
  readonly constraints?: Readonly<Record<string, string>>;
  /** The row is shown as part of its parent, so the parent changes with it. */
  readonly touchesParent?: true;
  /** What its changes do to other rows; absent: nothing. */
  readonly others?: OtherChanges;
  /** What the creation of a row does to others with Prisma's models, after it was written; absent: nothing. */
  readonly afterInsert?: {
    /** Whether there is anything to do: only then Prisma opens the transaction. */
    isNeeded(given: GivenValues): boolean;
    /** @throws Refused; AppError */
    make(tx: Transaction, row: ChangingRow): Promise<readonly ChangeRecord[]>;
  };
  /** What follows in other tables from a row that was written, in a store where no triggers do it (shard-placement/). */
  readonly keepOthers?: (tx: Executor, workspaceId: bigint, id: bigint) => Promise<void>;
  /** Columns that a new row takes over from its parent, where they have the same names. */
  readonly inherited?: readonly string[];
  /** The lists of children that are written with it: those of its description, and others that its service gives. */
  readonly children?: readonly ChildRules[];
  /**
   * The maximum number of rows under one parent, and the property to report for one more. Where a change does not touch the parent, rows
   * created at the same moment may exceed the maximum.
   */
  readonly most?: { readonly perParent: number; readonly property: string };
}

/** The columns that clients may set. That of `archived` is generated (archiving.ts), and children are rows of their own. */
export function givenColumns(resource: Resource, moment: Moment): string[] {
  return Object.entries(writableFields(resource, moment))
    .filter(([property, { children }]) => property in resource.fields && children === undefined)
    .map(([property]) => property)
    .filter((property) => !(property === 'archived' && isArchivable(resource)))
    .map(toSnakeCase);
}

/** Those columns that are merged: members that are not given keep their values. */
export function mergedColumns({ fields }: Resource): string[] {
  return Object.entries(fields)
    .filter(([, { members, object }]) => (members ?? object) !== undefined)
    .map(([property]) => toSnakeCase(property));
}

/**
 * The condition that a row still has the value that it was found by. It may have lost that value before it was locked.
 * @param row the SQL of the locked row
 */
export function isKnownBy({ knownBy }: ChangeRules, row: string): string {
  if (knownBy === undefined) return 'true';
  const { column, keyOf } = knownBy;
  return `($known_by::text is null or ${keyOf(`${row}.${column}`)} = ${keyOf('$known_by::text')})`;
}
