// The columns of a transaction of which nothing is known.
import type { transaction } from '../../../resources/orders/order-transactions.ts';
import type { Special } from '../table.ts';

export const transactionTable: Special<typeof transaction> = {
  computed: { billingPaymentInstructionId: 'null::text', billingPaymentInstructionType: 'null::text' },
};
