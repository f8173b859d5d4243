// The service of a noun, as one typed value: its reads, and the changes that its description allows. They are derived from the description,
// unless the noun's own file replaces them. The compiler requires that file to have what cannot be derived: the functions of the
// description's actions and, if the file replaces the changes, every change of the description.
import type { Context } from '../context.ts';
import type { OtherList, Resource, Row, Verb } from '../resources/description/resource.ts';
import { type Described, listsOf } from '../resources/nouns.ts';
import { tableUnder } from '../store/tables/tables.ts';
import type { ChangeAnswer } from './changing/mutate.ts';
import { type Writes, writesOf } from './changing/writes.ts';
import type { Input } from './input/parse-fields.ts';
import type { WriteOptions } from './input/write-options.ts';
import { type OpenReads, openReadsOf, type Projection, type Reads, readsOf } from './reading/reads.ts';
import type { Ref } from './reading/refs.ts';

type AnyRow = { readonly id: bigint };
type RowOf<N extends Described> = Row<N> & { id: bigint };

type VerbOf<N> = N extends { readonly verbs: readonly (infer V extends Verb)[] } ? V : never;
type ActionOf<N> = N extends { readonly actions: infer Actions } ? keyof Actions & string : never;
type Change = 'create' | 'update' | 'archive' | 'unarchive' | 'remove' | 'reorder';

/** The changes that clients may make to objects of a noun. */
interface NounChanges<R extends AnyRow>
  extends Partial<Pick<Writes<R>, 'writeScope' | Exclude<Change, 'create'>>> {
  create?(
    ...args: Parameters<Writes<R>['create']>
  ): Promise<ChangeAnswer<R, 'created' | 'updated' | 'unchanged'>>;
}

/** A change of the description's `actions`. It requires `writeScope`. @throws AppError `not_found`, and as the noun's own file says */
export type Act<R extends AnyRow> = (
  ctx: Context,
  ref: Ref,
  input: Input,
  options: WriteOptions,
) => Promise<ChangeAnswer<R>>;

/** An Error in the place of a row refuses that one alone. */
type GetMany<R> = (
  ctx: Context,
  ids: readonly bigint[],
  projection?: Projection,
) => Promise<readonly (R | Error | null)[]>;

export interface Service<R extends AnyRow = AnyRow> extends NounChanges<R> {
  readonly noun: Described;
  /** null: clients read its objects by their ids alone. */
  readonly reads: Reads<R> | null;
  /** The reads of its open fields; null: it has none. */
  readonly open: OpenReads<R> | null;
  readonly getMany: GetMany<AnyRow>;
  /** Whether every reader sees its rows as they are stored, so that they can be read together with rows that refer to them. */
  readonly isJoinable: boolean;
  /** Its lists in addition to the one below its parent. */
  readonly lists: readonly (Reads<R> & { readonly of: OtherList })[];
  /** By the names of the description. */
  readonly actions: Readonly<Record<string, Act<R>>>;
}

/** The `Service` of one noun, with its types. */
type ServiceOf<N extends Described> = Service<RowOf<N>> &
  (N extends { readonly scope: string } ? { readonly reads: Reads<RowOf<N>> } : unknown);

type ListMany<R> = Reads<R>['listMany'];

/** The parts of a service that the noun's own file replaces. */
type Own<N extends Described> = {
  /** Converts the derived reads of every list. */
  readonly shown?: (reads: Reads<RowOf<N>>) => Reads<RowOf<N>>;
  /** Its list in place of the derived one, made from the derived one. */
  readonly listMany?: (derived: ListMany<RowOf<N>>) => ListMany<RowOf<N>>;
  /** Reads objects by ids, for GraphQL: these may have more than a row. */
  readonly getMany?: GetMany<AnyRow>;
  /** All changes of the description in place of the derived ones. */
  readonly writes?: Required<
    Pick<
      NounChanges<RowOf<N>>,
      'writeScope' | VerbOf<N> | ('archive' extends VerbOf<N> ? 'unarchive' : never)
    >
  >;
} & (string extends ActionOf<N>
  ? { readonly actions?: Readonly<Record<string, Act<RowOf<N>>>> }
  : [ActionOf<N>] extends [never]
    ? object
    : { readonly actions: { readonly [Name in ActionOf<N>]: Act<RowOf<N>> } });

/** Makes the service of a noun. @param own what its own file replaces; absent: nothing */
export function defineService<const N extends Described>(
  noun: N,
  ...own: object extends Own<N> ? [own?: Own<N>] : [own: Own<N>]
): ServiceOf<N>;
export function defineService<N extends Described>(noun: N, own: AnyOwn<RowOf<N>> = {}): Service<RowOf<N>> {
  const { scope, openFields, verbs = [], actions: named = {} }: Resource = noun;
  const { shown = identity, listMany = identity, getMany, writes, actions = {} } = own;
  const withOwnList = <Some extends Reads<RowOf<N>> | OpenReads<RowOf<N>>>(derived: Some): Some => ({
    ...derived,
    listMany: listMany(derived.listMany),
  });
  const reads = scope === undefined ? null : withOwnList(shown(readsOf(noun)));
  const open = openFields === undefined ? null : withOwnList(openReadsOf(noun));
  const [missing] = Object.keys(named).filter((name) => !(name in actions));
  if (missing !== undefined) throw new TypeError(`${noun.type} has no ${missing}.`);
  const byIds = getMany ?? open?.getMany ?? reads?.getMany;
  if (byIds === undefined) throw new TypeError(`A ${noun.title} cannot be read.`);
  return {
    noun,
    reads,
    open,
    getMany: byIds,
    isJoinable: scope !== undefined && shown === identity && getMany === undefined,
    lists: listsOf(noun).map((of) => ({ ...shown(readsOf(noun, tableUnder(noun, of))), of })),
    ...(verbs.length > 0 && describedChanges<RowOf<N>>(writes ?? writesOf(noun), verbs)),
    actions,
  };
}

/** `Own` for any noun. */
interface AnyOwn<R extends AnyRow> {
  readonly shown?: (reads: Reads<R>) => Reads<R>;
  readonly listMany?: (derived: ListMany<R>) => ListMany<R>;
  readonly getMany?: GetMany<AnyRow>;
  readonly writes?: NounChanges<R>;
  readonly actions?: Readonly<Record<string, Act<R>>>;
}

function identity<Value>(value: Value): Value {
  return value;
}

/** The changes that the description lists. */
function describedChanges<R extends AnyRow>(changes: NounChanges<R>, verbs: readonly Verb[]): NounChanges<R> {
  const { writeScope, create, update, archive, unarchive, remove, reorder } = changes;
  const has = (verb: Verb) => verbs.includes(verb);
  return {
    ...(writeScope && { writeScope }),
    ...(create && has('create') && { create }),
    ...(update && has('update') && { update }),
    ...(archive && unarchive && has('archive') && { archive, unarchive }),
    ...(remove && has('remove') && { remove }),
    ...(reorder && has('reorder') && { reorder }),
  };
}
