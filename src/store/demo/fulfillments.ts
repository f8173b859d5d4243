// What a workspace of the demo has sent of its first orders that were paid.
import { settleLines, takeNumber } from '../changing/fulfillments.ts';
import type { Filling } from './demo.ts';

/** How each invoice was sent, in the order of their ids: whether whole, and what became of it. */
const SENT = [
  { tracking: 'RR 481 516 234 AT', provider: 'Post', status: 'fulfilled', whole: true },
  { tracking: 'JD01 4600 0842 9917', provider: 'DHL Express', status: 'fulfilled', whole: true },
  { tracking: null, provider: null, status: 'fulfilled', whole: false },
  { tracking: 'RR 481 516 235 AT', provider: 'Post', status: 'cancelled', whole: true },
] as const;

interface Line {
  readonly id: bigint;
  readonly invoiceId: bigint;
  readonly contactId: bigint;
  readonly quantity: number;
  readonly paidAt: Date;
}

/** Sends goods from the workspace's first location. */
export async function insertFulfillments({ tx, workspaceId, insert }: Filling): Promise<void> {
  const location = await tx.fulfillmentLocation.findFirst({ where: { workspaceId }, orderBy: { id: 'asc' } });
  if (location === null) return;
  const lines = await tx.$queryRaw<Line[]>`
    select l.id, l.invoice_id as "invoiceId", o.contact_id as "contactId", l.quantity, i.paid_at as "paidAt"
    from order_invoice_line_items l join order_invoices i on i.workspace_id = l.workspace_id and i.id = l.invoice_id
      join orders o on o.workspace_id = i.workspace_id and o.id = i.order_id
    where l.workspace_id = ${workspaceId} and l.fulfillment_status = 'unfulfilled' and i.status = 'paid' order by l.invoice_id, l.id`;
  const invoices = [...Map.groupBy(lines, ({ invoiceId }) => invoiceId)].slice(0, SENT.length);
  for (const [index, [invoiceId, all]] of invoices.entries()) {
    const [how, [first]] = [SENT[index], all];
    if (how === undefined || first === undefined) break;
    // The day after it was paid.
    const at = new Date(first.paidAt.getTime() + 86_400_000);
    const fulfillmentNumber = await takeNumber(tx, workspaceId);
    const [made] = await insert('Fulfillment', [how], ({ status, provider, tracking }) => ({
      ...{ fulfillmentNumber, contactId: first.contactId, locationId: location.id, createdAt: at },
      ...{ status, shippingProvider: provider, trackingCode: tracking },
    }));
    if (made === undefined) break;
    const sent = how.whole ? all : [{ ...first, quantity: 1 }];
    await insert('FulfillmentLineItem', sent, ({ id, quantity }) => ({
      ...{ fulfillmentId: made.id, invoicesLineItemId: id, quantity },
    }));
    const [settled] = await settleLines(tx, workspaceId, [invoiceId]);
    await tx.$executeRaw`update order_invoice_line_items set updated_at = ${at} where workspace_id = ${workspaceId} and invoice_id = ${invoiceId}`;
    await tx.$executeRaw`update order_invoices set fulfillment_status = ${settled?.status}, updated_at = ${at}
      where workspace_id = ${workspaceId} and id = ${invoiceId}`;
  }
}
