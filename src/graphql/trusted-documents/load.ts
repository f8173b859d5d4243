// Loads the trusted documents at startup. Each is parsed, validated and checked against the limits for all documents, and kept for the
// lifetime of the process. Their file size and memory are bounded.
import { readFileSync, statSync } from 'node:fs';
import { type DocumentNode, GraphQLError } from 'graphql';
import type { Config } from '../../config/config.ts';
import type { Limits } from '../../config/limits.ts';
import { AppError, StartupError } from '../../errors.ts';
import { sizeOfDocument } from '../document-cache.ts';
import { requireDocumentCounts } from '../limits/document-counts.ts';
import { parseWithinLimits } from '../limits/document-limits.ts';
import { schema } from '../schema.ts';
import { validateDocument } from '../validate.ts';
import {
  hasWrongHash,
  lookupKey,
  type ManifestEntry,
  ManifestError,
  parseDocumentManifest,
} from './manifest.ts';
import type { TrustedDocument, TrustedDocuments } from './request.ts';

/** The size of all files together. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** The memory of all parsed documents together. */
const MAX_BYTES = 128 * 1024 * 1024;
/** How many problems the error message lists. */
const MAX_PROBLEMS = 10;

/** Errors that concern one document rather than all of them. */
const REFUSALS = [ManifestError, GraphQLError, AppError];

type Loaded = Pick<Config, 'trustedDocuments' | 'limits' | 'introspection'>;

/** @throws StartupError with the file and the entry of each problem */
export function loadTrustedDocuments({ trustedDocuments, limits, introspection }: Loaded): TrustedDocuments {
  const byKey = new Map<string, TrustedDocument>();
  const byText = new Map<string, TrustedDocument>();
  const problems: string[] = [];
  let bytes = 0;
  for (const { file, entries } of readManifests(trustedDocuments.files, problems)) {
    for (const entry of entries) {
      try {
        const { text, id } = entry;
        if (hasWrongHash(entry)) throw new ManifestError('the id is not the SHA-256 of the text');
        const known = byKey.get(lookupKey(id));
        if (known !== undefined && known.text !== text)
          throw new ManifestError('another document has this id');
        const trusted = byText.get(text) ?? { text, document: parseTrusted(text, limits, introspection) };
        if (!byText.has(text)) bytes += sizeOfDocument(trusted.document);
        if (bytes > MAX_BYTES) throw tooLarge(`the documents take more than ${MAX_BYTES} bytes of memory`);
        byText.set(text, trusted);
        byKey.set(lookupKey(id), trusted);
      } catch (error) {
        if (!REFUSALS.some((kind) => error instanceof kind)) throw error;
        problems.push(`${file}, entry "${entry.id}": ${(error as Error).message}`);
      }
    }
  }
  if (problems.length > 0) throw new StartupError(summaryOf(problems));
  return { size: byText.size, only: trustedDocuments.only, find: (id) => byKey.get(lookupKey(id)) };
}

function readManifests(
  files: readonly string[],
  problems: string[],
): { readonly file: string; readonly entries: readonly ManifestEntry[] }[] {
  let bytes = 0;
  return files.map((file) => {
    try {
      bytes += statSync(file).size;
      if (bytes > MAX_FILE_BYTES) throw tooLarge(`the files have more than ${MAX_FILE_BYTES} bytes`);
      return { file, entries: parseDocumentManifest(readFileSync(file, 'utf8')) };
    } catch (error) {
      if (error instanceof StartupError) throw error;
      problems.push(`${file}: ${error instanceof Error ? error.message : String(error)}`);
      return { file, entries: [] };
    }
  });
}

/** @throws one of `REFUSALS` */
function parseTrusted(text: string, limits: Limits, introspection: boolean): DocumentNode {
  const document = parseWithinLimits(text, limits);
  const { hasCycle } = requireDocumentCounts(document, limits);
  const errors = validateDocument(schema, document, { hasCycle, introspection, hideSuggestions: false });
  if (errors.length > 0) throw new ManifestError(errors.map(({ message }) => message).join(' '));
  return document;
}

function tooLarge(what: string): StartupError {
  return new StartupError(`Trusted documents: ${what}.`);
}

function summaryOf(problems: readonly string[]): string {
  const others = problems.length - MAX_PROBLEMS;
  const listed = problems.slice(0, MAX_PROBLEMS).map((problem) => problem.replace(/\.$/, ''));
  return `Trusted documents: ${listed.join('; ')}${others > 0 ? `; and ${others} more` : ''}.`;
}
