// How a noun is described: its fields, once, as plain data. Select lists, REST's JSON, GraphQL's fields and the OpenAPI
// schemas are all made from it, by the types of its fields (field-types.ts). Pure, and imports no other layer.
import {
  type FieldType,
  isFilterable,
  type JsonSchema,
  type TEXT_FORMATS,
  type ValueOfType,
} from './field-types.ts';

/** The category of a scope, such as `contacts` in `contacts:read`. */
export type Category =
  | 'account'
  | 'blogs'
  | 'contacts'
  | 'courses'
  | 'emails'
  | 'forms'
  | 'funnels'
  | 'sales'
  | 'store'
  | 'webhooks';

/** The kinds of change that clients can make to objects of a noun. */
export type Verb = 'create' | 'update' | 'archive' | 'remove' | 'reorder';

/** The changes of children that a change of their parent may make. */
export type ChildVerb = Extract<Verb, 'create' | 'update' | 'remove'>;

/** The kinds of a noun's objects, by the values of a closed field. GraphQL has a type for each kind, and an interface for the noun. */
export interface Kinds {
  /** The field with the kind. It may change; the ids of the object stay the same. */
  readonly by: string;
  readonly types: Readonly<Record<string, { readonly type: string; readonly description: string }>>;
  /** An interface of some kinds, with the fields that only these have. */
  readonly shared?: {
    readonly type: string;
    readonly description: string;
    readonly kinds: readonly string[];
  };
}

/** By value: the values to which it may change. */
export type Transitions = Readonly<Record<string, readonly string[]>>;

/** A change of one object other than the verbs: a route below the object, and a mutation. */
export interface Action {
  /** A sentence without a full stop, such as `Cancels an order`. */
  readonly summary: string;
  /** Its input, by property; absent: none. */
  readonly fields?: Fields;
  /** Unknown members are refused rather than ignored: with a misspelled member the action would do something else. */
  readonly isClosed?: true;
  /** The action makes another object of the same noun, which GraphQL returns beside the changed one. */
  readonly makes?: Made;
}

/** What an action makes. */
interface Made {
  /** The property of the changed object with the new one, as an object with its ids. GraphQL calls the new object so, too. */
  readonly property: string;
  /** What GraphQL calls the changed object. */
  readonly changed: string;
  /** What the two are, for clients. */
  readonly description: string;
  readonly changedDescription: string;
}

/** How the objects of a list are found. */
type FoundBy =
  /** They have the id of the object that has the list in this property. */
  | { readonly key: string; readonly by?: never; readonly ids?: never }
  /** The match of this name of their table (store/tables/) finds them by that id. */
  | { readonly by: string; readonly key?: never; readonly ids?: never }
  /** That object has their ids in this property. */
  | { readonly ids: string; readonly key?: never; readonly by?: never };

/** An additional list of a noun's objects. */
export type OtherList = FoundBy & {
  /** The noun that has the list. */
  readonly under: Resource;
  /** Its REST path below that noun; absent: REST has no such list. */
  readonly path?: string;
  /** The GraphQL field of that noun. */
  readonly plural: string;
  /** The description of that field, if the default one does not suffice. */
  readonly description?: string;
  /**
   * By filter of the noun: the index for this list, which begins with `key`. Without `key`, a filtered page is an expensive read. Absent:
   * the list has no filters.
   */
  readonly indexes?: Readonly<Record<string, string>>;
};

/** The noun to which ids belong. */
export type IdsOf = Pick<Resource, 'type' | 'graphqlName' | 'title' | 'table'>;

/** An address whose parts are fields of a noun. */
export interface AddressOf {
  /** The name of GraphQL's field. */
  readonly name: string;
  readonly description: string;
}

/** One field of a noun. */
export interface Field {
  readonly type: FieldType;
  /** Absent: never null. If clients may set it, null counts as missing, unless the field is required. */
  readonly nullable?: true;
  /** For a field with `only`: objects of other kinds have null. GraphQL has the field only on its own kinds. */
  readonly nullElsewhere?: true;
  /** Null is refused: it would mean something else than a missing value. */
  readonly refusesNull?: true;
  /** The empty text counts as null: only some texts are valid, but the description does not list them as `values`. */
  readonly emptyIsNull?: true;
  /** A sentence for both the GraphQL and the OpenAPI documentation. */
  readonly description: string;
  /** What a client has to know to give a value, and no reader: it follows the description in inputs. */
  readonly rule?: string;
  /** The REST name, if it is not the property's name in snake_case. */
  readonly restName?: string;
  /** The GraphQL name, if it is not the property's name. Inputs and outputs share it. */
  readonly graphqlName?: string;
  /**
   * `false`: GraphQL does not have it at all. `output`: GraphQL has no input for it; `change`: only in changes; `input`: GraphQL has it in
   * inputs alone. Absent: GraphQL has it like REST.
   */
  readonly graphql?: false | 'output' | 'change' | 'input';
  /** GraphQL has it as this part of an address, or, without `part`, as the other parts of one. An input replaces the whole address. */
  readonly address?: { readonly of: AddressOf; readonly part?: string };
  /** For an object that names another one otherwise: GraphQL's input takes either the id of this property, or one member of the object. */
  readonly choice?: { readonly idOf: string; readonly required?: true };
  /** Its name in REST bodies, if different, such as `line_items_attributes`. */
  readonly restGiven?: string;
  /** The text is `true` or `false`, or free text from earlier: GraphQL has a boolean. */
  readonly isBoolean?: true;
  /** REST returns the boolean as 0 or 1, and the decimal as a number. It accepts a decimal as text too. */
  readonly restAsNumber?: true;
  /** REST returns the whole number, id or boolean as text. It accepts both forms, and for an id the public id too. */
  readonly restAsText?: true;
  /** The format of its text, with the name that JSON Schema has for it, if any. */
  readonly format?: keyof typeof TEXT_FORMATS;
  /** For an amount of money: the code of its currency, or the field of the same object with the code. */
  readonly currency?: string;
  /** All possible values. */
  readonly values?: readonly string[];
  /** As `values`, for a list that REST does not document: it takes any text, and the service refuses others. GraphQL has an enum of it. */
  readonly graphqlValues?: readonly string[];
  /** By value: what it means, as a sentence. Required if GraphQL has an enum of the values. */
  readonly valueDescriptions?: Readonly<Record<string, string>>;
  /** By value: a synonym, which is accepted too. GraphQL uses the synonym. */
  readonly synonyms?: Readonly<Record<string, string>>;
  /** By value: the word after which GraphQL names it, if not the value itself. */
  readonly valueNames?: Readonly<Record<string, string>>;
  /** By value: another value that means the same. GraphQL has that one alone. */
  readonly spellings?: Readonly<Record<string, string>>;
  /** The text property for which it says whether a change appends or replaces. GraphQL has an input that appends in its place. */
  readonly modeOf?: string;
  /** The values are codes of a standard, such as languages: a String in GraphQL, not an enum. */
  readonly isCode?: true;
  /** The name of GraphQL's enum. Absent: made from the names of the noun and the first field with this list. */
  readonly valuesName?: string;
  /** For a noun with kinds: the only kinds with this field in GraphQL. Absent: all. REST has it for all kinds, and inputs always accept it. */
  readonly only?: readonly string[];
  /** The values to which each value may change. A value without an entry is final. A new object may have any. */
  readonly transitions?: Transitions;
  /** For JSON: a list of objects with these fields. */
  readonly items?: Fields;
  /** The name of GraphQL's type for its items, if clients may set them and they are not a noun; without items, of the value. */
  readonly itemType?: string;
  /** For JSON: an object with these fields. Where clients may set it, a change merges members and keeps the others. */
  readonly object?: Fields;
  /** For JSON of several forms: its schema. Absent: any value. */
  readonly schema?: JsonSchema;
  /** For JSON: an object whose members have any name and text values. A change merges members and keeps the others. */
  readonly members?: 'text';
  /**
   * For JSON with the `items` of a noun below this one: the children of the object, at most `maxLength`. If clients may set the list, children
   * are created in one change with their parent.
   */
  readonly children?: IdsOf;
  /**
   * The changes of children in a change of their parent: clients may add children, change those with a given `id`, and mark children to
   * remove. Other children stay unchanged. Absent: none.
   */
  readonly changes?: readonly ChildVerb[];
  /** The member of an item may be missing. */
  readonly optional?: true;
  /**
   * For an integer id in an input, or a list of them: the noun to which they belong. GraphQL uses its global ids instead. Nothing checks
   * whether they exist: fields that clients may set use `refers`.
   */
  readonly idsOf?: IdsOf;
  /**
   * Like `idsOf`, for objects of the same workspace. Others are refused: a single id by a foreign key, the ids of a list by a check of each.
   * GraphQL also has a field for the objects: `page` for `pageId`, `pages` for `pageIds`.
   */
  readonly refers?: IdsOf;
  /**
   * For a list of ids that can be long: the GraphQL field for the objects is a connection, in the order of their ids. `by`: the match of their
   * table (store/tables/) that finds them, if the list does not have all of them. `own`: the noun's own file has the connection.
   */
  readonly paged?: true | 'own' | { readonly by: string };
  /** The description of that GraphQL field, if the default one does not suffice. */
  readonly objectDescription?: string;
  /** An input that only GraphQL has. */
  readonly graphqlOnly?: true;
  /** For internal use; neither REST nor GraphQL has it. */
  readonly internal?: true;
  /** REST and webhooks leave it out of objects inside other ones, as the public API does. */
  readonly notInParent?: true;
  /**
   * REST returns it only if `expand[]` lists it, and webhooks never contain it. In GraphQL it is an ordinary field. `reads`: only reads return
   * it, because it is long and belongs to other rows, so changes neither record nor return it. `always`: it is always returned, and
   * `expand[]` may list it, as earlier versions required.
   */
  readonly expand?: true | 'reads' | 'always';
  /** When clients may set it; absent: never. */
  readonly writable?: 'always' | 'at_creation' | 'on_change';
  /** For a list: duplicates are removed. */
  readonly distinct?: true;
  /** Required for a new object, and must not be blank. */
  readonly required?: true;
  /** The default for a new object; absent: null or no value. */
  readonly default?: string | number | boolean | Readonly<Record<string, never>> | readonly never[];
  /** The database's rule for values, such as `at least 1`. Absent: none, or that a number is not negative. */
  readonly mustBe?: string;
  /** The smallest and largest number that clients may set. */
  readonly range?: readonly [least: number, most: number];
  /** The maximum number of characters, or of items in a list. */
  readonly maxLength?: number;
  /** Personal data of the contact to which the object belongs. It is blanked when that contact is erased. */
  readonly personal?: true;
  /**
   * Decides whose personal data the object has, and may change nevertheless: the change hands the data and its history over to the other
   * contact (store/changing/handing-over.ts).
   */
  readonly handsOver?: true;
  /** For JSON, or a member of an object: callers without the read scope of this category get null. */
  readonly needs?: Category;
  /** The public API has no such member: OpenAPI says so. `output`: only its answers do not have it. */
  readonly gatewayOnly?: true | 'output';
}

/** Fields by property name, in the order in which REST shows them. */
export type Fields = Readonly<Record<string, Field>>;

/** The properties other than the id by which lists can be ordered, with the types of their values. */
export const SORT_TYPES = {
  createdAt: 'timestamp',
  updatedAt: 'timestamp',
  publishedAt: 'timestamp',
  name: 'text',
  emailAddress: 'text',
  orderNumber: 'int4',
  totalAmount: 'decimal',
  position: 'int4',
  sortOrder: 'int4',
} as const satisfies Readonly<Record<string, FieldType>>;

/** The orders of lists. Rows with the same value are ordered by id. */
export type Sort = 'id' | keyof typeof SORT_TYPES;

/** The value by which a row is ordered. Null comes before all others. */
export type SortValue = Date | string | number | null;

/** A filter of a noun's lists, on the field or input with the same name. */
export interface Filter {
  /** The type of its values, if there is no such field or input. */
  readonly of?: Pick<Field, 'type' | 'idsOf' | 'graphqlName'>;
  /** At most one row of a list has a certain value. */
  readonly unique?: true;
  /** The index that a filtered page reads: on the parent, the value and, unless unique, the id. Not needed for `id` itself. */
  readonly index?: string;
  /** No index has the rows with a value in the order of last changes. */
  readonly untimed?: true;
  /** It takes a range of times: from the first on, and before the second. */
  readonly isRange?: true;
  /** REST has no such filter. */
  readonly graphqlOnly?: true;
  /** A sentence that replaces the field's description for the filter. */
  readonly description?: string;
}

/** A noun. */
export interface Resource<F extends Fields = Fields> {
  /** The name of the OpenAPI schema. Unless `subjectType` has another, webhooks, audit entries and stored rows call it this, so it stays. */
  readonly type: string;
  /** The name of the GraphQL type, and the part before the integer in its global ids; absent: `type`. */
  readonly graphqlName?: string;
  /** GraphQL has no type for it: what it says is part of other types. Absent: GraphQL has it like REST. */
  readonly graphql?: false;
  /** Its name in sentences such as "Saved filter not found." */
  readonly title: string;
  /** The name of its table, which the cursors of its lists contain. */
  readonly table: string;
  /** Must never change: it is part of every public id, and identifies the high-water mark of its lists. */
  readonly number?: bigint;
  /** The noun under which its objects are listed. */
  readonly parent?: Resource;
  /** The property with the parent's id, if it is not the parent's type with `Id`, such as `workspaceId`. */
  readonly parentKey?: string;
  /** The parent's GraphQL field that lists it. Absent: there is no such list. */
  readonly plural?: string;
  /** The description of that list, if the default one does not suffice. */
  readonly listDescription?: string;
  /** The description of the field for its parent, if the default one does not suffice. */
  readonly parentDescription?: string;
  /** Its objects are shown in their parent, and only GraphQL's `node` finds one: it has no look-up of its own. */
  readonly hasLookUp?: false;
  /** Its REST path below the parent, such as `contacts/tags`. Absent: REST has only the routes of the noun's own file. */
  readonly path?: string;
  /** The REST path of its members, if different. */
  readonly members?: string;
  /** The category of the scopes for reading and changing it. Absent: no scope is needed. */
  readonly scope?: Category;
  /**
   * The fields that GraphQL shows to every caller who may enter the object, whatever its scopes. `scope` is for the other fields and for
   * REST. Absent: every field needs `scope`.
   */
  readonly openFields?: readonly string[];
  /** The changes that clients may make. `reorder` changes the order of all objects below one parent. */
  readonly verbs?: readonly Verb[];
  /** Further changes that clients may make, by name: `cancel` is `POST .../cancel` and `cancelX`. The service has a function for each. */
  readonly actions?: Readonly<Record<string, Action>>;
  /**
   * The operations that the public API does not have, of which OpenAPI says so: all, or those to `list` and `get` and the verbs and actions
   * with these names.
   */
  readonly gatewayOnly?: true | readonly string[];
  /** Its lists in addition to the one below its parent. */
  readonly lists?: readonly OtherList[];
  /** The most objects below one parent. */
  readonly most?: number;
  /** Its webhook events: `created`, `updated` and `deleted` for the verbs, and events of its own rules. */
  readonly events?: readonly string[];
  /** The types of events of other topics that happen to its objects, such as `subscription.activated`. */
  readonly moreEvents?: readonly string[];
  /**
   * Its objects are part of the contact to whom they lead, though they are below another noun: they are deleted when the contact is erased.
   */
  readonly isPartOfContact?: true;
  /** There are many rows, and clients seldom look one up by id: the workspace of each is not recorded (store/shard-placement/). */
  readonly numerous?: true;
  /** The member of a REST body that may contain its fields; no field has this name. Absent: bodies are never wrapped. */
  readonly wrapper?: string;
  /** Its description, in one or two sentences. */
  readonly description: string;
  readonly fields: F;
  /** Absent: the noun has no kinds. */
  readonly kinds?: Kinds;
  /** Inputs in addition to its writable fields, at creation and change unless `at_creation`. No output has these names. */
  readonly inputs?: Fields;
  /** A new object may be created without any field. Absent: such a creation is refused. */
  readonly mayBeEmpty?: true;
  /** The part before the dot in its event types and in the actions of its audit entries, such as `contact`. */
  readonly topic?: string;
  /** Its name in events and audit entries; absent: `type`. */
  readonly subjectType?: string;
  /** The filters of its lists, by property, the most selective first. */
  readonly filters?: Readonly<Record<string, Filter>>;
  /**
   * The texts whose words `search` finds: fields, filters on rows of a noun below, and references, which stand for what the other noun is
   * searched by. Each has an index (store/sql/search.ts). Absent: lists have no search.
   */
  readonly search?: readonly string[];
  /** The class of saved filters that select its objects (refine-attributes.ts). Its lists are below a workspace. */
  readonly refinedBy?: string;
  /** The orders of its lists in addition to `id`. */
  readonly sorts?: readonly Exclude<Sort, 'id'>[];
  /** Those that no index has, because few objects are below a parent. A page reads all of them, in the queue of expensive reads. */
  readonly scannedSorts?: readonly Exclude<Sort, 'id'>[];
  /** Objects never change, so the order of last changes is the order of ids. */
  readonly unchanging?: true;
}

/**
 * Preserves the literal type of a description, from which the type of its rows is inferred. Lists that can be ordered by the time of the last
 * change can also be filtered by times.
 */
export function describe<const F extends Fields, const R extends Resource<F>>(resource: R): R {
  const { parent, sorts, unchanging, filters } = resource;
  return parent !== undefined && (sorts ?? unchanging) !== undefined && filters === undefined
    ? { ...resource, filters: {} }
    : resource;
}

/** A filter in the form that REST and GraphQL both offer. */
export interface FilterForm extends Required<Pick<Filter, 'description'>> {
  readonly property: string;
  readonly graphqlName: string;
  readonly unique: boolean;
  readonly type: FieldType;
  /** The noun to which its values belong, if they are ids. */
  readonly idsOf: Pick<IdsOf, 'type' | 'graphqlName' | 'table'> | undefined;
  /** The only possible values; absent: any. */
  readonly values: Field['values'];
  readonly synonyms: Field['synonyms'];
  /** As in `Filter`. */
  readonly untimed: boolean;
  readonly graphqlOnly: boolean;
  /** Whether an object may have the empty text. */
  readonly mayBeEmpty: boolean;
}

/** The filters of a noun's lists by values, in the order of its description. */
export function filtersOf(
  resource: Pick<
    Resource,
    'type' | 'graphqlName' | 'table' | 'fields' | 'inputs' | 'filters' | 'parent' | 'parentKey'
  >,
): FilterForm[] {
  return Object.entries(resource.filters ?? {})
    .filter(([, { isRange }]) => isRange !== true)
    .map(([property, { unique = false, untimed = false, graphqlOnly = false, ...filter }]) => {
      const field: (Pick<Field, 'type' | 'idsOf' | 'graphqlName'> & Partial<Field>) | undefined =
        resource.fields[property] ?? resource.inputs?.[property] ?? filter.of;
      const description = filter.description ?? field?.description;
      if (description === undefined) throw new Error(`Filter ${property} has no description.`);
      const idsOf = referencedNoun(field) ?? ownIdsOf(resource, property);
      const type = idsOf !== undefined ? 'int8' : (field?.type ?? 'text');
      if (!isFilterable(type))
        throw new Error(`Filter ${property} has the type ${type}, which lists cannot filter by.`);
      const { values, synonyms, format, required } = field ?? {};
      const mayBeEmpty = type === 'text' && (values ?? format ?? required) === undefined;
      const named = graphqlNameOf(property, field);
      const graphqlName = type === 'bool' || named.endsWith('Ids') ? named : pluralOf(named);
      return {
        ...{ property, graphqlName, unique, untimed, graphqlOnly },
        ...{ type, idsOf, values, synonyms, description, mayBeEmpty },
      };
    });
}

/** The noun whose ids these are, if they are the object's own, or its parent's. */
function ownIdsOf(
  resource: Parameters<typeof filtersOf>[0],
  property: string,
): Pick<Resource, 'type' | 'graphqlName' | 'table'> | undefined {
  if (property === 'id') return resource;
  return resource.parent !== undefined && property === parentKeyOf(resource) ? resource.parent : undefined;
}

/** A filter of a noun's lists by a range of times: from the first on, and before the second. */
export interface RangeForm {
  readonly property: string;
  readonly graphqlOnly: boolean;
  readonly description: string;
}

/** The ranges of a noun's lists, if they have filters. */
export function rangesOf({ fields, filters }: Pick<Resource, 'fields' | 'filters'>): RangeForm[] {
  if (filters === undefined) return [];
  const ofAll = ['updatedAt', 'createdAt'].flatMap((property): RangeForm[] => {
    const field = fields[property];
    return field?.type === 'timestamp' && !field.nullable
      ? [{ property, graphqlOnly: false, description: field.description }]
      : [];
  });
  const own = Object.entries(filters).flatMap(([property, filter]): RangeForm[] => {
    const { isRange, graphqlOnly = false, description = fields[property]?.description ?? '' } = filter;
    return isRange === true ? [{ property, graphqlOnly, description }] : [];
  });
  return [...ofAll, ...own];
}

/**
 * The orders of a noun's lists in addition to `id`, and the order that each gives: that of ids, for objects that never change. REST takes
 * `updated_at` for these too, even where they have no such member.
 */
export function sortsOf({ sorts, unchanging, fields }: Pick<Resource, 'sorts' | 'unchanging' | 'fields'>): {
  readonly sort: Exclude<Sort, 'id'>;
  readonly gives: Sort;
}[] {
  if (!unchanging) return (sorts ?? []).map((sort) => ({ sort, gives: sort }));
  return (['createdAt', 'updatedAt'] as const)
    .filter((sort) => sort === 'updatedAt' || sort in fields)
    .map((sort) => ({ sort, gives: 'id' }));
}

/** Whether a list in this order never skips a row that is committed late: such a row may have any value of the others. */
export function isGapless(sort: Sort): boolean {
  return sort === 'id' || sort === 'updatedAt';
}

/** The noun whose ids a field has; undefined where it has none. */
export function referencedNoun(field: Pick<Field, 'refers' | 'idsOf'> | undefined): IdsOf | undefined {
  return field?.refers ?? field?.idsOf;
}

/** The name of GraphQL's field for the objects whose ids a property has: `page` for `pageId`, `pages` for `pageIds`. */
export function referenceFieldName(property: string): string {
  return property.endsWith('Ids') ? pluralOf(property.slice(0, -'Ids'.length)) : property.replace(/Id$/, '');
}

type ValueOf<F extends Field> =
  | (F extends { items: infer Items extends Fields }
      ? RowOf<Items>[]
      : F extends { object: infer Members extends Fields }
        ? RowOf<Members>
        : F extends { members: 'text' }
          ? Record<string, string>
          : F extends { values: readonly (infer Value)[] }
            ? Value
            : ValueOfType<F['type']>)
  | (F extends { nullable: true } | { nullElsewhere: true } ? null : never);

/** The properties of an object with these fields. */
export type RowOf<F extends Fields> = {
  -readonly [Name in keyof F as F[Name] extends { optional: true } ? never : Name]: ValueOf<F[Name]>;
} & { -readonly [Name in keyof F as F[Name] extends { optional: true } ? Name : never]?: ValueOf<F[Name]> };

/** A row of a noun. */
export type Row<R extends Resource> = RowOf<R['fields']>;

/** When clients send fields: to create an object, or to change one. */
export type Moment = 'creation' | 'change';

function isWritable(writable: Field['writable'], moment: Moment): boolean {
  return writable === 'always' || writable === (moment === 'creation' ? 'at_creation' : 'on_change');
}

/** The fields that clients may send, by property name. */
export function writableFields(
  { fields, inputs }: Pick<Resource, 'fields' | 'inputs'>,
  moment: Moment,
): Fields {
  const writable = Object.entries(fields)
    .filter(([, { writable }]) => isWritable(writable, moment))
    .map(([property, field]) => [
      property,
      field.children === undefined ? withOptional(field) : asInputField(field, moment),
    ]);
  const given = Object.entries(inputs ?? {}).filter(([, { writable = 'always' }]) =>
    isWritable(writable, moment),
  );
  return { ...Object.fromEntries(writable), ...Object.fromEntries(given) };
}

/**
 * The members of an item in a list of children that identify the child to change, and that mark it for removal. A new object has no children,
 * but clients may send items that they read from another object.
 */
function namingFields({ children, changes = [] }: Field, moment: Moment): Fields {
  const title = children?.title.toLowerCase();
  const idField = (description: string): Fields => ({
    id: { type: 'int8', nullable: true, ...(children && { idsOf: children }), description },
  });
  if (moment === 'creation')
    return changes.includes('create') ? idField(`Ignored: each ${title} is created with a new id.`) : {};
  return {
    ...(changes.some((verb) => verb !== 'create') &&
      idField(`The integer id of the ${title} to change. Without it, or with null, a new one is added.`)),
    ...(changes.includes('remove') && {
      delete: {
        type: 'bool',
        restName: '_destroy',
        description: 'If true, the object with this id is removed.',
      },
    }),
  };
}

/** The input form of an object: all members are optional. */
function withOptional(field: Field): Field {
  const members = Object.entries(field.object ?? {}).map(([property, of]) => [
    property,
    { ...of, optional: true },
  ]);
  return field.object === undefined ? field : { ...field, object: Object.fromEntries(members) };
}

/** The input form of a list of children: the writable fields of each. In a change, all members of an item are optional. */
function asInputField({ restName, restGiven = restName, ...field }: Field, moment: Moment): Field {
  const settable = writableFields({ fields: field.items ?? {} }, 'creation');
  const all = { ...namingFields(field, moment), ...settable };
  const items = Object.entries(all).map(([property, of]): [string, Field] => [
    property,
    isRequired(of, moment) ? of : { ...of, optional: true },
  ]);
  return { ...field, ...(restGiven && { restName: restGiven }), items: Object.fromEntries(items) };
}

/** Whether REST has a field. */
export function inRest({ graphqlOnly }: Pick<Field, 'graphqlOnly'>): boolean {
  return graphqlOnly !== true;
}

/** Whether clients must send a field. */
export function isRequired({ required }: Field, moment: Moment): boolean {
  return required === true && moment === 'creation';
}

/** Whether the input of an action is checked as that of a new object, because clients must send some of its fields. */
export function momentOfAction(fields: Fields): Moment {
  return Object.values(fields).some((field) => isRequired(field, 'creation')) ? 'creation' : 'change';
}

/** The description of a field in an input. */
export function inputDescription(
  { rule, members, object, transitions, ...field }: Field,
  moment: Moment,
): string {
  const description = rule === undefined ? field.description : `${field.description} ${rule}`;
  if (moment === 'creation') return description;
  if (transitions !== undefined) return `${description} ${transitionsSentence(transitions)}`;
  return (members ?? object) === undefined
    ? description
    : `${description} Members that are not sent stay unchanged.`;
}

function transitionsSentence(transitions: Transitions): string {
  const changes = Object.entries(transitions)
    .filter(([, to]) => to.length > 0)
    .map(([from, to]) => `${from} to ${to.join(' or ')}`);
  return `It can change from ${changes.join('; from ')}.`;
}

/** A sentence with a field's default for a new object; null if there is none, or if it is empty. */
export function defaultSentence({ default: initially }: Field, moment: Moment): string | null {
  if (moment !== 'creation' || initially === undefined || initially === '' || typeof initially === 'object')
    return null;
  return `By default ${initially}.`;
}

/** The REST name of a field: the column's name, unless the specification has another. */
export function restNameOf(property: string, { restName }: Pick<Field, 'restName'> = {}): string {
  return restName ?? toSnakeCase(property);
}

/** The GraphQL name of a field, in outputs and inputs. */
export function graphqlNameOf(
  property: string,
  { graphqlName = property }: Pick<Field, 'graphqlName'> = {},
): string {
  return graphqlName;
}

/** The name of GraphQL's type for a noun, which its global ids contain. */
export function graphqlTypeNameOf({
  type,
  graphqlName = type,
}: Pick<Resource, 'type' | 'graphqlName'>): string {
  return graphqlName;
}

/** What clients do with a URL that is stored as it was sent: `javascript:` would run in a page that links it. */
export const UNCHECKED_URL = 'Not checked: link it only if it begins with `https://` or `http://`.';

/** `publicId` as `public_id`. */
export function toSnakeCase(property: string): string {
  return property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The name of a noun without its namespace: `applied_tag` for the topic `contacts/applied_tag`. */
export function ownNameOf({
  type,
  wrapper = toSnakeCase(uncapitalize(type)),
  topic = wrapper,
}: Pick<Resource, 'type' | 'wrapper' | 'topic'>): string {
  const words = topic.slice(topic.lastIndexOf('/') + 1).split('_');
  // Of the topic `form_submission` with the wrapper `forms_submission` it is `submission`.
  const first = words.findIndex((_, at) => wrapper.endsWith(words.slice(at).join('_')));
  return words.slice(Math.max(first, 0)).join('_');
}

/** `Contact` as `contact`. */
export function uncapitalize(word: string): string {
  return word.charAt(0).toLowerCase() + word.slice(1);
}

/** The property of a noun with its parent's id, such as `workspaceId`. */
export function parentKeyOf({ parentKey, parent }: Pick<Resource, 'parent' | 'parentKey'>): string {
  if (parent === undefined) throw new TypeError('The noun has no parent.');
  return parentKey ?? `${uncapitalize(parent.type)}Id`;
}

/** The fields of a noun with the ids of objects that it belongs to, and their nouns: its parent, and its workspace. */
export function ownerKeysOf(
  noun: Pick<Resource, 'parent' | 'parentKey' | 'fields'>,
): [property: string, owner: Resource][] {
  if (noun.parent === undefined) return [];
  const workspace = ancestorsOf(noun).find(({ table }) => table === 'workspaces');
  const owners = new Map([[parentKeyOf(noun), noun.parent]]);
  if (workspace !== undefined) owners.set('workspaceId', workspace);
  return [...owners].filter(([property]) => property in noun.fields);
}

/** The ancestors of a noun, the nearest first: for a contact, workspace and team. */
export function ancestorsOf({ parent }: Pick<Resource, 'parent'>): readonly Resource[] {
  return parent === undefined ? [] : [parent, ...ancestorsOf(parent)];
}

/** Whether a noun's objects are in a workspace: below it, or below something that is. */
export function isInWorkspace(noun: Pick<Resource, 'parent'>): boolean {
  return ancestorsOf(noun).some(({ table }) => table === 'workspaces');
}

/** The plural of a noun's name. */
export function pluralOf(word: string): string {
  if (word.endsWith('s')) return `${word}es`;
  return word.endsWith('y') ? `${word.slice(0, -1)}ies` : `${word}s`;
}

/** Words with their indefinite article, such as `an audit entry`. */
export function withArticle(words: string): string {
  return `${/^[aeiou]/i.test(words) ? 'an' : 'a'} ${words}`;
}

/** One object of a noun in a sentence: `a contact`, and `the site` if each parent has one. */
export function oneOf({ title, most }: Pick<Resource, 'title' | 'most'>): string {
  return most === 1 ? `the ${title.toLowerCase()}` : withArticle(title.toLowerCase());
}

/** The name of a noun in events and audit entries. */
export function subjectTypeOf({ type, subjectType = type }: Resource): string {
  return subjectType;
}

/** The first fields of every noun. */
export const IDS = {
  id: { type: 'int8', description: 'The integer id, unique within the type.' },
  publicId: {
    type: 'text',
    description: 'The public id: six or more letters, which REST paths accept too.',
  },
} as const satisfies Fields;

/** A required name. */
export const NAME = {
  type: 'text',
  writable: 'always',
  required: true,
  maxLength: 255,
  description: 'The name of the object.',
} as const satisfies Field;

/** A text field that is always null, because the gateway has no such data. */
export const ALWAYS_NULL_TEXT = {
  graphql: false,
  type: 'text',
  nullable: true,
  description: 'Always null: the gateway does not have this information.',
} as const satisfies Field;

/** The field that follows the ids in every noun below a workspace. */
export const OF_WORKSPACE = {
  workspaceId: { type: 'int8', description: 'The integer id of its workspace.' },
} as const satisfies Fields;

/**
 * The fields of a noun that can be archived. Its verb is `archive`, which includes unarchiving. The column `archived` is generated from
 * `archived_at`.
 */
export const ARCHIVED = {
  archived: { type: 'bool', graphqlName: 'isArchived', description: 'Whether the object is archived.' },
  archivedAt: {
    type: 'timestamp',
    nullable: true,
    description: 'When the object was archived; null if it is not.',
  },
} as const satisfies Fields;

/** `archived` of a noun that is archived by a change of this field. GraphQL has mutations for it instead. */
export const WRITABLE_ARCHIVED = { ...ARCHIVED.archived, writable: 'always', graphql: 'output' } as const;

/**
 * The field of a noun whose objects are ordered below their parent. Its verb is `reorder`. The smallest position comes first, and new objects
 * come last. The removal of an object leaves a gap until the next reordering.
 */
export const ORDERED = {
  position: {
    type: 'int4',
    restName: 'sort_order',
    description: 'The position among the objects of the same parent. The smallest position comes first.',
  },
} as const satisfies Fields;

/** Whether objects of a noun have an order below their parent. */
export function isOrdered({ fields }: Pick<Resource, 'fields'>): boolean {
  return 'position' in fields;
}

/** The input to reorder the objects of a noun below one parent. */
export function orderFields({ type, graphqlName, title, table, most }: Resource): Fields {
  return {
    idsInOrder: {
      type: 'int8[]',
      idsOf: { type, title, table, ...(graphqlName !== undefined && { graphqlName }) },
      required: true,
      ...(most !== undefined && { maxLength: most }),
      description: `The integer ids of all ${pluralOf(title.toLowerCase())}, in their new order.`,
    },
  };
}

/** The fields of a noun that are lists of children. */
export function childLists({ fields }: Pick<Resource, 'fields'>): [property: string, field: Field][] {
  return Object.entries(fields).filter(([, { children }]) => children !== undefined);
}

/** Whether objects of a noun can be archived: by its verb, or by a writable field `archived`. */
export function isArchivable({ fields }: Pick<Resource, 'fields'>): boolean {
  return 'archived' in fields && 'archivedAt' in fields;
}

/** Whether REST returns a field only if `expand[]` lists it. */
export function isExpandable({ expand }: Pick<Field, 'expand'>): boolean {
  return expand === true || expand === 'reads';
}

/** The REST names of the fields that it returns only if `expand[]` lists them. */
export function expandableNames({ fields }: Pick<Resource, 'fields'>): string[] {
  return Object.entries(fields)
    .filter(([, field]) => isExpandable(field))
    .map(([property, field]) => restNameOf(property, field));
}

/** The fields of an object that REST returns inside another object. */
export function fieldsInParent(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, { notInParent }]) => notInParent !== true));
}

/** The REST names of the members that REST leaves out of the objects in a field. */
export function namesNotInParent({ items, object = items ?? {} }: Field): string[] {
  return Object.entries(object).flatMap(([property, field]) =>
    field.notInParent === true ? [restNameOf(property, field)] : [],
  );
}
