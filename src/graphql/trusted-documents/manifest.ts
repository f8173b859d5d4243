// The files that build tools of front ends write their documents into, with an id for each. Pure.
// - A map of ids to texts: the client preset of GraphQL Code Generator (persisted-documents.json) and Relay's compiler.
// - A list of operations: Apollo's `generate-persisted-query-manifest` (format `apollo-persisted-query-manifest`, version 1).
import { createHash } from 'node:crypto';
import { isObject } from '../../services/parse-fields.ts';

/** A document in a manifest. */
export interface ManifestEntry {
  /** The id as in the file. */
  readonly id: string;
  readonly text: string;
}

/** What is wrong with a manifest, or with one entry of it. */
export class ManifestError extends Error {}

const MAX_ID_CHARS = 256;
const APOLLO_FORMAT = 'apollo-persisted-query-manifest';
/** The prefix of an id that is the SHA-256 of the document's text (GraphQL over HTTP, appendix A). */
const SHA256_PREFIX = 'sha256:';

/** @param json the text of the file @throws ManifestError */
export function parseDocumentManifest(json: string): ManifestEntry[] {
  let manifest: unknown;
  try {
    manifest = JSON.parse(json);
  } catch {
    throw new ManifestError('it is no JSON');
  }
  if (!isObject(manifest)) throw new ManifestError('it is no JSON object');
  const { format, version, operations } = manifest;
  if (operations === undefined) return Object.entries(manifest).map(([id, text]) => toEntry(id, text));
  if (format !== APOLLO_FORMAT || version !== 1 || !Array.isArray(operations))
    throw new ManifestError(`its format is not version 1 of ${APOLLO_FORMAT}`);
  return operations.map((operation, index) => {
    if (!isObject(operation)) throw new ManifestError(`operation ${index} is no object`);
    return toEntry(operation['id'], operation['body'], `operation ${index}`);
  });
}

function toEntry(id: unknown, text: unknown, where = 'an entry'): ManifestEntry {
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID_CHARS)
    throw new ManifestError(`${where} has no id of 1 to ${MAX_ID_CHARS} characters`);
  if (typeof text !== 'string') throw new ManifestError(`entry "${id}" is no text`);
  return { id, text };
}

/** How an id is looked up: with and without the prefix that tells the kind of a hash it is the same. */
export function lookupKey(id: string): string {
  return id.startsWith(SHA256_PREFIX) ? id.slice(SHA256_PREFIX.length) : id;
}

/** Whether an id has the form of a SHA-256 and is not that of the text: the file was changed by hand. */
export function hasWrongHash({ id, text }: ManifestEntry): boolean {
  if (!id.startsWith(SHA256_PREFIX) && !/^[0-9a-f]{64}$/i.test(id)) return false;
  return lookupKey(id) !== createHash('sha256').update(text).digest('hex');
}
