// What erasures leave to the background, done at once.
import type { App } from '../../src/context.ts';
import { blankSome } from '../../src/services/contacts/erasures.ts';

/** Until nothing is left of anybody who was erased. */
export async function blankAll(app: App): Promise<void> {
  while (await blankSome(app));
}
