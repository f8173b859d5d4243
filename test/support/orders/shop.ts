// A shop to order from, written with SQL, and its orders as tests read them.
import type { App } from '../../../src/context.ts';
import { types } from '../../../src/store/sql/value-types.ts';

/** One variant of a product of its own, with one price. */
export interface Goods {
  readonly productId: bigint;
  readonly variantId: bigint;
  readonly priceId: bigint;
}

export interface Offer {
  readonly name?: string;
  readonly amount?: string;
  readonly currency?: string;
  readonly setup?: string;
  /** The amount of a trial of 14 days. */
  readonly trial?: string;
  readonly paymentType?: 'one_time' | 'subscription' | 'payment_plan';
  /** The quantity in stock; absent: the stock is not counted. */
  readonly stock?: number;
  readonly outOfStockSales?: boolean;
}

/** Puts something on offer. */
export async function offer(app: App, workspaceId: bigint, of: Offer = {}): Promise<Goods> {
  const { name = 'Mug', amount = '12.00', currency = 'EUR', setup = null, trial = null, stock = null } = of;
  const ask = async (text: string, values: unknown[]) => {
    const { rows } = await app.store.pool.query<{ id: bigint }>({
      text: `${text} returning id`,
      values,
      types,
    });
    return rows[0]?.id ?? 0n;
  };
  const productId = await ask('insert into products (workspace_id, name) values ($1, $2)', [
    workspaceId,
    name,
  ]);
  const variantId = await ask(
    `insert into product_variants (workspace_id, product_id, name, sku, is_default, track_quantity, quantity, out_of_stock_sales)
      values ($1, $2, $3, 'SKU-1', true, $4, $5, $6)`,
    [workspaceId, productId, `${name}, white`, stock !== null, stock, of.outOfStockSales ?? false],
  );
  const priceId = await ask(
    `insert into product_prices (workspace_id, product_id, variant_id, name, amount, currency, setup_amount, payment_type,
        trial_amount, trial_duration)
      values ($1, $2, $3, 'Usual', $4, $5, $6, $7, coalesce($8::numeric, 0), case when $8::numeric is null then 0 else 14 end)`,
    [workspaceId, productId, variantId, amount, currency, setup, of.paymentType ?? 'one_time', trial],
  );
  return { productId, variantId, priceId };
}

/** A line of an order in the form of REST. */
export function line({ variantId, priceId }: Goods, quantity = 1) {
  return { variant_id: Number(variantId), products_price_id: Number(priceId), quantity };
}
