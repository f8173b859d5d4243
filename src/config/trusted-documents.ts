// Parses the variables of trusted documents: their files, and whether other documents may be executed. Pure.
import { resolve } from 'node:path';
import { parseSwitch } from './values.ts';
import type { Check } from './variables.ts';

export interface TrustedDocumentsConfig {
  /** The paths of the manifests; empty: documents have no ids. */
  readonly files: readonly string[];
  /** Only these documents are executed. */
  readonly only: boolean;
}

/** Parses the variables of trusted documents; `check` reports problems. @param cwd the base of relative paths */
export function parseTrustedDocuments(check: Check, cwd: string): TrustedDocumentsConfig {
  const files = check(
    'TRUSTED_DOCUMENTS',
    [],
    (text) => parsePaths(text, cwd),
    'paths of files, separated by commas',
  );
  // Without any document, no operation could be executed.
  const parseOnly = (text: string) => {
    const only = parseSwitch(text);
    return only === true && files.length === 0 ? undefined : only;
  };
  const only = check(
    'TRUSTED_DOCUMENTS_ONLY',
    false,
    parseOnly,
    'on or off, and on only with TRUSTED_DOCUMENTS',
  );
  return { files, only };
}

function parsePaths(text: string, cwd: string): readonly string[] | undefined {
  const paths = text.split(',').map((path) => path.trim());
  return paths.includes('') ? undefined : paths.map((path) => resolve(cwd, path));
}
