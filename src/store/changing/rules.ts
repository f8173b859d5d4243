// The SQL that is specific to changes of one noun. Without rules, the noun's description is enough.

import type { Fault } from '../../errors.ts';
import { isArchivable } from '../../resources/description/common-fields.ts';
import { type Moment, writableFields } from '../../resources/description/inputs.ts';
import { toSnakeCase } from '../../resources/description/names.ts';
import type { Resource } from '../../resources/description/resource.ts';
import type { Executor } from '../connections/executor.ts';
import type { Transaction } from '../store.ts';
import type { Table } from '../tables/table.ts';
import type { ChangeRecord } from './records.ts';

/** An SQL expression for creation, over the new row `n`, and one for updates, over `n` and the old row `o`. */
interface ChangeExpressions {
  readonly onCreate: string;
  readonly onUpdate: string;
}

/** A list of children that are written with their parent: the property, and the children's table. */
export interface ChildRules {
  readonly property: string;
  readonly table: Table<{ id: bigint }>;
}

/** The values of columns that a change sets. */
interface GivenValues {
  readonly columns: Readonly<Record<string, unknown>>;
  /** The values of the noun's inputs that are not columns, by property; absent: none. */
  readonly inputs?: Readonly<Record<string, unknown>>;
}

/** A row during its change. It is locked, unless it is new. */
export interface ChangingRow {
  readonly workspaceId: bigint;
  /** null: it is new and not yet written. */
  readonly id: bigint | null;
  readonly parentId: bigint;
  /** Its JSON before the change; null for a new one. */
  readonly before: string | null;
  /** The values to set, and the changes of its children by the property that lists them; null: it is removed. */
  readonly given:
    | (GivenValues & {
        readonly children?:
          | Readonly<Record<string, readonly { readonly verb: string; readonly given?: GivenValues }[]>>
          | undefined;
      })
    | null;
}

/** How a change of a row changes other rows in its transaction, each with a record. */
interface OtherChanges {
  /** The nouns of the other rows. */
  readonly nouns: readonly Table<{ id: bigint }>[];
  /** Before the row is written. @throws Refused */
  before?(tx: Executor, row: ChangingRow): Promise<readonly ChangeRecord[]>;
  /** Parameters for the derived columns of a new row; called after `before`. */
  parameters?(tx: Executor, row: ChangingRow): Promise<Readonly<Record<string, unknown>>>;
  /** After the row is written. */
  after?(tx: Executor, row: ChangingRow): Promise<readonly ChangeRecord[]>;
}

/** Other rows do not allow a change. */
export class Refused extends Error {
  /** The property at fault; null: the change conflicts with existing rows. */
  readonly property: string | null;
  /** If the property is a list of children: the index of the child, and the child's property. */
  readonly item: { readonly index: number; readonly property: string } | null;

  /** What is wrong with the property. */
  readonly fault: Fault | null;

  /** What else is wrong. */
  readonly others: readonly Refused[];

  /** @param why what is wrong with the property; a sentence if there is no property */
  constructor(
    property: string | null,
    why: Fault | string,
    item: Refused['item'] = null,
    others: Refused['others'] = [],
  ) {
    super(typeof why === 'string' ? why : why.message);
    this.property = property;
    this.fault = typeof why === 'string' ? null : why;
    this.item = item;
    this.others = others;
  }
}

export interface ChangeRules {
  /** Columns computed from others, or from the clients' values. */
  readonly derived?: Readonly<Record<string, ChangeExpressions>>;
  /** Events other than `created`, `updated` and `deleted`, and the conditions under which they happen. */
  readonly events?: Readonly<Record<string, ChangeExpressions>>;
  /**
   * A column, other than the id, by which clients can find the row. With `$known_by`, a change is made only while the row still has that
   * value.
   */
  readonly knownBy?: { readonly column: string; readonly keyOf: (sql: string) => string };
  /** The child table that applies tags to it. The input `tagIds` replaces the whole set. */
  readonly tags?: Table<{ id: bigint }>;
  /** The properties that violated constraints refer to, if a property is not named after the column. */
  readonly constraints?: Readonly<Record<string, string>>;
  /** The parent shows the row, so it changes with the row. */
  readonly touchesParent?: true;
  /** How its changes affect other rows; absent: not at all. */
  readonly others?: OtherChanges;
  /**
   * How a change of a row changes others with Prisma's models: after a new row is written, and before another one is; absent: not at all.
   */
  readonly othersByModels?: {
    /** Whether there is anything to do, by the properties that the client set. Only then does Prisma open the transaction. */
    isNeeded(given: Readonly<Record<string, unknown>>): boolean;
    /** @throws Refused; AppError */
    make(tx: Transaction, row: ChangingRow): Promise<readonly ChangeRecord[]>;
  };
  /** Updates other tables after a row was written, in stores without the triggers that do it (shard-placement/). */
  readonly updateOtherTables?: (tx: Executor, workspaceId: bigint, id: bigint) => Promise<void>;
  /** Columns that a new row copies from its parent, which have the same names there. */
  readonly inherited?: readonly string[];
  /** The lists of children that are written with it: those of its description, and those that its service adds. */
  readonly children?: readonly ChildRules[];
  /**
   * The maximum number of rows under one parent, and the property to report for one more. If a change does not touch the parent, rows
   * created at the same time may exceed the maximum.
   */
  readonly most?: { readonly perParent: number; readonly property: string };
}

/** The columns that clients may set. The column of `archived` is generated (archiving.ts), and children are separate rows. */
export function writableColumns(resource: Resource, moment: Moment): string[] {
  return Object.entries(writableFields(resource, moment))
    .filter(([property, { children }]) => property in resource.fields && children === undefined)
    .map(([property]) => property)
    .filter((property) => !(property === 'archived' && isArchivable(resource)))
    .map(toSnakeCase);
}

/** The columns whose values are merged: members that the client omits keep their values. */
export function mergedColumns({ fields }: Resource): string[] {
  return Object.entries(fields)
    .filter(([, { members, object }]) => (members ?? object) !== undefined)
    .map(([property]) => toSnakeCase(property));
}

/**
 * The condition that a row still has the value by which it was found. It may have lost that value before it was locked.
 * @param row the SQL of the locked row
 */
export function stillHasValue({ knownBy }: ChangeRules, row: string): string {
  if (knownBy === undefined) return 'true';
  const { column, keyOf } = knownBy;
  return `($known_by::text is null or ${keyOf(`${row}.${column}`)} = ${keyOf('$known_by::text')})`;
}
