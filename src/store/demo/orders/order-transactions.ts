// The money that was taken for the orders of a workspace of the demo, and paid back; and what came back of one that was canceled.
import type { OrderInvoice } from '#prisma';
import type { Filling } from '../demo.ts';

const DAY_MS = 86_400_000;

/** Records a payment of each invoice that was paid, and where it was refunded, the refund a week later. The things come back with the first. */
export async function insertTransactions({ tx, workspaceId, insert }: Filling): Promise<void> {
  const invoices = await tx.orderInvoice.findMany({
    where: { workspaceId, status: { in: ['paid', 'refunded'] } },
    include: { lineItems: true },
    orderBy: { id: 'asc' },
  });
  const payments = await insert('OrderTransaction', invoices, ({ status, ...invoice }) => ({
    ...columnsOf(invoice),
    ...{ status: status === 'paid' ? 'completed' : status, createdAt: invoice.paidAt ?? invoice.createdAt },
    ...{ externalId: `ch_demo_${invoice.invoiceNumber}`, externalType: 'charge' },
  }));
  const refunded = payments.filter(({ data }) => data.status === 'refunded');
  const refunds = await insert('OrderTransaction', refunded, ({ id, createdAt, data: invoice }) => ({
    ...columnsOf(invoice),
    ...{ status: 'completed', createdAt: new Date(createdAt.getTime() + 7 * DAY_MS) },
    ...{ externalId: `re_demo_${invoice.invoiceNumber}`, externalType: 'refund' },
    ...{ reason: 'requested_by_customer', adjustedTransactionId: id },
  }));
  // Amounts keep their digits.
  await tx.$executeRaw`update order_transactions t set amount = i.total_amount from order_invoices i
    where t.workspace_id = ${workspaceId} and i.workspace_id = t.workspace_id and i.id = t.invoice_id`;
  await tx.$executeRaw`update order_invoices set paid_amount = total_amount where workspace_id = ${workspaceId} and status = 'paid'`;
  const [first] = refunds;
  if (first === undefined) return;
  const { createdAt, data } = first;
  const { id: invoiceId, lineItems } = data.data;
  const [restock] = await insert('OrderRestock', [{ invoiceId, createdAt }], (it) => it);
  if (restock === undefined) throw new Error('no id');
  await tx.orderRestockLineItem.createMany({
    data: lineItems.map(({ id: invoiceLineItemId, quantity }) => ({
      ...{ workspaceId, restockId: restock.id, invoiceLineItemId, quantity },
    })),
  });
}

/** What a payment and its refund have of the invoice. */
function columnsOf({
  id,
  orderId,
  totalAmount,
  currency,
}: Pick<OrderInvoice, 'id' | 'orderId' | 'totalAmount' | 'currency'>) {
  return { orderId, invoiceId: id, amount: totalAmount, currency, result: 'approved' };
}
