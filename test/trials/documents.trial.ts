// GraphQL documents that cost as much as they can, at the largest that is allowed: each is refused or validated in bounded time.
// Arguments: the milliseconds of processor time that one may take (1000), and `unguarded` to leave out what is counted before validation.
import { GraphQLError, parse } from 'graphql';
import { parseConfig } from '../../src/config/config.ts';
import { AppError } from '../../src/errors.ts';
import { requireDocumentCounts } from '../../src/graphql/limits/document-counts.ts';
import { parseWithinLimits } from '../../src/graphql/limits/document-limits.ts';
import { schema } from '../../src/graphql/schema.ts';
import { validateDocument } from '../../src/graphql/validate.ts';
import { HOSTILE_DOCUMENTS } from './hostile-documents.ts';
import { say } from './say.ts';

const [maxMs = '1000', mode] = process.argv.slice(3);
const { limits } = parseConfig({}, '/').config;
const SIZES = [500, 1_000, 2_000, 4_000];

/** The largest document of a kind that has so many tokens at most. */
function largest(make: (count: number) => string, tokens: number): string {
  const fits = (count: number) => (parse(make(count)).tokenCount ?? 0) <= tokens;
  let low = 1;
  // Some grow with the square of the count.
  while (fits(2 * low)) low *= 2;
  for (let step = low / 2; step >= 1; step /= 2) if (fits(low + step)) low += step;
  return make(low);
}

/** What the gateway does with a document before it looks at the operation. @returns how it ended */
function attempt(text: string): string {
  try {
    const document = parseWithinLimits(text, limits);
    const { hasCycle } = mode === 'unguarded' ? { hasCycle: false } : requireDocumentCounts(document, limits);
    const options = { hasCycle, introspection: true, hideSuggestions: true };
    return validateDocument(schema, document, options).length > 0 ? 'invalid' : 'valid';
  } catch (error) {
    if (error instanceof AppError || error instanceof GraphQLError) return 'refused';
    return `FAILED: ${error instanceof Error ? error.message : error}`;
  }
}

let slowest = 0;
let failed = 0;
for (const [name, make] of Object.entries(HOSTILE_DOCUMENTS)) {
  const cells = SIZES.map((tokens) => {
    const text = largest(make, tokens);
    const before = process.cpuUsage();
    const outcome = attempt(text);
    const { user, system } = process.cpuUsage(before);
    const ms = (user + system) / 1_000;
    slowest = Math.max(slowest, ms);
    if (outcome.startsWith('FAILED')) failed += 1;
    return `${ms.toFixed(0)} ms ${outcome}`.padEnd(18);
  });
  say(`${name.padEnd(36)} ${cells.join(' ')}`);
}
say(`slowest ${slowest.toFixed(0)} ms of ${maxMs} ms; ${failed} failed`);
if (failed > 0 || slowest > Number(maxMs)) process.exitCode = 1;
