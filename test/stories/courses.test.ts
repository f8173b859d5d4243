import { expect, test } from 'vitest';
import { newClient } from './client.ts';

test('a course: it is sold, learned to the end, and closed when the money goes back', async () => {
  const client = await newClient();
  const { workspace } = client;

  const course = await client.post(`${workspace}/courses`, { course: { title: 'Ten knots' } });
  const section = await client.post(`/courses/${course.id}/sections`, {
    courses_section: { title: 'At the tent' },
  });
  const [hitch, bowline] = [
    await client.post(`/courses/sections/${section.id}/lessons`, {
      courses_lesson: { title: 'The clove hitch' },
    }),
    await client.post(`/courses/sections/${section.id}/lessons`, {
      courses_lesson: { title: 'The bowline' },
    }),
  ];

  const product = await client.post(`${workspace}/products`, {
    product: { name: 'Ten knots', course_ids: [course.id] },
  });
  const price = await client.post(`/products/${product.id}/prices`, {
    products_price: { amount: '29.00', currency: 'EUR' },
  });
  const order = await client.post(`${workspace}/orders`, {
    order: {
      order_type: 'one-time-order',
      live_mode: true,
      contact_attributes: { email_address: 'mia@example.com' },
      line_items_attributes: [
        { variant_id: product.default_variant_id, products_price_id: price.id, quantity: 1 },
      ],
    },
  });
  const enrollments = `/courses/${course.id}/enrollments`;
  expect(await client.get(enrollments)).toEqual([]);
  const [invoice] = await client.get(`/orders/${order.id}/invoices`);
  const payment = await client.post(`/orders/${order.id}/transactions`, {
    orders_transaction: { invoice_id: invoice.id, amount: '29.00', currency: 'EUR', external_id: 'pay_1' },
  });
  const [enrollment] = await client.get(enrollments);
  expect(enrollment).toMatchObject({ contact_id: order.contact_id, origination_source_id: order.id });

  for (const lesson of [hitch, bowline])
    await client.post(`/courses/${course.id}/lesson_completions`, {
      courses_lesson_completion: { enrollment_id: enrollment.id, lesson_id: lesson.id },
    });
  const member = `/courses/enrollments/${enrollment.id}`;
  expect((await client.get(`${member}?expand[]=completed_at`)).completed_at).not.toBeNull();

  await client.post(`/orders/transactions/${payment.id}/refund`, {});
  expect(await client.get(member)).toMatchObject({
    suspended: true,
    suspension_reason: 'The order was refunded.',
  });
});
