// Cursors to anywhere in a list, for any server: made like the ones that it gave out itself. All of the subjects write
// the id of a row somewhere into base64. Pure; a cursor that was not understood shows when answers are compared.

interface Sample {
  readonly cursor: string;
  readonly databaseId: number;
}

/**
 * @param samples a page of them: one alone may be just so long that it does not show whether they are padded
 * @throws Error when the first sample's id is not in its cursor
 */
export function learnCursors(samples: readonly Sample[]): (databaseId: number) => string {
  const [sample = { cursor: '', databaseId: 0 }] = samples;
  const text = Buffer.from(sample.cursor, 'base64').toString('latin1');
  const digits = String(sample.databaseId);
  const at = text.lastIndexOf(digits);
  if (at < 0) throw new Error(`the id ${digits} is not in the cursor ${sample.cursor}`);
  const [before, behind] = [text.slice(0, at), text.slice(at + digits.length)];
  const encoding = samples.some(({ cursor }) => cursor.endsWith('=')) ? 'base64' : 'base64url';
  return (databaseId) => Buffer.from(`${before}${databaseId}${behind}`, 'latin1').toString(encoding);
}
