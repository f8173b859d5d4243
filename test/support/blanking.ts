// Runs the background work of erasures at once.
import type { App } from '../../src/context.ts';
import { blankSome } from '../../src/services/contacts/erasures.ts';

/** Blanks the remaining data of all erased contacts. */
export async function blankAll(app: App): Promise<void> {
  while (await blankSome(app));
}
