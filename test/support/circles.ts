// Circles in a graph of imports: files that import each other, directly or through others.
import type { Source } from './sources.ts';

/**
 * The groups of files that all reach each other by their imports, types included, each with one printed circle: `a.ts -> b.ts -> a.ts`.
 * Tarjan's strongly connected components.
 */
export function findCircles(sources: readonly Pick<Source, 'path' | 'imports'>[]): string[] {
  const importsOf = new Map(
    sources.map(({ path, imports }) => [path, imports.filter(({ own }) => own).map(({ from }) => from)]),
  );
  const order = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[] = [];

  function search(path: string): number {
    order.set(path, order.size);
    let low = order.size - 1;
    stack.push(path);
    for (const next of importsOf.get(path) ?? []) {
      if (!importsOf.has(next)) continue;
      if (!order.has(next)) low = Math.min(low, search(next));
      else if (stack.includes(next)) low = Math.min(low, order.get(next) ?? low);
    }
    if (low === order.get(path)) {
      const group = stack.splice(stack.indexOf(path));
      if (group.length > 1) circles.push(shortestCircle(path, new Set(group), importsOf).join(' -> '));
    }
    return low;
  }

  for (const path of importsOf.keys()) if (!order.has(path)) search(path);
  return circles;
}

/** Breadth-first search from a file back to itself. */
function shortestCircle(
  start: string,
  group: ReadonlySet<string>,
  importsOf: ReadonlyMap<string, readonly string[]>,
): string[] {
  const seen = new Set<string>();
  let ways: string[][] = [[start]];
  while (ways.length > 0) {
    const longer: string[][] = [];
    for (const way of ways) {
      for (const next of importsOf.get(way.at(-1) ?? '') ?? []) {
        if (next === start) return [...way, next];
        if (!group.has(next) || seen.has(next)) continue;
        seen.add(next);
        longer.push([...way, next]);
      }
    }
    ways = longer;
  }
  return [start];
}
