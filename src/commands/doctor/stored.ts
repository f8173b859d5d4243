// Checks the stored rows: whether lists are complete, and whether computed columns agree with the rows that they come from.
import type { App } from '../../context.ts';
import { findHeldLists, LONG_SECONDS } from '../../services/reading/held-lists.ts';
import { CORRECT_SHOWN_PAGES, countWronglyShown } from '../../store/inspection/shown-pages.ts';
import {
  CORRECT_FULFILLMENT_STATUSES,
  countWrongFulfillmentStatuses,
} from '../../store/orders/order-fulfillment-statuses.ts';
import { countWrongSums } from '../../store/orders/order-sums.ts';
import { type Finding, findingsOf } from './findings.ts';
import { checkPartitions } from './partitions.ts';

/** All checks of a store whose tables are up to date. */
export async function checkStored(app: App): Promise<Finding[]> {
  return [
    ...(await checkHeldLists(app)),
    ...(await checkPartitions(app)),
    await checkOrderSums(app),
    await checkFulfillmentStatuses(app),
    await checkShownPages(app),
  ];
}

/** A finding for each transaction that has delayed lists for long. */
async function checkHeldLists(app: App): Promise<Finding[]> {
  const { ok, warn } = findingsOf('lists');
  const held = await findHeldLists(app);
  if (held.length === 0) return [ok(`no transaction has delayed lists for ${LONG_SECONDS} seconds`)];
  return held.map(({ pid, application, user, seconds, tables, rows, isOwn }) =>
    warn(
      `${application || 'a session without a name'} (${pid === null ? 'prepared transaction' : `process ${pid}`}, user ${user}) has been in a transaction for ${seconds} seconds: lists of ${tables.join(', ')} end before its rows, and up to ${rows} rows are not listed yet`,
      isOwn
        ? 'a gateway ends it'
        : pid === null
          ? 'commit prepared or rollback prepared'
          : `let it commit, or end it: select pg_terminate_backend(${pid})`,
    ),
  );
}

async function checkOrderSums({ store }: App): Promise<Finding> {
  const { ok, fail } = findingsOf('orders');
  const { orders, invoices } = await countWrongSums(store.pool);
  if (orders + invoices === 0) return ok('the sums of orders and invoices are those of their lines');
  return fail(
    `${orders} orders and ${invoices} invoices have another sum than their lines`,
    'something else than the gateway has changed these tables: compare them with the audit trail, and restore what was changed',
  );
}

/** Checks whether the fulfillment statuses of orders follow from their invoices. */
async function checkFulfillmentStatuses({ store }: App): Promise<Finding> {
  const { ok, fail } = findingsOf('fulfillment statuses');
  const wrong = await countWrongFulfillmentStatuses(store.pool);
  if (wrong === 0) return ok('the fulfillment statuses of orders follow from their invoices');
  return fail(
    `${wrong} orders have another fulfillment status than their invoices say`,
    `a gateway of an older version, or something else, has changed invoices: once that runs no more, run "${CORRECT_FULFILLMENT_STATUSES}"`,
  );
}

/** Checks whether the pages marked as shown by a funnel step are exactly those that a step shows. Lists of pages filter by this mark. */
async function checkShownPages({ store }: App): Promise<Finding> {
  const { ok, fail } = findingsOf('pages');
  const wrong = await countWronglyShown(store.pool);
  if (wrong === 0) return ok('they say whether a step shows them, as the steps do');
  return fail(
    `${wrong} pages say another thing than the steps, so lists filtered by it have or lack them wrongly`,
    `a gateway of an older version, or something else, has changed the steps: once that runs no more, run "${CORRECT_SHOWN_PAGES}"`,
  );
}
