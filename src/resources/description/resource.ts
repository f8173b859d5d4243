// What a description says of a noun, once, as plain data: what it is called, its place below another noun, its fields, what clients may
// change, its events and its lists. Pure, and imports no other layer.
import type { Category } from './categories.ts';
import type { ChildVerb, Field, Fields, NounNames, RowOf } from './fields.ts';
import type { Sort } from './sorts.ts';

/** The kinds of change that clients can make to objects of a noun. */
export type Verb = ChildVerb | 'archive' | 'reorder';

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
export interface Resource<F extends Fields = Fields> extends NounNames {
  /** GraphQL has no type for it: what it says is part of other types. Absent: GraphQL has it like REST. */
  readonly graphql?: false;
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

/** A row of a noun. */
export type Row<R extends Resource> = RowOf<R['fields']>;

/** The fields of a noun that are lists of children. */
export function childLists({ fields }: Pick<Resource, 'fields'>): [property: string, field: Field][] {
  return Object.entries(fields).filter(([, { children }]) => children !== undefined);
}
