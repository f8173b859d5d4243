// Limits the number of operations, root fields, aliases, directives and fragments in a parsed document. They are counted in linear time
// before the document is validated. A fragment counts as often as it is spread. Pure.
import {
  type ASTNode,
  type DirectiveNode,
  type DocumentNode,
  Kind,
  type SelectionSetNode,
  visit,
} from 'graphql';
import type { Limits } from '../../config/limits.ts';
import { AppError } from '../../errors.ts';
import { fragmentsOf } from '../fragments.ts';

type DocumentLimits = Pick<Limits, keyof typeof ANONYMOUS>;

/** Anonymous clients can only query the schema: the longest introspection query has 3 fragments and no alias. */
const ANONYMOUS = {
  maxQueryOperations: 10,
  maxQueryRootFields: 20,
  maxQueryAliases: 50,
  maxQueryDirectives: 20,
  maxQueryFragments: 20,
};

/** Directives of one field, fragment, variable or operation. Each one adds a name and a location to error messages. */
const MAX_DIRECTIVES_HERE = 10;

/** Fragment spreads allowed per allowed fragment. */
const SPREADS_PER_FRAGMENT = 10;

/** Levels of nested selections, fragments included: graphql-js's validation recurses several times for each. */
const MAX_LEVELS = 200;

/** The counts of a selection, including the fragments that it spreads. Nested fragments multiply, possibly up to Infinity. */
interface Counts {
  readonly aliases: number;
  readonly spreads: number;
  readonly directives: number;
  readonly levels: number;
  /** Top-level fields of the selection. */
  readonly fields: number;
}

const NO_COUNTS: Counts = { aliases: 0, spreads: 0, directives: 0, levels: 0, fields: 0 };

/** The limits for anonymous clients, never above the configured ones. */
export function limitsForAnonymous(limits: DocumentLimits): DocumentLimits {
  const names = Object.keys(ANONYMOUS) as (keyof DocumentLimits)[];
  const lower = names.map((name) => [name, Math.min(limits[name], ANONYMOUS[name])]);
  return Object.fromEntries(lower) as DocumentLimits;
}

/**
 * Checks a parsed document before it is validated.
 * @returns whether a fragment spreads itself. Validate such a document only by the rule against cycles, since other rules recurse endlessly
 * @throws AppError `invalid`, with the number and the limit
 */
export function requireDocumentCounts(
  document: DocumentNode,
  limits: DocumentLimits,
): { readonly hasCycle: boolean } {
  const { definitions } = document;
  const operations = definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const fragmentCount = definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION).length;
  requireAtMost('operations', operations.length, limits.maxQueryOperations);
  requireAtMost('fragments', fragmentCount, limits.maxQueryFragments);
  requireAtMost('directives', countDirectives(document), limits.maxQueryDirectives);

  const fragments = fragmentsOf(document);
  /** The counts of a fragment, computed once; null while it is being counted. */
  const counted = new Map<string, Counts | null>();
  let hasCycle = false;

  /** @returns NO_COUNTS for a fragment that spreads itself or does not exist: validation refuses both */
  function countsOfFragment(name: string): Counts {
    const cached = counted.get(name);
    if (cached === null) hasCycle = true;
    if (cached !== undefined) return cached ?? NO_COUNTS;
    const fragment = fragments.get(name);
    if (fragment === undefined) return NO_COUNTS;
    counted.set(name, null);
    const counts = countsOfSelections(fragment.selectionSet);
    counted.set(name, counts);
    return counts;
  }

  function countsOfSelections({ selections }: SelectionSetNode): Counts {
    let { aliases, spreads, directives, levels, fields } = NO_COUNTS;
    for (const selection of selections) {
      directives += selection.directives?.length ?? 0;
      const isField = selection.kind === Kind.FIELD;
      if (isField && selection.alias !== undefined) aliases += 1;
      if (selection.kind === Kind.FRAGMENT_SPREAD) spreads += 1;
      const inner = countsInside(selection);
      aliases += inner.aliases;
      spreads += inner.spreads;
      directives += inner.directives;
      levels = Math.max(levels, inner.levels);
      fields += isField ? 1 : inner.fields;
    }
    return { aliases, spreads, directives, levels: levels + 1, fields };
  }

  function countsInside(selection: SelectionSetNode['selections'][number]): Counts {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return countsOfFragment(selection.name.value);
    return selection.selectionSet === undefined ? NO_COUNTS : countsOfSelections(selection.selectionSet);
  }

  // Unused fragments count too, since they are validated.
  const fragmentCounts = [...fragments.keys()].map(countsOfFragment);
  if (hasCycle) return { hasCycle };
  for (const counts of fragmentCounts) requireLevels(counts);
  for (const { selectionSet } of operations) {
    const counts = countsOfSelections(selectionSet);
    requireLevels(counts);
    requireAtMost('root fields in an operation', counts.fields, limits.maxQueryRootFields);
    requireAtMost('aliases in an operation', counts.aliases, limits.maxQueryAliases);
    requireAtMost('directives in an operation', counts.directives, limits.maxQueryDirectives);
    const maxSpreads = limits.maxQueryFragments * SPREADS_PER_FRAGMENT;
    requireAtMost('fragment spreads in an operation', counts.spreads, maxSpreads);
  }
  return { hasCycle };
}

/** The number of directives in the document's text. @throws AppError when one location has too many */
function countDirectives(document: DocumentNode): number {
  let count = 0;
  visit(document, {
    enter(node: ASTNode) {
      const here = (node as { readonly directives?: readonly DirectiveNode[] }).directives?.length ?? 0;
      requireAtMost('directives in one place', here, MAX_DIRECTIVES_HERE);
      count += here;
    },
  });
  return count;
}

function requireLevels({ levels }: Counts): void {
  requireAtMost('levels of selections', levels, MAX_LEVELS);
}

function requireAtMost(what: string, count: number, most: number): void {
  if (count <= most) return;
  const number = Math.min(count, Number.MAX_SAFE_INTEGER);
  throw new AppError('invalid', `The document has ${number} ${what}. It can have at most ${most}.`);
}
