// Walkers, as clients are: each goes on from where its last page ended, and comes back for what is new.
import { setTimeout as sleep } from 'node:timers/promises';

/** Sends a request and gives its status, headers and body. */
export type Send = (
  path: string,
  query?: string,
) => Promise<{ status: number; headers: Headers; text: string }>;

export interface Walker {
  readonly name: string;
  /** The ids that it was shown, in order. */
  readonly seen: number[];
  /** Reads the next page. @returns how many rows it had */
  step(): Promise<number>;
}

interface Item {
  readonly id: number;
  readonly updated_at: string;
}

const PAGE = 100;

async function itemsOf(send: Send, path: string): Promise<{ items: Item[]; headers: Headers }> {
  const { status, headers, text } = await send(path);
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  return { items: JSON.parse(text) as Item[], headers };
}

/** By `Pagination-Next`. */
export function byNext(send: Send, path: string): Walker {
  const seen: number[] = [];
  let after = '';
  return {
    name: 'REST, Pagination-Next',
    seen,
    async step() {
      const { items, headers } = await itemsOf(send, `${path}?per_page=${PAGE}${after}`);
      for (const { id } of items) seen.push(id);
      const next = headers.get('Pagination-Next');
      if (next !== null) after = `&after=${next}`;
      return items.length;
    },
  };
}

/** By `Link`. @param onRow told of each row */
export function byLink(
  send: Send,
  path: string,
  parameters = '',
  onRow: (item: Item) => void = () => {},
): Walker {
  const seen: number[] = [];
  let next = `${path}?per_page=${PAGE}${parameters}`;
  return {
    name: `REST, Link${parameters}`,
    seen,
    async step() {
      const { items, headers } = await itemsOf(send, next);
      for (const item of items) {
        seen.push(item.id);
        onRow(item);
      }
      const link = /^<([^<>]+)>; rel="next"$/.exec(headers.get('Link') ?? '')?.[1];
      if (link !== undefined) next = new URL(link).pathname + new URL(link).search;
      return items.length;
    },
  };
}

interface Edges {
  readonly data: { workspace: { contacts: { edges: { cursor: string; node: { databaseId: string } }[] } } };
}

/** A GraphQL connection, forward; or backward through the list in descending order, which is ascending as well. */
export function byConnection(send: Send, workspaceId: bigint, direction: 'forward' | 'backward'): Walker {
  const seen: number[] = [];
  let position = '';
  return {
    name: `GraphQL, ${direction}`,
    seen,
    async step() {
      const args =
        direction === 'forward'
          ? `first: ${PAGE}${position}`
          : `last: ${PAGE}, orderBy: { direction: DESC }${position}`;
      const query = `{ workspace(by: { databaseId: "${workspaceId}" }) { contacts(${args}) { edges { cursor node { databaseId } } } } }`;
      const { text } = await send('/graphql', query);
      const { edges } = (JSON.parse(text) as Edges).data.workspace.contacts;
      const ordered = direction === 'forward' ? edges : edges.toReversed();
      for (const { node } of ordered) seen.push(Number(node.databaseId));
      const last = ordered.at(-1)?.cursor;
      if (last !== undefined) position = `, ${direction === 'forward' ? 'after' : 'before'}: "${last}"`;
      return edges.length;
    },
  };
}

/** Walks until a page is empty after `isOver`. */
export async function walkUntil(walker: Walker, isOver: () => boolean): Promise<void> {
  for (;;) {
    const wasOver = isOver();
    const rows = await walker.step();
    if (rows === 0 && wasOver) return;
    // At the head it leaves the processors to the writers.
    if (rows < PAGE) await sleep(Math.random() * 10);
  }
}

/** Walks down from the head again and again, a few pages each time. @returns what each walk was shown */
export async function walkDown(send: Send, path: string, isOver: () => boolean): Promise<number[][]> {
  const walks: number[][] = [];
  while (!isOver()) {
    const walker = byLink(send, path, '&sort_order=desc');
    for (let pages = 0; pages < 5; pages++) await walker.step();
    if (walker.seen.length > 0) walks.push(walker.seen);
    await sleep(20);
  }
  return walks;
}

/** What a walk missed of the ids that there are, and how many it was shown twice. */
export function compare(
  seen: readonly number[],
  ids: readonly number[],
): { skipped: number; repeated: number } {
  const shown = new Set(seen);
  return { skipped: ids.filter((id) => !shown.has(id)).length, repeated: seen.length - shown.size };
}
