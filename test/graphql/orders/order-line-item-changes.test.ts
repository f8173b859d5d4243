// Changes of lines of subscriptions over GraphQL: the same as over REST.
import { expect, test } from 'vitest';
import { sharedGateway } from '../../support/gateway.ts';
import { post } from '../../support/graphql.ts';
import { anotherPrice, openTill } from '../../support/orders/money.ts';
import { offer } from '../../support/orders/shop.ts';

const gateway = await sharedGateway();
const till = await openTill(gateway);
const { caller, workspaceId } = till.client;
const goods = await offer(gateway.app, workspaceId, { amount: '10.00', paymentType: 'subscription' });
const dearer = await anotherPrice(gateway.app, { workspaceId, goods, amount: '20.00' });

const CHANGE = `preview: isPreview newLineItem { id unitPrice { amount currency } price { databaseId } isProrated }
  previousLineItem { unitPrice { amount } } upcomingInvoice { totalAmount { amount currency } nextInvoiceDate }`;

test('a line previews a change, and a mutation performs it', async () => {
  const { id } = await till.order([[goods, 1]], {
    ...{ order_type: 'subscription-order', billing_status: 'paid', service_status: 'active' },
  });
  const [line] = (await till.get(`orders/${id}`))['line_items'] as { id: number }[];
  const lineId = btoa(`OrderLineItem:${line?.id}`);
  const priceId = btoa(`ProductPrice:${dearer.priceId}`);
  const previewed = await post(
    gateway,
    {
      query: `query ($lineId: ID!, $priceId: ID!) { node(id: $lineId) { ... on OrderLineItem {
        changePreview(priceId: $priceId, prorate: true, effectiveTime: NOW) { ${CHANGE} } } } }`,
      variables: { lineId, priceId },
    },
    { caller },
  );
  const change = {
    newLineItem: { id: lineId, unitPrice: { amount: '20.00', currency: 'EUR' }, isProrated: true },
    previousLineItem: { unitPrice: { amount: '10.00' } },
    // The whole period is left.
    upcomingInvoice: { totalAmount: { amount: '10.00', currency: 'EUR' } },
  };
  expect(previewed).toMatchObject({
    data: { node: { changePreview: { preview: true, ...change } } },
  });
  const performed = await post(
    gateway,
    {
      query: `mutation ($input: PerformLineItemChangeInput!) { performLineItemChange(input: $input) { lineItemChange { ${CHANGE} } } }`,
      variables: { input: { orderLineItemId: lineId, priceId, prorate: true } },
    },
    { caller },
  );
  expect(performed).toMatchObject({
    data: { performLineItemChange: { lineItemChange: { preview: false, ...change } } },
  });
  const again = await post(
    gateway,
    {
      query: `query ($lineId: ID!, $priceId: ID!) { node(id: $lineId) { ... on OrderLineItem {
        changePreview(priceId: $priceId) { preview: isPreview } } } }`,
      variables: { lineId, priceId },
    },
    { caller },
  );
  expect(again.errors?.[0]?.extensions).toMatchObject({ code: 'INVALID', field: 'priceId' });
});
