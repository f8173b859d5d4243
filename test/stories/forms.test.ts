import { expect, test } from 'vitest';
import { newClient } from './client.ts';

test('a form: it is made, filled in by somebody known and by nobody known, and read', async () => {
  const client = await newClient();
  const { workspace } = client;

  const form = await client.post(`${workspace}/forms`, { form: { name: 'Course request' } });
  const set = await client.post(`/forms/${form.id}/field_sets`, {
    forms_field_set: { title: 'Your course' },
  });
  const field = (forms_field: object) => client.post(`/forms/field_sets/${set.id}/fields`, { forms_field });
  const email = await field({ key: 'email', label: 'E-mail address', field_type: 'email' });
  const level = await field({ key: 'level', label: 'How well do you climb?', field_type: 'select' });
  const option = (label: string) =>
    client.post(`/forms/fields/${level.id}/options`, { forms_fields_option: { label } });
  const [never, often] = [await option('Never tried'), await option('Every week')];

  const mias = await client.post(`/forms/${form.id}/submissions`, {
    forms_submission: {
      answers_attributes: [
        { field_id: email.id, entry: 'mia@example.com' },
        { field_id: level.id, fields_option_id: often.id },
      ],
    },
  });
  expect(await client.get(`/contacts/${mias.contact_id}`)).toMatchObject({
    email_address: 'mia@example.com',
  });

  const nobodys = await client.post(`/forms/${form.id}/submissions`);
  const answers = `/forms/submissions/${nobodys.id}/answers`;
  expect(
    await client.refused('POST', answers, {
      forms_submissions_answer: { field_id: level.id, fields_option_ids: [never.id, often.id] },
    }),
  ).toEqual([422, 'invalid', 'fields_option_ids']);
  await client.post(answers, {
    forms_submissions_answer: { field_id: level.id, fields_option_id: never.id },
  });
  expect(await client.get(`/contacts/${nobodys.contact_id}`)).toMatchObject({ anonymous: 1 });

  const all = await client.get(`${workspace}/form_submissions`);
  expect(all).toMatchObject([
    { data: { email: 'mia@example.com', level: 'Every week' } },
    { data: { level: 'Never tried' } },
  ]);
  await client.patch(`/forms/submissions/${nobodys.id}`, {
    forms_submission: { contact_id: mias.contact_id },
  });
  const hers = await client.get(`${workspace}/form_submissions?filter[contact_id]=${mias.contact_id}`);
  expect(hers).toHaveLength(2);
});
