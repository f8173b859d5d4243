// The service of a noun offers every change of its description, whatever its own file replaces.
import { expect, test } from 'vitest';
import { order } from '../../src/resources/orders/orders.ts';
import { tag } from '../../src/resources/tags.ts';
import { writesOf } from '../../src/services/changing/writes.ts';
import { defineService } from '../../src/services/service.ts';

test('own writes replace the derived ones, and only declared ones are offered', () => {
  const writes = writesOf(tag);
  const { create, update, remove, archive } = defineService(tag, { writes });
  expect([create, update, remove, archive]).toEqual([writes.create, writes.update, writes.remove, undefined]);
});

test('the compiler requires what a description declares and nothing can derive', () => {
  const { create, writeScope } = writesOf(tag);
  // @ts-expect-error: a tag is changed and removed too.
  defineService(tag, { writes: { writeScope, create } });
  // @ts-expect-error: a tag has no actions.
  expect(() => defineService(tag, { actions: { cancel: create } })).not.toThrow();
  // @ts-expect-error: an order is canceled.
  expect(() => defineService(order)).toThrow('Order has no cancel');
});
