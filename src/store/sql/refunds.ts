// SQL of the sum of refunds, with the digits of the currency.

/** @param refunds the condition on transactions `r` and the row `t` @param amount an amount of the row `t`, for its digits */
const sumOf = (
  refunds: string,
  amount: string,
) => `(select coalesce(sum(r.amount), 0 * ${amount}) from order_transactions r
  where r.workspace_id = $row_workspace and ${refunds})`;

/** Of the order `t`. The index `order_refunds_idx` has refunds alone: an order may have thousands of payments. */
export const REFUNDED_OF_ORDER = sumOf(
  'r.order_id = t.id and r.adjusted_transaction_id is not null',
  't.total_amount',
);

/** Of the payment `t`. */
export const REFUNDED_OF_PAYMENT = sumOf('r.adjusted_transaction_id = t.id', 't.amount');
