// Whether a store has the demo.
import type { Statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';
import { DEMO_EMAIL } from './person.ts';

const HAS_DEMO: Statement = {
  name: 'demo.exists',
  text: 'select exists (select from users where lower(email) = lower($1::text)) as "hasDemo"',
};

/** Whether the store has the demo's person, and so the demo. */
export async function hasDemo(store: Store): Promise<boolean> {
  return (await query<{ hasDemo: boolean }>(store, HAS_DEMO, [DEMO_EMAIL]))[0]?.hasDemo === true;
}
