// Rows over the JSON of a snapshot (src/rows/snapshot-rows.ts).
import { expect, test } from 'vitest';
import { tag } from '../../src/resources/tags.ts';
import { snapshotRows } from '../../src/rows/snapshot-rows.ts';

const toRow = snapshotRows<{ id: bigint; workspaceId: bigint; name: string }>(tag);

test('the id at the beginning of a snapshot is read exactly, without parsing the rest', () => {
  expect(toRow('{"id":9223372036854775807,"name":').id).toBe(9223372036854775807n);
});

test('all other properties, and an id elsewhere, are read from the parsed JSON', () => {
  const row = toRow('{"name":"{\\"id\\":5","workspace_id":9223372036854775806,"id":7}');
  expect(row).toMatchObject({ id: 7n, name: '{"id":5', workspaceId: 9223372036854775806n });
});
