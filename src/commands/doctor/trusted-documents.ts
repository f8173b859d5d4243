// Checks trusted documents: their files, and whether the gateway executes other GraphQL documents.
import type { Config } from '../../config/config.ts';
import { StartupError } from '../../errors.ts';
import { type Finding, findingsOf } from './findings.ts';

const { fail, ok, warn } = findingsOf('trusted documents');

/** Findings about trusted documents; none if they are not configured. */
export async function checkTrustedDocuments(config: Config): Promise<Finding[]> {
  const { files, only } = config.trustedDocuments;
  if (files.length === 0) return [];
  // Loads the schema, which no other check needs.
  const { loadTrustedDocuments } = await import('../../graphql/trusted-documents/load.ts');
  try {
    const { size } = loadTrustedDocuments(config);
    if (size === 0 && only)
      return [warn('there are none, and no other document is executed', 'see TRUSTED_DOCUMENTS')];
    const others = only ? 'no other document is executed, and GraphiQL is off' : 'others are executed too';
    return [ok(`${size} in ${files.length === 1 ? 'one file' : `${files.length} files`}; ${others}`)];
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    return [fail(error.message, 'let the build of the front end write the file against this schema')];
  }
}
