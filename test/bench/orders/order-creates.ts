// Creating orders with three lines, as creates.ts does contacts. The peers take no part: PostGraphile's mutations insert one row each, and for
// the stock stack the prices, sums and numbers of an order would have to be written by hand.
import pg from 'pg';
import { attempt, type Bench, type Row } from '../bench.ts';
import { ratioTo, rotate, rowsOf, type Slice } from '../measure.ts';
import { RUN_IN, sendOnce } from '../send-once.ts';
import type { Subject } from '../subject.ts';
import {
  clearCreatedOrders,
  readCreatedOrders,
  requireOrderHistory,
  requireOrderSnapshots,
} from './created-orders.ts';
import { newOrders, type OrderCreator, orderRequest } from './new-orders.ts';

/** In the order of the table. */
export const ORDER_CREATORS: readonly OrderCreator[] = ['limit-json', 'gateway'];

interface OrderCreateResult {
  /** The gateway's rate / the limit's; null when one is missing. */
  readonly ratio: number | null;
  readonly rows: Row[];
}

/** Runs all rounds. */
export async function measureOrderCreates(bench: Bench): Promise<OrderCreateResult> {
  const { plan, progress, dataset, subjects } = bench;
  const client = new pg.Client({ connectionString: dataset.url });
  await client.connect();
  const here = ORDER_CREATORS.filter((name) => subjects.has(name));
  const created = new Map<OrderCreator, Slice[]>(here.map((name) => [name, []]));
  try {
    for (let round = 0; round <= plan.rounds; round++) {
      const count = plan.orderCreates.toLocaleString('en');
      const turn = round === 0 ? 'Warm-up' : `Round ${round} of ${plan.rounds}`;
      progress.say(`(shop) ${turn}: creating ${count} orders`);
      for (const name of rotate(here, round)) {
        const subject = subjects.get(name);
        const slices = created.get(name);
        if (subject === undefined || slices === undefined) continue;
        await clearCreatedOrders(client, dataset.manifest);
        const slice = await attempt(bench, `${name} is left out of creating orders`, () =>
          createAll(bench, client, subject, `${Date.now()}-${name}-${round}`),
        );
        if (slice === null) created.delete(name);
        else if (round > 0) slices.push(slice);
      }
    }
  } finally {
    await clearCreatedOrders(client, dataset.manifest).catch(() => {});
    await client.end();
  }
  return {
    ratio: ratioTo(created, 'limit-json'),
    rows: rowsOf({ part: 'shop', workload: '(shop) REST, creating an order with three lines' }, created),
  };
}

/** One subject's turn. @throws Error when anything of what it wrote is missing */
async function createAll(bench: Bench, client: pg.Client, subject: Subject, turn: string): Promise<Slice> {
  const { manifest } = bench.dataset;
  const { orderCreates } = bench.plan;
  const runIn = Math.min(RUN_IN, orderCreates);
  const orders = newOrders(runIn + orderCreates, manifest);
  const requests = orders.map((order) => orderRequest(manifest, order, turn));
  const slice = await sendOnce(bench, subject, requests, 201, runIn);
  const ids = await readCreatedOrders(client, manifest, orders);
  await requireOrderHistory(client, manifest, ids);
  for (const { index, body } of slice.samples) {
    const id = ids[index] ?? 0;
    if (!body.startsWith(`{"id":${id},`))
      throw new Error(`the answer to order ${index}, which has the id ${id}, is ${body.slice(0, 300)}`);
    await requireOrderSnapshots(client, id, body);
  }
  return slice;
}
