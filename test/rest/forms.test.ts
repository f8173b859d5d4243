// Forms: fields in their order.
import { beforeEach, describe, expect, test } from 'vitest';
import { sharedGateway } from '../support/gateway.ts';
import { createRestClient, type RestClient } from '../support/rest-client.ts';

const gateway = await sharedGateway();
let client: RestClient;
let formId: number;
let fieldSetId: number;

const created = async (path: string, body: object = {}) => {
  const answer = await client.send('POST', `/api/v2/${path}`, body);
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return answer.body;
};
const get = async (path: string) => {
  const answer = await client.send('GET', `/api/v2/${path}`);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return answer.body;
};
const newField = (members: object = {}) =>
  created(`forms/field_sets/${fieldSetId}/fields`, {
    forms_field: { key: 'why', label: 'Why?', ...members },
  });

beforeEach(async () => {
  client = await createRestClient(gateway);
  formId = (await created(`workspaces/${client.workspaceId}/forms`, { form: { name: 'Repair' } })).id;
  fieldSetId = (await created(`forms/${formId}/field_sets`, { forms_field_set: { title: 'What' } })).id;
});

describe('fields', () => {
  test('have a type, text by default, and the place in which they are put', async () => {
    const [one, two] = [await newField(), await newField({ key: 'mail', field_type: 'email', hidden: true })];
    expect([one, two]).toMatchObject([
      { field_set_id: fieldSetId, field_type: 'text', allow_multiple: false, hidden: false, sort_order: 0 },
      { field_type: 'email', hidden: true, sort_order: 1 },
    ]);
    const fields = `/api/v2/forms/field_sets/${fieldSetId}/fields`;
    expect((await client.send('POST', `${fields}/reorder`, { ids_in_order: [two.id, one.id] })).status).toBe(
      204,
    );
    expect(await get(`forms/fields/${two.id}`)).toMatchObject({ sort_order: 0 });
    expect(
      await client.refused(422, 'POST', fields, {
        forms_field: { key: 'k', label: 'l', field_type: 'colour' },
      }),
    ).toEqual(['field_type']);
  });
});
