// The events of orders and invoices, in the topics of both and of the order's type: `one-time-order` and `subscription`.
import { invoice } from '../../resources/orders/order-invoices.ts';
import { order } from '../../resources/orders/orders.ts';
import { publicJson } from '../../rows/shown-json.ts';
import type { ChangeRecord } from '../changing/records.ts';

/** An object with its JSON after the change. Endpoints get what REST shows of it. */
interface SubjectSnapshot {
  readonly id: bigint;
  readonly json: string;
}

/**
 * Makes an event of this type. Types that end in `invoice.` and a word are about the invoice, others about the order. @param of must have
 * that object
 */
export function orderEvent(
  type: string,
  of: { readonly order?: SubjectSnapshot | undefined; readonly invoice?: SubjectSnapshot | undefined },
): ChangeRecord['events'][number] {
  const isOfInvoice = /\binvoice\.\w+$/.test(type);
  const subject = isOfInvoice ? of.invoice : of.order;
  if (subject === undefined) throw new TypeError(`${type} is of nothing`);
  const at = type.indexOf('.');
  return {
    resource: { ...(isOfInvoice ? invoice : order), topic: type.slice(0, at) },
    name: type.slice(at + 1),
    subjectId: subject.id,
    data: publicJson(isOfInvoice ? invoice : order, subject.json),
  };
}
