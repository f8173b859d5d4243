// Reads the manifest files in which front-end build tools store their documents with ids. Pure.
// - A map of ids to texts: the client preset of GraphQL Code Generator (persisted-documents.json) and Relay's compiler.
// - A list of operations: Apollo's `generate-persisted-query-manifest` (format `apollo-persisted-query-manifest`, version 1).
import { createHash } from 'node:crypto';
import { isObject } from '../../services/input/parse-fields.ts';

/** A document in a manifest. */
export interface ManifestEntry {
  /** The id as in the file. */
  readonly id: string;
  readonly text: string;
}

/** An error in a manifest or in one of its entries. */
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

/** The key to look up an id: ids with and without the prefix `sha256:` are equal. */
export function lookupKey(id: string): string {
  return id.startsWith(SHA256_PREFIX) ? id.slice(SHA256_PREFIX.length) : id;
}

/** Whether an id looks like a SHA-256 but is not the hash of the text, for example after the file was edited by hand. */
export function hasWrongHash({ id, text }: ManifestEntry): boolean {
  if (!id.startsWith(SHA256_PREFIX) && !/^[0-9a-f]{64}$/i.test(id)) return false;
  return lookupKey(id) !== createHash('sha256').update(text).digest('hex');
}
