// The columns of a transaction that follow from its refunds, and those that are always empty.
import { REFUND_IN_PAYMENT, transaction } from '../../../resources/orders/order-transactions.ts';
import { REFUNDED_OF_PAYMENT } from '../../sql/refunds.ts';
import { otherAsJson } from '../../sql/row-json.ts';
import { makeTable, ownTable } from '../table.ts';

const NOTHING_KNOWN = {
  billingPaymentInstructionId: 'null::text',
  billingPaymentInstructionType: 'null::text',
} as const;

const { name, columns } = makeTable(transaction, { computed: NOTHING_KNOWN });
const REFUNDS = { name, columns, resource: { ...transaction, fields: REFUND_IN_PAYMENT } };

const LAST_REFUND = `(select max(r.id) from order_transactions r
  where r.workspace_id = $row_workspace and r.adjusted_transaction_id = t.id)`;

export const transactionTable = ownTable(transaction, {
  computed: {
    ...NOTHING_KNOWN,
    refundedAmount: REFUNDED_OF_PAYMENT,
    refundId: LAST_REFUND,
    refund: otherAsJson(
      REFUNDS,
      `order_transactions.workspace_id = $row_workspace and order_transactions.id = ${LAST_REFUND}`,
    ),
  },
});
