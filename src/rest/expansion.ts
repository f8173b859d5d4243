// Fields that REST shows only where a request's `expand[]` names them: the parameter, and what is shown with it.
import { LRUCache } from 'lru-cache';
import { invalid } from '../errors.ts';
import { expandableNames, type Resource } from '../resources/resource.ts';
import { type Writer, writerOf } from '../rows/resource-writer.ts';
import type { Expansion } from './route.ts';

const NAMES = ['expand[]', 'expand'];

/** How many sets of names a noun keeps a writer for. A writer takes a few kilobytes. */
const MAX_WRITERS = 32;

/** The expansion of a noun; undefined where none of its fields needs one. */
export function expansionOf(resource: Resource): Expansion | undefined {
  const taken = expandableNames(resource);
  if (taken.length === 0) return undefined;
  /** By the names that are asked for, in the order of the description. Clients choose them, so their number is bounded. */
  const writers = new LRUCache<string, Writer<object>>({ max: MAX_WRITERS });
  return {
    parameters: [
      {
        name: 'expand[]',
        description: `Shows these fields too, each named in a parameter of its own: ${taken.map((name) => `\`${name}\``).join(', ')}.`,
        schema: { type: 'array', items: { type: 'string', enum: taken } },
      },
    ],
    writerFor(query) {
      const asked = new Set<string>();
      for (const parameter of NAMES)
        for (const name of query.getAll(parameter)) {
          if (!taken.includes(name)) throw invalid(parameter, `${parameter} must be ${taken.join(' or ')}.`);
          asked.add(name);
        }
      const shown = taken.filter((name) => asked.has(name));
      const key = shown.join();
      const writer = writers.get(key) ?? writerOf(resource, shown);
      writers.set(key, writer);
      return writer;
    },
  };
}
