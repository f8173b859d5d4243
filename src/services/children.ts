// The children that a change writes with their parent: what a client gives of each is checked as a change of its own, and blamed by its
// place in the list, such as `line_items_attributes[0].quantity`. Pure.
import { type FieldError, invalid, invalidFields } from '../errors.ts';
import { type Described, NOUNS } from '../resources/nouns.ts';
import {
  childLists,
  type Field,
  type Fields,
  isRequired,
  type Moment,
  pluralOf,
  type Resource,
  withArticle,
  writableFields,
} from '../resources/resource.ts';
import { ChildRefused, type GivenChild, type GivenChildren } from '../store/changing/children.ts';
import { violationOf } from '../store/connections/failures.ts';
import type { Table } from '../store/tables/table.ts';
import { tableOf } from '../store/tables/tables.ts';
import { type Amounts, amountsOf } from './amounts.ts';
import { columnsOf, defaultsOf } from './column-values.ts';
import type { Given, NameOf } from './parse-fields.ts';
import { toInvalid } from './violations.ts';

/** A list of children with which a noun is written. */
interface ChildList {
  readonly property: string;
  /** The field in the form in which clients give it, at each moment. */
  readonly given: Readonly<Record<Moment, Field>>;
  readonly noun: Described;
  readonly table: Table<{ id: bigint }>;
  readonly fields: Readonly<Record<Moment, Fields>>;
  readonly amounts: Amounts | null;
}

/** One item of a list: its own values, besides what it says of which child is meant. */
interface Item {
  readonly id?: bigint;
  readonly delete?: boolean;
}

type Values = Readonly<Record<string, unknown>>;

export interface ChildWrites {
  /** Whether the current parent, with its children, is needed to check what is given. */
  needRow(given: Values): boolean;
  /**
   * @param was the current parent; for a new one, or where it is not needed, an empty object
   * @throws AppError `invalid` blaming members of items
   */
  settle(given: Values, moment: Moment, was: Values, nameOf: NameOf): GivenChildren;
  /** The error for children that the store refused; any other error as it is. */
  toInvalid(error: unknown, moment: Moment, nameOf: NameOf): unknown;
}

/** The noun of the children in a list. */
export function nounOfChildren({ children }: Field): Described {
  const noun = NOUNS.find(({ type }) => type === children?.type);
  if (noun === undefined) throw new TypeError(`${children?.type} is no noun.`);
  return noun as Described;
}

/** How a noun's children are written with it; null where none are. */
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
    settle(given, moment, was, nameOf) {
      const errors: FieldError[] = [];
      const settled = lists
        .filter(({ property }) => given[property] !== undefined)
        .map((list) => {
          const items = new ListOfItems(list, moment, nameOf, errors);
          return [list.property, items.settle(itemsOf(given, list), itemsOf(was, list))];
        });
      if (errors.length > 0) throw invalidFields(errors.slice(0, MAX_ERRORS));
      return Object.fromEntries(settled);
    },
    toInvalid(error, moment, nameOf) {
      const list = lists.find((one) => isAbout(error, one));
      if (list === undefined) return error;
      const name = nameOf(list.property, list.given[moment]);
      if (!(error instanceof ChildRefused))
        return toInvalid(error, list.table, (property, field) => `${name}[].${nameOf(property, field)}`);
      const one = resource.title.toLowerCase();
      if (error.index === null)
        return invalid(
          name,
          `${name} has too many: ${withArticle(one)} has at most ${list.noun.most} ${pluralOf(list.noun.title.toLowerCase())}.`,
        );
      const id = `${name}[${error.index}].id`;
      return invalid(id, `${id} names something that the ${one} does not have.`);
    },
  };
}

/** Whether the store refused this list of children, or the database a row of it. */
function isAbout(error: unknown, { property, table }: ChildList): boolean {
  if (error instanceof ChildRefused) return error.property === property;
  return violationOf(error)?.constraint.startsWith(`${table.name}_`) ?? false;
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

/** The items of one list in one request. */
class ListOfItems {
  readonly #list: ChildList;
  readonly #moment: Moment;
  readonly #nameOf: NameOf;
  readonly #errors: FieldError[];

  constructor(list: ChildList, moment: Moment, nameOf: NameOf, errors: FieldError[]) {
    this.#list = list;
    this.#moment = moment;
    this.#nameOf = nameOf;
    this.#errors = errors;
  }

  settle(items: readonly Item[], were: readonly Item[]): GivenChild[] {
    const named = new Set<bigint>();
    return items.flatMap((item, index) => {
      if (item.id === undefined) return this.#added(item, index);
      if (named.has(item.id)) return this.#blame(index, 'id', 'must be named once');
      named.add(item.id);
      return this.#changed(item, item.id, index, were);
    });
  }

  #added({ delete: isRemoved, ...item }: Item, index: number): GivenChild[] {
    const { given, fields, noun } = this.#list;
    const { changes = [] } = given.change;
    const mayAdd = this.#moment === 'creation' || changes.includes('create');
    if (!mayAdd || isRemoved) return this.#blame(index, 'id', 'must be given');
    const missing = Object.keys(fields.creation).filter((property) => {
      const field = fields.creation[property] as Field;
      return isRequired(field, 'creation') && Reflect.get(item, property) === undefined;
    });
    if (missing.length > 0)
      return missing.flatMap((property) => this.#blame(index, property, 'must be given'));
    const values = this.#withAmounts(item as Given<Fields>, defaultsOf(fields.creation), index);
    const all = { ...defaultsOf(fields.creation), ...values };
    return [{ verb: 'create', index, given: columnsOf(noun, all) }];
  }

  #changed(
    { delete: isRemoved, ...item }: Item,
    id: bigint,
    index: number,
    were: readonly Item[],
  ): GivenChild[] {
    const { given, fields, noun } = this.#list;
    const { changes = [] } = given.change;
    if (isRemoved) return [{ verb: 'remove', index, id }];
    if (!changes.includes('update')) return this.#blame(index, 'delete', 'must be true');
    const settable = Object.entries(item).filter(([property]) => property in fields.change);
    const was = were.find((one) => one.id === id) ?? {};
    const values = this.#withAmounts(
      Object.fromEntries(settable) as Given<Fields>,
      was as Given<Fields>,
      index,
    );
    return [{ verb: 'update', index, id, given: columnsOf(noun, values) }];
  }

  #withAmounts(values: Given<Fields>, was: Given<Fields>, index: number): Given<Fields> {
    const { amounts } = this.#list;
    const nameOf: NameOf = (property, field) => `${this.#nameOfItem(index)}.${this.#nameOf(property, field)}`;
    try {
      return (amounts?.settle(values, was, nameOf) ?? values) as Given<Fields>;
    } catch (error) {
      const { errors } = error as { errors?: readonly FieldError[] };
      if (errors === undefined) throw error;
      this.#errors.push(...errors);
      return values;
    }
  }

  #nameOfItem(index: number): string {
    return `${this.#nameOf(this.#list.property, this.#list.given[this.#moment])}[${index}]`;
  }

  #blame(index: number, property: string, what: string): [] {
    const field = this.#list.given[this.#moment].items?.[property] as Field;
    const name = `${this.#nameOfItem(index)}.${this.#nameOf(property, field)}`;
    this.#errors.push({ field: name, message: `${name} ${what}.` });
    return [];
  }
}
