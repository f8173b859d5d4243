// Parses the variables of trusted documents: their files, and whether other documents may be executed. Pure.
import { resolve } from 'node:path';
import { form, onOrOff } from './values.ts';
import type { Read } from './variables.ts';

/** Parses the variables of trusted documents. @param cwd the base of relative paths */
export function parseTrustedDocuments({ value, optional }: Read, cwd: string) {
  const paths = form('paths of files, separated by commas', (text) => {
    const manifests = text.split(',').map((path) => path.trim());
    return manifests.includes('') ? undefined : manifests.map((path) => resolve(cwd, path));
  });
  const files: readonly string[] = optional('TRUSTED_DOCUMENTS', paths, []);
  // Without any document, no operation could be executed.
  const orOff = form('on or off, and on only with TRUSTED_DOCUMENTS', (text) => {
    const only = onOrOff.parse(text);
    return only === true && files.length === 0 ? undefined : only;
  });
  return {
    /** The paths of the manifests; empty: documents have no ids. */
    files,
    /** Only these documents are executed. */
    only: value('TRUSTED_DOCUMENTS_ONLY', orOff),
  };
}
