// A funnel's workflow as nested lists, and every change of it: the model that the gateway is compared with. It has another representation
// than `services/funnels/workflow.ts`, so that the two cannot be wrong in the same way.

export type Kind = 'page' | 'conditional_split' | 'split_test';

export interface Node {
  /** For a page step its page's first name, for a split the number of its creation. It never changes. */
  readonly key: string;
  readonly kind: Kind;
  name: string;
  page: string | null;
  weight: number | null;
  /** The branches of a split. */
  readonly lists: [Node[], Node[]] | null;
}

export type Tree = Node[];

/** A list of siblings: a branch of a split, or with null the top level. */
export interface Where {
  readonly split: string | null;
  readonly branch: 0 | 1;
}

export type Place = { after: string } | { before: string } | (Where & { position?: number });

export type Change =
  | { op: 'addPage'; page: string; place: Place }
  | { op: 'createSplit'; key: string; pages: [string[], string[]]; place: Place; wrap: 0 | 1 | null }
  | { op: 'createTest'; key: string; left: string; right: string; weight: number; place: Place | null }
  | { op: 'move'; step: string; place: Place }
  | { op: 'reorder'; where: Where; order: string[] }
  | { op: 'rename'; step: string; name: string }
  | { op: 'setFirst'; split: string; branch: 0 | 1; page: string }
  | { op: 'setWeight'; test: string; weight: number }
  | { op: 'remove'; split: string; discard: 0 | 1 | 'both' };

const pageNode = (page: string, key = page): Node => ({
  ...{ key, kind: 'page', name: page, page, weight: null, lists: null },
});

/** Every list of the tree. */
export function listsOf(tree: Tree): Node[][] {
  return [tree, ...tree.flatMap(({ lists }) => (lists ?? []).flatMap(listsOf))];
}

export const nodesOf = (tree: Tree): Node[] => listsOf(tree).flat();
export const keysOf = (tree: Tree, kind?: Kind): string[] =>
  nodesOf(tree)
    .filter((node) => kind === undefined || node.kind === kind)
    .map(({ key }) => key);

const find = (tree: Tree, key: string): Node | undefined => nodesOf(tree).find((node) => node.key === key);
const listWith = (tree: Tree, key: string): Node[] | undefined =>
  listsOf(tree).find((list) => list.some((node) => node.key === key));

export function listAt(tree: Tree, { split, branch }: Where): Node[] | undefined {
  return split === null ? tree : find(tree, split)?.lists?.[branch];
}

/** The list and the index of a place. */
function spotOf(tree: Tree, place: Place): { list: Node[]; index: number } | null {
  if ('split' in place) {
    const list = listAt(tree, place);
    const index = place.position ?? list?.length ?? 0;
    return list === undefined || index > list.length ? null : { list, index };
  }
  const key = 'after' in place ? place.after : place.before;
  const list = listWith(tree, key);
  if (list === undefined) return null;
  return { list, index: list.findIndex((node) => node.key === key) + ('after' in place ? 1 : 0) };
}

function take(tree: Tree, key: string): Node | null {
  const list = listWith(tree, key);
  return (
    list?.splice(
      list.findIndex((node) => node.key === key),
      1,
    )[0] ?? null
  );
}

/** The tree after a change; null if it is refused. */
export function apply(before: Tree, change: Change): Tree | null {
  const tree = structuredClone(before);
  return make(tree, change) ? tree : null;
}

function make(tree: Tree, change: Change): boolean {
  const isShown = (page: string) => nodesOf(tree).some((node) => node.page === page);
  switch (change.op) {
    case 'addPage': {
      const spot = spotOf(tree, change.place);
      if (spot === null || isShown(change.page)) return false;
      spot.list.splice(spot.index, 0, pageNode(change.page));
      return true;
    }
    case 'createSplit': {
      const { key, pages, place, wrap } = change;
      const spot = spotOf(tree, place);
      if (spot === null || pages.flat().some(isShown)) return false;
      const lists: [Node[], Node[]] = [
        pages[0].map((page) => pageNode(page)),
        pages[1].map((page) => pageNode(page)),
      ];
      if (wrap !== null) lists[wrap].push(...spot.list.splice(spot.index));
      const kind = 'conditional_split';
      spot.list.splice(spot.index, 0, {
        key,
        kind,
        name: 'Conditional split',
        page: null,
        weight: null,
        lists,
      });
      return true;
    }
    case 'createTest': {
      const { key, left, right, weight, place } = change;
      const shown = nodesOf(tree).find((node) => node.page === left);
      if (shown === undefined || isShown(right)) return false;
      const spot = spotOf(tree, place ?? { before: shown.key });
      if (spot === null) return false;
      const lists: [Node[], Node[]] = [[], [pageNode(right)]];
      spot.list.splice(spot.index, 0, {
        key,
        kind: 'split_test',
        name: 'Split test',
        page: null,
        weight,
        lists,
      });
      // The step is searched for outside of the new test, whose left variant is still empty.
      const step = take(tree, shown.key);
      if (step !== null) lists[0].push(step);
      return true;
    }
    case 'move': {
      const { step, place } = change;
      const node = find(tree, step);
      const target = 'split' in place ? place.split : 'after' in place ? place.after : place.before;
      if (node === undefined || (target !== null && keysOf([node]).includes(target))) return false;
      take(tree, step);
      const spot = spotOf(tree, place);
      spot?.list.splice(spot.index, 0, node);
      return spot !== null;
    }
    case 'reorder': {
      const list = listAt(tree, change.where);
      if (list === undefined || list.length === 0) return false;
      const ordered = change.order.flatMap((key) => list.find((node) => node.key === key) ?? []);
      if (ordered.length !== list.length || change.order.length !== list.length) return false;
      list.splice(0, list.length, ...ordered);
      return true;
    }
    case 'rename': {
      const node = find(tree, change.step);
      if (node !== undefined) node.name = change.name;
      return node !== undefined;
    }
    case 'setFirst': {
      const list = find(tree, change.split)?.lists?.[change.branch];
      const first = list?.find(({ kind }) => kind === 'page');
      if (list === undefined || (isShown(change.page) && first?.page !== change.page)) return false;
      if (first === undefined) list.unshift(pageNode(change.page));
      else if (first.page !== change.page) Object.assign(first, { page: change.page, name: change.page });
      return true;
    }
    case 'setWeight': {
      const node = find(tree, change.test);
      if (node !== undefined) node.weight = change.weight;
      return node !== undefined;
    }
    case 'remove': {
      const list = listWith(tree, change.split);
      const lists = find(tree, change.split)?.lists;
      if (list === undefined || lists == null) return false;
      const kept = change.discard === 'both' ? [] : lists[change.discard === 0 ? 1 : 0];
      list.splice(
        list.findIndex(({ key }) => key === change.split),
        1,
        ...kept,
      );
      return true;
    }
  }
}
