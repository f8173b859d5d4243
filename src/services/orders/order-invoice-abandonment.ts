// Abandons an invoice without payments. The billing status of its order follows.
import { requireScope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { type InvoiceRow, invoice } from '../../resources/orders/order-invoices.ts';
import { lockOrderOfInvoice, planOrder, writeOrder } from '../../store/orders/order-changes.ts';
import { invoiceTable } from '../../store/tables/orders/order-invoices.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { changeLocked } from '../changing/locked-change.ts';
import type { ChangeAnswer } from '../changing/mutate.ts';
import { requireTransition } from '../changing/transitions.ts';
import type { Input } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import type { Ref } from '../reading/refs.ts';

const STATUS = { status: 'abandoned' } as const;

/**
 * Abandons an invoice. An abandoned invoice stays unchanged.
 * @throws AppError `not_found`; `conflict` for a status that does not allow it
 */
export async function abandon(
  ctx: Context,
  ref: Ref,
  _input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<InvoiceRow>> {
  const by = requireScope(ctx, 'store:write');
  return changeLocked(ctx, tableOf(invoiceTable), ref, options, {
    by,
    action: 'abandoned',
    lock: lockOrderOfInvoice,
    async make(tx, locked, { id, status }) {
      requireTransition(invoice.fields.status, status, STATUS.status, 'The status of the invoice');
      if (status === STATUS.status) return null;
      const plan = planOrder(locked, { invoices: new Map([[id, STATUS]]) });
      const { order, enrollments, events } = await writeOrder(tx, locked, plan);
      const children = [...(order === null ? [] : [order]), ...enrollments];
      return { events, pageId: locked.pageId, children };
    },
  });
}
