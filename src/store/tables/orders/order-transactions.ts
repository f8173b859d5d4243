// The columns of a transaction of which nothing is known.
import { transaction } from '../../../resources/orders/order-transactions.ts';
import { ownTable } from '../table.ts';

export const transactionTable = ownTable(transaction, {
  computed: { billingPaymentInstructionId: 'null::text', billingPaymentInstructionType: 'null::text' },
});
