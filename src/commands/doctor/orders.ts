// Whether the sums of orders and invoices are those of their lines.
import type { App } from '../../context.ts';
import { countWrongSums } from '../../store/orders/order-sums.ts';
import { type Finding, findingsOf } from './findings.ts';

const { ok, fail } = findingsOf('orders');

export async function checkOrderSums({ store }: Pick<App, 'store'>): Promise<Finding[]> {
  const { orders, invoices } = await countWrongSums(store.pool);
  if (orders + invoices === 0) return [ok('the sums of orders and invoices are those of their lines')];
  return [
    fail(
      `${orders} orders and ${invoices} invoices have another sum than their lines`,
      'something else than the gateway has changed these tables: compare them with the audit trail, and restore what was changed',
    ),
  ];
}
