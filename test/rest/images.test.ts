// Images in use: they are not deleted, and the refusal lists their users.
import { expect, test } from 'vitest';
import { sharedGateway } from '../support/gateway.ts';
import { createRestClient } from '../support/rest-client.ts';

const client = await createRestClient(await sharedGateway());
const below = (path: string) => `/api/v2/workspaces/${client.workspaceId}/${path}`;

async function sent(method: string, path: string, body?: object) {
  const { status, text } = await client.send(method, path, body);
  return { status, object: JSON.parse(text || '{}') as { id: number; detail: string } };
}

const newImage = async () =>
  (await sent('POST', below('images'), { image: { upload_source_url: 'https://example.com/a.png' } })).object
    .id;
const remove = (id: number) => sent('DELETE', `/api/v2/images/${id}`);

test('an image that products, variants or collections use is not deleted: the refusal lists them', async () => {
  const [shown, shared, ofVariant] = [await newImage(), await newImage(), await newImage()];
  const product = async (members: object) =>
    (await sent('POST', below('products'), { product: { visible_in_store: true, ...members } })).object.id;
  const tent = await product({ name: 'Tent', image_ids: [shown], seo_image_id: String(shared) });
  const stove = await product({ name: 'Stove', image_ids: [shared] });
  const { text } = await client.send('GET', `/api/v2/products/${stove}`);
  const { default_variant_id: variant } = JSON.parse(text);
  await sent('PUT', `/api/v2/products/variants/${variant}`, { products_variant: { image_ids: [ofVariant] } });
  expect(await remove(shown)).toMatchObject({
    status: 409,
    object: { detail: 'The image is used by the product "Tent" and was not deleted.' },
  });
  await sent('POST', below('products/collections'), {
    products_collection: { name: 'Camp', image_id: String(shared) },
  });
  for (const used of ['product "Tent"', 'product "Stove"', 'collection "Camp"'])
    expect((await remove(shared)).object.detail).toContain(`the ${used}`);
  expect((await remove(ofVariant)).object.detail).toContain('variant "Stove"');
  await sent('PUT', `/api/v2/products/${tent}`, { product: { image_ids: [] } });
  expect((await remove(shown)).status).toBe(204);
});

test('an image that a store uses is not deleted, and another workspace’s image cannot be used', async () => {
  const image = await newImage();
  const made = await sent('POST', below('stores'), {
    store: { name: 'Shop', social_image_id: String(image) },
  });
  expect(made).toMatchObject({ status: 201, object: { social_image_id: String(image), status: 'draft' } });
  expect(await remove(image)).toMatchObject({
    status: 409,
    object: { detail: expect.stringContaining('the store "Shop"') },
  });
  const unknown = { store: { social_image_id: String(image + 1_000_000) } };
  expect((await sent('PUT', `/api/v2/stores/${made.object.id}`, unknown)).status).toBe(422);
  expect((await sent('DELETE', `/api/v2/stores/${made.object.id}`)).status).toBe(204);
  expect((await remove(image)).status).toBe(204);
});
