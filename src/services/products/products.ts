// Products: each is created with its default variant, and orders its own variants and prices.
import { requireScope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { invalidFields } from '../../errors.ts';
import { type Moment, writableFields } from '../../resources/description/inputs.ts';
import { variant } from '../../resources/product-variants.ts';
import { type ProductRow, product } from '../../resources/products.ts';
import { updateTaggedProducts } from '../../store/changing/tagged-products.ts';
import { findById } from '../../store/reading/rows.ts';
import { variantTable } from '../../store/tables/product-variants.ts';
import { productTable } from '../../store/tables/products.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { writesOf } from '../changing/writes.ts';
import { columnsOf, defaultsOf } from '../input/column-values.ts';
import type { Input } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';

const PRODUCTS = tableOf(productTable);
const VARIANT = defaultsOf(writableFields(variant, 'creation'));
/** The type of a product's first variant, as in the public API. */
const DIGITAL = { productType: 'digital' };
/** The lists that order a product's variants and prices. */
const ORDER_LISTS = ['variantIds', 'priceIds'] as const;

const writes = writesOf(product, {
  updateOtherTables: updateTaggedProducts,
  children: [{ property: 'variants', table: tableOf(variantTable) }],
  companions: ({ name }) => ({
    variants: [
      {
        verb: 'create',
        index: 0,
        given: columnsOf(variant, { ...VARIANT, ...DIGITAL, name, isDefault: true }),
      },
    ],
  }),
});
export const { writeScope, archive, unarchive } = writes;

/** Creates a product with its default variant. @throws AppError as for every noun */
export async function create(ctx: Context, workspace: Ref, input: Input, options: WriteOptions) {
  await requireOwn(ctx, input, 'creation', null);
  return writes.create(ctx, workspace, input, options);
}

/** Changes a product. @throws AppError `invalid` for variants or prices of another one, and as for every noun */
export async function update(ctx: Context, ref: Ref, input: Input, options: WriteOptions) {
  await requireOwn(ctx, input, 'change', ref);
  return writes.update(ctx, ref, input, options);
}

/** Requires that these lists have only the product's own objects. @param ref null: the product is new and has none yet */
async function requireOwn(ctx: Context, input: Input, moment: Moment, ref: Ref | null): Promise<void> {
  const { tenancy } = requireScope(ctx, writeScope);
  const given: Partial<ProductRow> = writes.parse(input, moment);
  if (ORDER_LISTS.every((property) => given[property] === undefined)) return;
  const row =
    ref === null
      ? null
      : await findById(ctx, PRODUCTS, tenancy, parseRef(PRODUCTS.title, PRODUCTS.name, ref));
  // The change itself reports that there is no such product.
  if (ref !== null && row === null) return;
  const errors = ORDER_LISTS.flatMap((property) => {
    const others = (given[property] ?? []).filter((id) => row?.[property].includes(id) !== true);
    const field = input.nameOf(property, product.fields[property]);
    const message = 'must name only what the product has';
    const which = `, not ${others.slice(0, 5).join(', ')}`;
    return others.length === 0 ? [] : [{ code: 'not_found' as const, field, message, which }];
  });
  if (errors.length > 0) throw invalidFields(errors);
}

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(product, { writes: { writeScope, create, update, archive, unarchive } });
