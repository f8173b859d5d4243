// How a noun is described: its fields, once, as plain data. Select lists, REST's JSON, GraphQL's fields and the OpenAPI
// schemas are all made from it (DESIGN §11), by the types of its fields (field-types.ts). Pure, and the bottom of the house.
import { type FieldType, isFilterable, type TEXT_FORMATS, type ValueOfType } from './field-types.ts';

/** What scopes are about: `contacts:read`. */
export type Category = 'account' | 'contacts' | 'funnels' | 'store' | 'webhooks';

/** What clients do to objects of a noun. */
export type Verb = 'create' | 'update' | 'archive' | 'remove';

/** The noun that ids are of. */
export type IdsOf = Pick<Resource, 'type' | 'title' | 'table'>;

/** One field of a noun. */
export interface Field {
  readonly type: FieldType;
  /** Absent: it is never null. */
  readonly nullable?: true;
  /** A sentence for the readers of both manuals, GraphQL's and OpenAPI's. */
  readonly description: string;
  /** Its name over REST, where that is not the property's in snake_case. */
  readonly restName?: string;
  /** Over REST a boolean is 0 or 1. */
  readonly restAsNumber?: true;
  /** Of a list: what of its items REST leaves out. */
  readonly restOmits?: readonly string[];
  /** The one form that its text has, in the words of JSON Schema where that has one. */
  readonly format?: keyof typeof TEXT_FORMATS;
  /** Of an amount of money: the code of its currency, or the field of the same object that has it. */
  readonly currency?: string;
  /** All values that it can have. */
  readonly values?: readonly string[];
  /** JSON that is a list of objects with these fields. */
  readonly items?: Fields;
  /** JSON that is an object with these fields. */
  readonly object?: Fields;
  /** JSON that is an object with members of any name, all of them text. In a change they are merged: the others stay. */
  readonly members?: 'text';
  /** A member of an item that may be missing. */
  readonly optional?: true;
  /** Of an integer id that clients give, or a list of them: the noun whose ids they are. GraphQL has its global ids. */
  readonly idsOf?: IdsOf;
  /**
   * As `idsOf`, of objects of the same workspace: others are refused, by a foreign key of the column or, of a list, by a look at each.
   * GraphQL has the objects themselves beside their ids: `page` of `pageId`, `pages` of `pageIds`.
   */
  readonly refers?: IdsOf;
  /** What GraphQL says of those objects, as a sentence, where there is more to say than what they are. */
  readonly objectDescription?: string;
  /** Needed to work out other things; neither face shows it. */
  readonly internal?: true;
  /** When clients may give it; absent: never. */
  readonly writable?: 'always' | 'at_creation';
  /** A new object needs it, and it is not blank. */
  readonly required?: true;
  /** What a new object has where it is not given; absent: null, or nothing at all. */
  readonly default?: string | number | boolean | Readonly<Record<string, never>> | readonly never[];
  /** So many characters at most, or items of a list. */
  readonly maxLength?: number;
  /** It says something of the contact that the object leads to, and is blanked when that contact is erased. */
  readonly personal?: true;
}

/** Fields by property name, in the order in which REST shows them. */
export type Fields = Readonly<Record<string, Field>>;

/** What lists can be ordered by. Among rows of the same time the order is that of their ids. */
export type Sort = 'id' | 'updatedAt';

/** One thing that the lists of a noun can be filtered by: the field or the input of its name. */
export interface Filter {
  /** At most one row of a list has a value. */
  readonly unique?: true;
  /** The index that a page with it reads: of the parent, the value and, unless it is unique, the id. Of `id` itself it goes without saying. */
  readonly index?: string;
  /** A sentence, where that of the field is not about a filter. */
  readonly description?: string;
}

/** A noun. */
export interface Resource<F extends Fields = Fields> {
  /** The GraphQL type and the OpenAPI schema. */
  readonly type: string;
  /** What it is called in a sentence such as "Saved filter not found." */
  readonly title: string;
  /** Its table; the cursors of its lists carry the same name. */
  readonly table: string;
  /** For life: it is part of every public id, and of the marks up to which its lists are read. */
  readonly number?: bigint;
  /** The noun that its lists are below. */
  readonly parent?: Resource;
  /** The property that names the parent, where that is not `workspaceId` of a `Workspace`. */
  readonly parentKey?: string;
  /** The field of the parent over GraphQL that lists it. Absent: it has no such list. */
  readonly plural?: string;
  /** What that list is, as a sentence, where there is more to say than whose it is. */
  readonly listDescription?: string;
  /** What its parent is to it, as a sentence, where there is more to say than that. */
  readonly parentDescription?: string;
  /** Its path over REST below the parent, such as `contacts/tags`. Absent: REST has but what the noun's own file adds. */
  readonly path?: string;
  /** The path of its members, where that is another one. */
  readonly members?: string;
  /** What the scopes are called that reading and changing it need. Absent: what callers see of it needs none. */
  readonly scope?: Category;
  /** What clients may do to it besides reading. */
  readonly verbs?: readonly Verb[];
  /** What endpoints are told of it: `created`, `updated` and `deleted` by these verbs, and what its own rules add. */
  readonly events?: readonly string[];
  /** There is much of it, and clients seldom name one by its id: a distributed store does not keep where each of them is. */
  readonly numerous?: true;
  /** The member of a body over REST that may hold its fields; none of them is called so. Absent: no body gives any. */
  readonly wrapper?: string;
  /** What it is, in a sentence or two. */
  readonly description: string;
  readonly fields: F;
  /** What clients may give beside its writable fields: it is not shown by that name. */
  readonly inputs?: Fields;
  /** A new one may be given nothing at all. Absent: a creation that gives nothing is refused. */
  readonly mayBeEmpty?: true;
  /** What stands before the dot in its event types and in the actions of its audit entries: `contact`. */
  readonly topic?: string;
  /** What events and audit entries call it; absent: `type`. */
  readonly subjectType?: string;
  /** What its lists can be filtered by, by property; first those of which few rows have a value. */
  readonly filters?: Readonly<Record<string, Filter>>;
  /** What its lists can be ordered by, besides `id`. */
  readonly sorts?: readonly Exclude<Sort, 'id'>[];
  /** An object is never changed: the order of the last changes is that of creation, which is that of the ids. */
  readonly unchanging?: true;
}

/** A description as it was written, so that the type of its rows can be inferred. */
export function describe<const F extends Fields, const R extends Resource<F>>(resource: R): R {
  return resource;
}

/** A filter as both faces offer it. */
export interface FilterForm extends Required<Pick<Filter, 'description'>> {
  readonly property: string;
  readonly unique: boolean;
  readonly type: FieldType;
  /** Whose ids its values are, where they are ids. */
  readonly idsOf: Pick<IdsOf, 'type' | 'table'> | undefined;
  /** The only values that there are; absent: any. */
  readonly values: Field['values'];
}

/** The filters of a noun's lists, in the order of its description. */
export function filtersOf(
  resource: Pick<Resource, 'type' | 'table' | 'fields' | 'inputs' | 'filters'>,
): FilterForm[] {
  return Object.entries(resource.filters ?? {}).map(([property, { unique = false, ...filter }]) => {
    const field = resource.fields[property] ?? resource.inputs?.[property];
    const description = filter.description ?? field?.description;
    if (description === undefined) throw new Error(`The filter ${property} says not what it is.`);
    const idsOf = nounNamedBy(field) ?? (property === 'id' ? resource : undefined);
    const type = idsOf !== undefined ? 'int8' : (field?.type ?? 'text');
    if (!isFilterable(type)) throw new Error(`The filter ${property} is of the type ${type}.`);
    return { property, unique, type, idsOf, values: field?.values, description };
  });
}

/** The noun whose ids a field has; undefined where it has none. */
export function nounNamedBy(field: Pick<Field, 'refers' | 'idsOf'> | undefined): IdsOf | undefined {
  return field?.refers ?? field?.idsOf;
}

/** What GraphQL calls the objects whose ids a property has: `page` of `pageId`, `pages` of `pageIds`. */
export function objectsNamedBy(property: string): string {
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
  | (F extends { nullable: true } ? null : never);

/** The properties of an object with these fields. */
export type RowOf<F extends Fields> = {
  -readonly [Name in keyof F as F[Name] extends { optional: true } ? never : Name]: ValueOf<F[Name]>;
} & { -readonly [Name in keyof F as F[Name] extends { optional: true } ? Name : never]?: ValueOf<F[Name]> };

/** A row of a noun, whichever way it was read. */
export type Row<R extends Resource> = RowOf<R['fields']>;

/** When clients give fields: of a new object, or in a change of one. */
export type Moment = 'creation' | 'change';

/** The fields that clients may give, by property name. */
export function writableFields({ fields, inputs }: Resource, moment: Moment): Fields {
  const writable = Object.entries(fields).filter(
    ([, field]) => field.writable === 'always' || (field.writable !== undefined && moment === 'creation'),
  );
  return { ...Object.fromEntries(writable), ...inputs };
}

/** Whether clients have to give a field. */
export function isRequired({ required }: Field, moment: Moment): boolean {
  return required === true && moment === 'creation';
}

/** What a field is, for whoever gives it. */
export function givenDescription({ description, members }: Field, moment: Moment): string {
  return members !== undefined && moment === 'change'
    ? `${description} Those that are not given are left as they are.`
    : description;
}

/** What a new object has where a field is not given, as a sentence; null where it has nothing, or that goes without saying. */
export function defaultSentence({ default: initially }: Field, moment: Moment): string | null {
  if (moment !== 'creation' || initially === undefined || typeof initially === 'object') return null;
  return `By default ${initially}.`;
}

/** What a field is called over REST: the column's name, unless the specification has another. */
export function restNameOf(property: string, { restName }: Pick<Field, 'restName'> = {}): string {
  return restName ?? toSnakeCase(property);
}

/** `publicId` as `public_id`. */
export function toSnakeCase(property: string): string {
  return property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** What a noun is called within its namespace: `applied_tag` where its topic is `contacts/applied_tag`. */
export function ownNameOf({
  type,
  wrapper = toSnakeCase(uncapitalize(type)),
  topic = wrapper,
}: Pick<Resource, 'type' | 'wrapper' | 'topic'>): string {
  return topic.slice(topic.lastIndexOf('/') + 1);
}

/** `Contact` as `contact`. */
export function uncapitalize(word: string): string {
  return word.charAt(0).toLowerCase() + word.slice(1);
}

/** The property of a noun that names its parent: `workspaceId`. */
export function parentKeyOf({ parentKey, parent }: Pick<Resource, 'parent' | 'parentKey'>): string {
  if (parent === undefined) throw new TypeError('It is below nothing.');
  return parentKey ?? `${uncapitalize(parent.type)}Id`;
}

/** The nouns above one, the nearest first: of a contact its workspace and the team. */
export function above({ parent }: Pick<Resource, 'parent'>): readonly Resource[] {
  return parent === undefined ? [] : [parent, ...above(parent)];
}

/** The plural of a noun's name. */
export function pluralOf(word: string): string {
  return word.endsWith('y') ? `${word.slice(0, -1)}ies` : `${word}s`;
}

/** Words with their indefinite article, such as `an audit entry`. */
export function withArticle(words: string): string {
  return `${/^[aeiou]/i.test(words) ? 'an' : 'a'} ${words}`;
}

/** What events and audit entries call a noun. */
export function subjectTypeOf({ type, subjectType = type }: Resource): string {
  return subjectType;
}

/** What every noun begins with. */
export const IDS = {
  id: { type: 'int8', description: 'The integer id, unique within the type.' },
  publicId: {
    type: 'text',
    description: 'The short public id: six or more letters. REST paths accept it in place of the integer id.',
  },
} as const satisfies Fields;

/** What every noun below a workspace has behind its ids. */
export const OF_WORKSPACE = {
  workspaceId: { type: 'int8', description: 'The integer id of its workspace.' },
} as const satisfies Fields;

/**
 * What a noun has that can be archived: its verb is `archive`, which goes with taking it out again. The column `archived` is generated
 * from `archived_at`.
 */
export const ARCHIVED = {
  archived: { type: 'bool', description: 'Whether it is archived.' },
  archivedAt: { type: 'timestamp', nullable: true, description: 'When it was archived, or null.' },
} as const satisfies Fields;

/** Whether objects of a noun can be archived: by its verb, or by giving `archived` where that is writable. */
export function isArchivable({ fields }: Pick<Resource, 'fields'>): boolean {
  return 'archived' in fields && 'archivedAt' in fields;
}
