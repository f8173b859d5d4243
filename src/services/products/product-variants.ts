// Variants of products: they have values only for properties of their product.
import { requireScope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { type Fault, type FieldError, invalidFields } from '../../errors.ts';
import type { Moment } from '../../resources/description/inputs.ts';
import { type VariantRow, variant } from '../../resources/product-variants.ts';
import { findById } from '../../store/reading/rows.ts';
import type { Tenancy } from '../../store/sql/tenancy.ts';
import { variantTable } from '../../store/tables/product-variants.ts';
import { productTable } from '../../store/tables/products.ts';
import { tableOf } from '../../store/tables/tables.ts';
import type { ChangeAnswer } from '../changing/mutate.ts';
import { writesOf } from '../changing/writes.ts';
import type { Input } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';

const PRODUCTS = tableOf(productTable);
const VARIANTS = tableOf(variantTable);

const writes = writesOf(variant);
export const { writeScope } = writes;

/** @throws AppError as for every noun */
export async function create(
  ctx: Context,
  parent: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<VariantRow>> {
  await requireProperties(ctx, input, 'creation', async () =>
    parseRef(PRODUCTS.title, PRODUCTS.name, parent),
  );
  return writes.create(ctx, parent, input, options);
}

/** @throws AppError as for every noun */
export async function update(
  ctx: Context,
  ref: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<VariantRow>> {
  await requireProperties(ctx, input, 'change', async (tenancy) => {
    const row = await findById(ctx, VARIANTS, tenancy, parseRef(VARIANTS.title, VARIANTS.name, ref));
    return row?.productId ?? null;
  });
  return writes.update(ctx, ref, input, options);
}

/**
 * Checks that each value is for a property of the product, and the only one for it. The value of a concurrently removed property stays
 * hidden.
 * @param findProduct called only if there are values; returns null if there is no such product: the change itself reports that
 * @throws AppError `invalid` blaming each item
 */
async function requireProperties(
  ctx: Context,
  input: Input,
  moment: Moment,
  findProduct: (tenancy: Tenancy) => Promise<bigint | null>,
): Promise<void> {
  const { tenancy } = requireScope(ctx, writeScope);
  const { propertiesValues = [] } = writes.parse(input, moment);
  if (propertiesValues.length === 0) return;
  const productId = await findProduct(tenancy);
  const found = productId === null ? null : await findById(ctx, PRODUCTS, tenancy, productId);
  if (found === null) return;
  const field = variant.fields.propertiesValues;
  const { propertyId } = field.items;
  const list = input.nameOf('propertiesValues', field);
  const ids = propertiesValues.map((item) => item.propertyId);
  const errors = ids.flatMap((id, index): FieldError[] => {
    const isKnown = found.variantProperties.some((property) => property.id === id);
    if (isKnown && ids.indexOf(id) === index) return [];
    const name = `${list}[${index}].${input.nameOf('propertyId', propertyId)}`;
    const fault: Fault = isKnown
      ? { code: 'repeated', message: 'already has a value' }
      : { code: 'not_found', message: 'there is no such variant property in the product' };
    return [{ ...fault, field: name }];
  });
  if (errors.length > 0) throw invalidFields(errors);
}

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(variant, { writes: { writeScope, create, update } });
