// The money that was taken for the orders of a workspace of the demo, and paid back; and what came back of one that was canceled.
import { drawIds } from '../../changing/ids.ts';
import type { Demo } from '../demo.ts';

const DAY_MS = 86_400_000;

/** Records a payment of each invoice that was paid, and where it was refunded, the refund a week later. The things come back with the first. */
export async function insertTransactions({ tx }: Demo, workspaceId: bigint): Promise<void> {
  const invoices = await tx.orderInvoice.findMany({
    where: { workspaceId, status: { in: ['paid', 'refunded'] } },
    include: { lineItems: true },
    orderBy: { id: 'asc' },
  });
  const refunded = invoices.filter(({ status }) => status === 'refunded');
  const ids = await drawIds(tx, 'order_transactions', invoices.length + refunded.length);
  const payments = invoices.map(({ id, orderId, totalAmount, currency, status, ...invoice }, index) => ({
    ...{ id: ids[index] ?? 0n, workspaceId, orderId, invoiceId: id, amount: totalAmount, currency },
    ...{ status: status === 'paid' ? 'completed' : status, result: 'approved' },
    ...{ externalId: `ch_demo_${invoice.invoiceNumber}`, externalType: 'charge' },
    ...timesOf(invoice.paidAt ?? invoice.createdAt),
  }));
  const refunds = refunded.map(({ id }, index) => {
    const payment = payments.find(({ invoiceId }) => invoiceId === id) as (typeof payments)[0];
    return {
      ...payment,
      ...{ id: ids[payments.length + index] ?? 0n, adjustedTransactionId: payment.id, status: 'completed' },
      ...{ externalId: payment.externalId.replace('ch_', 're_'), externalType: 'refund' },
      ...{ reason: 'requested_by_customer', ...timesOf(new Date(payment.createdAt.getTime() + 7 * DAY_MS)) },
    };
  });
  await tx.orderTransaction.createMany({ data: payments });
  await tx.orderTransaction.createMany({ data: refunds });
  // Amounts keep their digits.
  await tx.$executeRaw`update order_transactions t set amount = i.total_amount from order_invoices i
    where t.workspace_id = ${workspaceId} and i.workspace_id = t.workspace_id and i.id = t.invoice_id`;
  await tx.$executeRaw`update order_invoices set paid_amount = total_amount where workspace_id = ${workspaceId} and status = 'paid'`;
  const [first] = refunded;
  const [refund] = refunds;
  if (first === undefined || refund === undefined) return;
  const [restockId = 0n] = await drawIds(tx, 'order_restocks', 1);
  await tx.orderRestock.create({
    data: { id: restockId, workspaceId, invoiceId: first.id, ...timesOf(refund.createdAt) },
  });
  await tx.orderRestockLineItem.createMany({
    data: first.lineItems.map(({ id, quantity }) => ({
      workspaceId,
      restockId,
      invoiceLineItemId: id,
      quantity,
    })),
  });
}

const timesOf = (at: Date) => ({ createdAt: at, updatedAt: at });
