// The children that a change writes with their parent. Each is checked like a change of its own; an error refers to it by its place in
// the list, such as `line_items_attributes[0].quantity`. Pure.
import {
  AppError,
  type Fault,
  type FieldError,
  invalid,
  invalidFields,
  moreThan,
  mustBeOneOf,
  REQUIRED,
} from '../../errors.ts';
import type { Field, Fields } from '../../resources/description/fields.ts';
import { isRequired, type Moment, writableFields } from '../../resources/description/inputs.ts';
import { pluralOf, withArticle } from '../../resources/description/names.ts';
import { childLists, type Resource } from '../../resources/description/resource.ts';
import { type Described, NOUNS } from '../../resources/nouns.ts';
import { type ChildChange, type ChildChanges, ChildRefused } from '../../store/changing/children.ts';
import { violationOf } from '../../store/connections/failures.ts';
import type { Table } from '../../store/tables/table.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { type Amounts, amountsOf } from '../input/amounts.ts';
import { columnsOf, defaultsOf } from '../input/column-values.ts';
import type { NameOf, Naming, NewValues } from '../input/parse-fields.ts';
import { toInvalid } from './violations.ts';

/** A list of children that a noun is written with. */
interface ChildList {
  readonly property: string;
  /** The field in the form that clients send, at each moment. */
  readonly given: Readonly<Record<Moment, Field>>;
  readonly noun: Described;
  readonly table: Table<{ id: bigint }>;
  readonly fields: Readonly<Record<Moment, Fields>>;
  readonly amounts: Amounts | null;
}

/** The members that identify the child of an item, or delete it; the others are the child's values. */
interface Item {
  readonly id?: bigint | null;
  readonly delete?: boolean;
}

type Values = Readonly<Record<string, unknown>>;

export interface ChildWrites {
  /** Whether the check needs the current parent with its children. */
  needRow(given: Values): boolean;
  /**
   * @param was the current parent; an empty object for a new one, or if it is not needed
   * @throws AppError `invalid` blaming members of items
   */
  settle(given: Values, moment: Moment, was: Values, naming: Naming): ChildChanges;
  /** Converts the store's refusal of children into an AppError; returns any other error unchanged. */
  toInvalid(error: unknown, moment: Moment, nameOf: NameOf): unknown;
}

/** The noun of the children in a list. */
function nounOfChildren({ children }: Field): Described {
  const noun = NOUNS.find(({ type }) => type === children?.type);
  if (noun === undefined) throw new TypeError(`${children?.type} is no noun.`);
  return noun as Described;
}

/** The rules for writing a noun's children with it; null if it has none. */
export function childWritesOf(resource: Resource): ChildWrites | null {
  const lists = childLists(resource)
    .filter(([, { writable }]) => writable !== undefined)
    .map(([property, field]) => childListOf(resource, property, nounOfChildren(field)));
  if (lists.length === 0) return null;
  const itemsOf = (given: Values, { property }: ChildList) => (given[property] ?? []) as readonly Item[];
  return {
    needRow: (given) =>
      lists.some((list) =>
        itemsOf(given, list).some((item) => item.id !== undefined && list.amounts?.needRow(item as Values)),
      ),
    settle(given, moment, was, naming) {
      const errors: FieldError[] = [];
      const settled = lists
        .filter(({ property }) => given[property] !== undefined)
        .map((list): [string, ChildChange[]] => {
          const named = { ...naming, moment, errors };
          return [list.property, settleItems(list, itemsOf(given, list), itemsOf(was, list), named)];
        });
      if (errors.length > 0) throw invalidFields(errors.slice(0, MAX_ERRORS));
      return Object.fromEntries(settled);
    },
    toInvalid(error, moment, nameOf) {
      const list = lists.find((one) => concernsList(error, one));
      if (list === undefined) return error;
      const name = nameOf(list.property, list.given[moment]);
      if (!(error instanceof ChildRefused))
        return toInvalid(error, list.table, (property, field) => `${name}[].${nameOf(property, field)}`);
      const one = resource.title.toLowerCase();
      if (error.index === null)
        return invalid(
          name,
          moreThan(withArticle(one), list.noun.most ?? 0, pluralOf(list.noun.title.toLowerCase())),
        );
      const id = `${name}[${error.index}].id`;
      return invalid(id, {
        code: 'not_found',
        message: `there is no such ${list.noun.title.toLowerCase()} in the ${one}`,
      });
    },
  };
}

/** Whether the store refused this list of children, or the database a row of it. A change of a parent removes only children. */
function concernsList(error: unknown, { property, table, given }: ChildList): boolean {
  if (error instanceof ChildRefused) return error.property === property;
  const { constraint = '', kind } = violationOf(error) ?? {};
  const isRemoved = kind === 'restrict' && given.change.changes?.includes('remove');
  return isRemoved || constraint.startsWith(`${table.name}_`);
}

/** At most this many errors are returned. */
const MAX_ERRORS = 20;

function childListOf(resource: Resource, property: string, noun: Described): ChildList {
  const given = (moment: Moment) =>
    (writableFields(resource, moment)[property] ?? resource.fields[property]) as Field;
  return {
    property,
    given: { creation: given('creation'), change: given('change') },
    noun,
    table: tableOf(noun),
    fields: { creation: writableFields(noun, 'creation'), change: writableFields(noun, 'change') },
    amounts: amountsOf(noun.fields),
  };
}

interface ItemNaming extends Naming {
  readonly moment: Moment;
  /** Collects the errors of items. */
  readonly errors: FieldError[];
}

/** @param were the current items */
function settleItems(
  { property: list, given, noun, fields, amounts }: ChildList,
  items: readonly Item[],
  were: readonly Item[],
  { moment, nameOf, currencyOf, errors }: ItemNaming,
): ChildChange[] {
  const { changes = [] } = given.change;
  const defaults = defaultsOf(fields.creation);
  const named = new Set<bigint>();

  function nameIn(index: number, property: string, field = given[moment].items?.[property]): string {
    return `${nameOf(list, given[moment])}[${index}].${nameOf(property, field as Field)}`;
  }

  function blame(index: number, property: string, fault: Fault): [] {
    errors.push({ ...fault, field: nameIn(index, property) });
    return [];
  }

  function withAmounts(index: number, values: NewValues<Fields>, was: object): NewValues<Fields> {
    if (amounts === null) return values;
    try {
      return amounts.settle(values, was as NewValues<Fields>, {
        nameOf: (property, field) => nameIn(index, property, field),
        currencyOf,
      });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      errors.push(...error.errors);
      return values;
    }
  }

  function added({ delete: isRemoved, id: _, ...item }: Item, index: number): ChildChange[] {
    if (isRemoved || (moment === 'change' && !changes.includes('create')))
      return blame(index, 'id', REQUIRED);
    const missing = Object.entries(fields.creation).filter(
      ([property, field]) => isRequired(field, 'creation') && Reflect.get(item, property) === undefined,
    );
    if (missing.length > 0) return missing.flatMap(([property]) => blame(index, property, REQUIRED));
    const values = { ...defaults, ...withAmounts(index, item as NewValues<Fields>, defaults) };
    return [{ verb: 'create', index, given: columnsOf(noun, values) }];
  }

  function changed({ delete: isRemoved, ...item }: Item, id: bigint, index: number): ChildChange[] {
    if (named.has(id))
      return blame(index, 'id', { code: 'repeated', message: 'is given twice. Give each id once' });
    named.add(id);
    if (isRemoved) return [{ verb: 'remove', index, id }];
    if (!changes.includes('update')) return blame(index, 'delete', mustBeOneOf('true'));
    const settable = Object.entries(item).filter(([property]) => property in fields.change);
    const was = were.find((one) => one.id === id) ?? {};
    const values = withAmounts(index, Object.fromEntries(settable) as NewValues<Fields>, was);
    return [{ verb: 'update', index, id, given: columnsOf(noun, values) }];
  }

  return items.flatMap((item, index) =>
    moment === 'creation' || item.id == null ? added(item, index) : changed(item, item.id, index),
  );
}
