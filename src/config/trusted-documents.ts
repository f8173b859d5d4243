// Parses the variables of trusted documents: where the files with them are, and whether anything else may run. Pure.
import { resolve } from 'node:path';
import { parseSwitch } from './values.ts';
import type { Check } from './variables.ts';

export interface TrustedDocumentsConfig {
  /** The paths of the manifests; none: documents have no ids. */
  readonly files: readonly string[];
  /** Nothing but these documents is executed. */
  readonly only: boolean;
}

/** What the variables say of trusted documents; problems are reported by `check`. @param cwd what relative paths are relative to */
export function parseTrustedDocuments(check: Check, cwd: string): TrustedDocumentsConfig {
  const files = check(
    'TRUSTED_DOCUMENTS',
    [],
    (text) => parsePaths(text, cwd),
    'paths of files, separated by commas',
  );
  // Without any document, nothing at all could run.
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
