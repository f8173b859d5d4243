// What a description says of a field, and the type of the rows that follows from it. Select lists, REST's JSON, GraphQL's fields and the
// OpenAPI schemas are all made from it, by the type of the field (field-types.ts).
import type { Category } from './categories.ts';
import type { FieldType, JsonSchema, TEXT_FORMATS, ValueOfType } from './field-types.ts';

/** The changes of children that a change of their parent may make. */
export type ChildVerb = 'create' | 'update' | 'remove';

/** By value: the values to which it may change. */
export type Transitions = Readonly<Record<string, readonly string[]>>;

/** What a noun is called: enough of its description for a field of another noun that refers to it. */
export interface NounNames {
  /** The name of the OpenAPI schema. Unless `subjectType` has another, webhooks, audit entries and stored rows call it this, so it stays. */
  readonly type: string;
  /** The name of the GraphQL type, and the part before the integer in its global ids; absent: `type`. */
  readonly graphqlName?: string;
  /** Its name in sentences such as "Saved filter not found." */
  readonly title: string;
  /** The name of its table, which the cursors of its lists contain. */
  readonly table: string;
}

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
  readonly children?: NounNames;
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
  readonly idsOf?: NounNames;
  /**
   * Like `idsOf`, for objects of the same workspace. Others are refused: a single id by a foreign key, the ids of a list by a check of each.
   * GraphQL also has a field for the objects: `page` for `pageId`, `pages` for `pageIds`.
   */
  readonly refers?: NounNames;
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

/** The noun whose ids a field has; undefined where it has none. */
export function referencedNoun(field: Pick<Field, 'refers' | 'idsOf'> | undefined): NounNames | undefined {
  return field?.refers ?? field?.idsOf;
}

/** Whether REST returns a field only if `expand[]` lists it. */
export function isExpandable({ expand }: Pick<Field, 'expand'>): boolean {
  return expand === true || expand === 'reads';
}

/** The fields of an object that REST returns inside another object. */
export function fieldsInParent(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, { notInParent }]) => notInParent !== true));
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
