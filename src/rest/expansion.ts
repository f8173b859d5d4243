// Fields that REST shows only where a request's `expand[]` names them: the parameter, and what is shown with it.
import { invalid } from '../errors.ts';
import { expandableNames, type Resource } from '../resources/resource.ts';
import { type Writer, writerOf } from '../rows/resource-writer.ts';
import type { Expansion } from './route.ts';

const NAMES = ['expand[]', 'expand'];

/** The expansion of a noun; undefined where none of its fields needs one. */
export function expansionOf(resource: Resource): Expansion | undefined {
  const taken = expandableNames(resource);
  if (taken.length === 0) return undefined;
  /** By the names that are asked for, in the order of the description: there are as few as there are sets of names. */
  const writers = new Map<string, Writer<object>>();
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
