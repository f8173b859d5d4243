// 120 counts at once of one team's contacts, while another team asks for small pages.
// `npm run trial -- noisy-neighbour [contacts]`; 1,500,000 by default.
import { insertManyContacts } from '../../src/store/seed/contacts.ts';
import { quantile, report, withTestBed } from './test-bed.ts';

const CONTACTS = Number(process.argv[3] ?? 1_500_000);
const AT_ONCE = 120;
const PAGES = 300;

await withTestBed(async ({ tenants: [busy, quiet], gateway }) => {
  const { app, send } = gateway({ LOOKUP_CACHE_MS: '0' });
  await insertManyContacts(app.store.pool, {
    workspaceId: busy.workspaceId,
    count: CONTACTS,
    now: new Date(),
    signal: new AbortController().signal,
    onProgress() {},
  });
  await app.store.pool.query('vacuum analyze contacts');

  async function pages(): Promise<number[]> {
    const times: number[] = [];
    for (let index = 0; index < PAGES; index++)
      times.push((await send(`/api/v2/workspaces/${quiet.workspaceId}/funnels`, quiet)).ms);
    return times;
  }
  const query = `{ workspace(by: { databaseId: "${busy.workspaceId}" }) { contacts(first: 1) { totalCount totalCountIsExact } } }`;
  const one = await send('/graphql', busy, query);
  process.stdout.write(`one count: ${Math.round(one.ms)} ms, ${one.text}\n`);
  const calm = await pages();
  let isOver = false;
  let counted = 0;
  let refused = 0;
  const noise = Array.from({ length: AT_ONCE }, async () => {
    while (!isOver) {
      const { text } = await send('/graphql', busy, query);
      if (text.includes('TOO_MANY_REQUESTS')) refused++;
      else counted++;
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  const noisy = await pages();
  isOver = true;
  await Promise.all(noise);
  const [before, during] = [quantile(calm, 0.95), quantile(noisy, 0.95)];
  report(
    `p95 of the other team's pages: ${before} ms alone, ${during} ms beside ${counted} counts and ${refused} that were refused`,
    during < 250,
  );
});
