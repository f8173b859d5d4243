// What a workspace of the demo sells: products with their variants and prices, tags and collections.
import type { PublicIdTable } from '../sql/public-ids.ts';
import type { CatalogData, ProductData } from './data/shape.ts';
import { type Demo, idsByName, newRows } from './demo.ts';
import { type Named, requireNamed, zip } from './named.ts';

/** The age in days of the first product, and how much younger each further one is. */
const FIRST = 620;
const STEP = 45;

/** @returns the products' ids by name */
export async function insertCatalog(
  demo: Demo,
  workspaceId: bigint,
  { tags, products, collections }: CatalogData,
): Promise<Named> {
  const { tx } = demo;
  const rowsOf = <Data>(table: PublicIdTable, all: readonly Data[], at: (index: number) => Date) =>
    newRows(demo, table, workspaceId, all, at);

  async function insertProduct(productId: bigint, createdAt: Date, data: ProductData): Promise<void> {
    const at = () => createdAt;
    const properties = await rowsOf('variant_properties', data.properties, at);
    await tx.variantProperty.createMany({
      data: properties.map(({ columns, data: name }) => ({ ...columns, productId, name })),
    });
    const variants = await rowsOf('product_variants', data.variants, at);
    await tx.productVariant.createMany({
      data: variants.map(({ columns, data: { name, sku, values, stock, digital = false } }, index) => ({
        ...{ ...columns, productId, name, sku, isDefault: index === 0, weight: data.weight ?? null },
        ...{ productType: digital ? 'digital' : 'physical', fulfillmentRequired: !digital },
        ...{ quantity: stock, trackQuantity: stock !== null },
        propertiesValues: zip(properties, values).map(([{ id }, value]) => ({
          ...{ property_id: Number(id), value },
        })),
      })),
    });
    const offers = variants.flatMap(({ id }) => data.prices.map((price) => ({ ...price, variantId: id })));
    const prices = await rowsOf('product_prices', offers, at);
    await tx.productPrice.createMany({
      data: prices.map(({ columns, data: price }) => ({
        ...columns,
        ...price,
        productId,
        currency: 'EUR',
        trialAmount: '0.00',
      })),
    });
  }

  const old = () => demo.daysAgo(FIRST);
  const named = await rowsOf('product_tags', Object.entries(tags), old);
  await tx.productTag.createMany({
    data: named.map(({ columns, data: [name, color] }) => ({ ...columns, name, color })),
  });
  const tagIds: Named = new Map(named.map(({ id, data: [name] }) => [name, id]));
  const tagged = (names: readonly string[] = []) => names.map((name) => requireNamed(tagIds, 'tag', name));

  const sold = await rowsOf('products', products, (index) => demo.daysAgo(FIRST - index * STEP));
  await tx.product.createMany({
    data: sold.map(({ columns, data: { name, path, tags, archived = false } }) => ({
      ...{ ...columns, name, currentPath: path, visibleInStore: !archived, tagIds: tagged(tags) },
      archivedAt: archived ? demo.daysAgo(200) : null,
    })),
  });
  for (const { id, columns, data } of sold) await insertProduct(id, columns.createdAt, data);
  const productIds = idsByName(sold);

  await tx.productCollection.createMany({
    data: (await rowsOf('product_collections', collections, old)).map(({ columns, data }) => {
      const { name, products = [], tags, sortMethod } = data;
      const ids = products.map((product) => requireNamed(productIds, 'product', product));
      return {
        ...{ ...columns, name, sortMethod, productIds: ids, addedIds: ids, tagIds: tagged(tags) },
        ...{ collectionType: tags === undefined ? 'manual' : 'automatic', visibleInStore: true },
      };
    }),
  });
  return productIds;
}
