// What a workspace of the demo sells: products with their variants and prices, tags and collections.
import type { ProductData } from './data/shape.ts';
import { type Filling, type Inserted, zip } from './demo.ts';

const ARCHIVED_DAYS_AGO = 200;

/** Inserts all of it. */
export async function insertCatalog({ insert, idOf, daysAgo, data }: Filling): Promise<void> {
  if (data.catalog === undefined) return;
  const { tags, products, collections } = data.catalog;

  async function insertParts({ id: productId, createdAt, data }: Inserted<ProductData>): Promise<void> {
    const properties = await insert('VariantProperty', data.properties, (name) => ({
      productId,
      name,
      createdAt,
    }));
    const variants = await insert('ProductVariant', data.variants, (variant, _, index) => {
      const { name, sku, values, stock, digital = false } = variant;
      return {
        ...{ productId, name, sku, isDefault: index === 0, weight: data.weight ?? null, createdAt },
        ...{ productType: digital ? 'digital' : 'physical', fulfillmentRequired: !digital },
        ...{ quantity: stock, trackQuantity: stock !== null },
        propertiesValues: zip(properties, values).map(([{ id }, value]) => ({
          property_id: Number(id),
          value,
        })),
      };
    });
    const prices = variants.flatMap(({ id }) => data.prices.map((price) => ({ ...price, variantId: id })));
    await insert('ProductPrice', prices, (price) => ({
      ...{ ...price, productId, currency: 'EUR', trialAmount: '0.00', createdAt },
    }));
  }

  await insert('ProductTag', Object.entries(tags), ([name, color]) => ({ name, color }));
  const tagged = (names: readonly string[] = []) => names.map((name) => idOf('ProductTag', name));
  const sold = await insert('Product', products, ({ name, path, tags, archived = false }) => ({
    ...{ name, currentPath: path, visibleInStore: !archived, tagIds: tagged(tags) },
    archivedAt: archived ? daysAgo(ARCHIVED_DAYS_AGO) : null,
  }));
  for (const product of sold) await insertParts(product);

  await insert('ProductCollection', collections, ({ name, products = [], tags, sortMethod }) => {
    const ids = products.map((product) => idOf('Product', product));
    return {
      ...{ name, sortMethod, productIds: ids, addedIds: ids, tagIds: tagged(tags) },
      ...{ collectionType: tags === undefined ? 'manual' : 'automatic', visibleInStore: true },
    };
  });
}
