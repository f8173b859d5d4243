// Forms: fields in their order, submissions whose answers fit their fields, and whose personal data follows their contact.
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { untilDoneOrWaiting } from '../support/lock-waits.ts';
import { createRestClient, type RestClient, sendingAs } from '../support/rest-client.ts';

const gateway = await sharedGateway();
const { app } = gateway;
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
const change = async (path: string, body: object) => {
  const answer = await client.send('PATCH', `/api/v2/${path}`, body);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return answer.body;
};
const list = async (path: string) =>
  (await get(path)) as unknown as (typeof client extends never ? never : Shown)[];
type Shown = Awaited<ReturnType<typeof get>>;

const newField = (members: object = {}) =>
  created(`forms/field_sets/${fieldSetId}/fields`, {
    forms_field: { key: 'why', label: 'Why?', ...members },
  });
const newOption = (fieldId: number, label: string) =>
  created(`forms/fields/${fieldId}/options`, { forms_fields_option: { label } });
const submit = (members: object = {}) =>
  created(`forms/${formId}/submissions`, { forms_submission: members });
const answersOf = (submissionId: number) => `/api/v2/forms/submissions/${submissionId}/answers`;
const answer = (submissionId: number, members: object) =>
  client.send('POST', answersOf(submissionId), { forms_submissions_answer: members });

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

  test('a change of a field changes its field set', async () => {
    const field = await newField();
    const before = await get(`forms/field_sets/${fieldSetId}`);
    await change(`forms/fields/${field.id}`, { forms_field: { label: 'How?' } });
    const after = await get(`forms/field_sets/${fieldSetId}`);
    expect(String(after['updated_at']) > String(before['updated_at'])).toBe(true);
  });
});

describe('an answer', () => {
  test('belongs to a field of the form of its submission', async () => {
    const other = await created(`workspaces/${client.workspaceId}/forms`, { form: { name: 'Other' } });
    const set = await created(`forms/${other.id}/field_sets`, { forms_field_set: { title: 'There' } });
    const foreign = await created(`forms/field_sets/${set.id}/fields`, {
      forms_field: { key: 'k', label: 'l' },
    });
    const { id } = await submit();
    const sent = { forms_submissions_answer: { field_id: foreign.id, entry: 'x' } };
    expect(await client.refused(422, 'POST', answersOf(id), sent)).toEqual(['field_id']);
    const whole = { forms_submission: { answers_attributes: [{ field_id: foreign.id, entry: 'x' }] } };
    expect(await client.refused(422, 'POST', `/api/v2/forms/${formId}/submissions`, whole)).toEqual([
      'answers_attributes[0].field_id',
    ]);
    await expect(
      app.store.pool.query(
        'insert into form_submission_answers (workspace_id, form_id, submission_id, field_id) values ($1, $2, $3, $4)',
        [client.workspaceId, formId, id, foreign.id],
      ),
    ).rejects.toThrow('form_submission_answers_field_id_fkey');
  });

  test('has options of its field, and several only if the field allows it', async () => {
    const one = await newField({ field_type: 'select' });
    const many = await newField({ key: 'all', field_type: 'checkbox', allow_multiple: true });
    const [a, b] = [await newOption(one.id, 'A'), await newOption(one.id, 'B')];
    const [c, d] = [await newOption(many.id, 'C'), await newOption(many.id, 'D')];
    const { id } = await submit();
    const refused = (members: object) =>
      client.refused(422, 'POST', answersOf(id), { forms_submissions_answer: members });
    expect(await refused({ field_id: one.id, fields_option_id: c.id })).toEqual(['fields_option_ids']);
    expect(await refused({ field_id: one.id, fields_option_ids: [a.id, b.id] })).toEqual([
      'fields_option_ids',
    ]);
    expect(await refused({ field_id: one.id, fields_option_id: a.id, fields_option_ids: [b.id] })).toEqual([
      'fields_option_ids',
    ]);
    expect(await refused({ field_id: one.id, fields_option_id: 'many' })).toEqual(['fields_option_id']);
    const single = await answer(id, { field_id: String(one.id), fields_option_id: String(b.id) });
    expect(single.body).toMatchObject({ fields_option_id: b.id, fields_option_ids: [b.id], entry: null });
    const several = await answer(id, { field_id: many.id, fields_option_ids: [d.id, c.id, d.id] });
    expect(several.body).toMatchObject({ fields_option_id: null, fields_option_ids: [d.id, c.id] });
    expect(await get(`form_submissions/${id}`)).toMatchObject({ data: { why: 'B', all: 'D, C' } });
    const path = `forms/submissions/answers/${several.body.id}`;
    expect(await change(path, { forms_submissions_answer: { fields_option_id: c.id } })).toMatchObject({
      fields_option_ids: [c.id],
    });
    // A field that no longer allows several leaves old answers, and takes no new ones.
    await change(`forms/fields/${many.id}`, { forms_field: { allow_multiple: false } });
    const both = { forms_submissions_answer: { fields_option_ids: [c.id, d.id] } };
    expect(await client.refused(422, 'PATCH', `/api/v2/${path}`, both)).toEqual(['fields_option_ids']);
    await client.send('DELETE', `/api/v2/forms/fields/options/${c.id}`);
    expect(await get(path)).toMatchObject({ fields_option_id: null, fields_option_ids: [] });
  });

  test.each<[type: string, valid: readonly string[], invalid: readonly string[]]>([
    ['text', ['anything\n'], []],
    ['textarea', ['two\nlines'], []],
    ['email', ['mia@example.com'], ['mia', 'mia@', '@example.com']],
    ['phone', ['+43 (1) 555-0100', '0664 123 45 67'], ['call me', '12', '+']],
    [
      'url',
      ['https://example.com/a', 'http://example.com'],
      ['example.com', 'javascript:alert(1)', 'ftp://a'],
    ],
    ['number', ['12', '-0.5', '1000000'], ['1e3', 'twelve', '1,5']],
    ['date', ['2026-02-28'], ['2026-02-30', '28.2.2026', '2026-2-28']],
    ['checkbox', ['true', 'false'], ['yes', 'on']],
    ['select', ['A'], ['B', 'a']],
    ['radio', ['A'], ['C']],
  ])('of a %s field has an entry of this type, or none', async (field_type, valid, invalid) => {
    const field = await newField({ field_type });
    if (['select', 'radio'].includes(field_type)) await newOption(field.id, 'A');
    const { id } = await submit();
    for (const entry of [...valid, '', null])
      expect([entry, (await answer(id, { field_id: field.id, entry })).status]).toEqual([entry, 201]);
    for (const entry of invalid) {
      const sent = { forms_submissions_answer: { field_id: field.id, entry } };
      expect([entry, await client.refused(422, 'POST', answersOf(id), sent)]).toEqual([entry, ['entry']]);
    }
  });

  test('has one choice, as an option or as the label of one, unless the field allows several', async () => {
    const one = await newField({ field_type: 'select' });
    const [a, b] = [await newOption(one.id, 'A'), await newOption(one.id, 'B')];
    const { id } = await submit();
    const beside = { field_id: one.id, fields_option_id: a.id, entry: 'B' };
    const sent = { forms_submissions_answer: beside };
    expect(await client.refused(422, 'POST', answersOf(id), sent)).toEqual(['entry']);
    const same = await answer(id, { field_id: one.id, fields_option_id: b.id, entry: 'B' });
    expect(same.status).toBe(201);
    expect(await get(`form_submissions/${id}`)).toMatchObject({ data: { why: 'B' } });
    await change(`forms/fields/${one.id}`, { forms_field: { allow_multiple: true } });
    expect((await answer(id, beside)).status).toBe(201);
    expect(await get(`form_submissions/${id}`)).toMatchObject({ data: { why: 'B, A, B' } });
  });

  test('is refused with all others of its submission that are wrong', async () => {
    const [email, number] = [
      await newField({ field_type: 'email' }),
      await newField({ key: 'n', field_type: 'number' }),
    ];
    const answers_attributes = [
      { field_id: email.id, entry: 'mia' },
      { field_id: number.id, entry: '7' },
      { field_id: number.id, entry: 'many' },
      { field_id: 999_999_999, entry: 'x' },
    ];
    const path = `/api/v2/forms/${formId}/submissions`;
    expect(await client.refused(422, 'POST', path, { forms_submission: { answers_attributes } })).toEqual([
      'answers_attributes[0].entry',
      'answers_attributes[2].entry',
      'answers_attributes[3].field_id',
    ]);
  });

  test('to an e-mail field is no longer than the address of a contact', async () => {
    const email = await newField({ field_type: 'email' });
    // Random, so that PostgreSQL cannot compress it for its index.
    const local = Array.from({ length: 4_000 }, () => Math.floor(Math.random() * 36).toString(36)).join('');
    const answers_attributes = [{ field_id: email.id, entry: `${local}@example.com` }];
    const path = `/api/v2/forms/${formId}/submissions`;
    expect(await client.refused(422, 'POST', path, { forms_submission: { answers_attributes } })).toEqual([
      'answers_attributes[0].entry',
    ]);
  });

  test('is checked against the field that a change gives it', async () => {
    const [text, number] = [await newField(), await newField({ key: 'n', field_type: 'number' })];
    const { id } = await submit();
    const { body } = await answer(id, { field_id: text.id, entry: 'many' });
    const path = `forms/submissions/answers/${body.id}`;
    const moved = { forms_submissions_answer: { field_id: String(number.id) } };
    expect(await client.refused(422, 'PATCH', `/api/v2/${path}`, moved)).toEqual(['entry']);
    await change(path, { forms_submissions_answer: { field_id: String(number.id), entry: '7' } });
    expect(await get(`form_submissions/${id}`)).toMatchObject({ data: { n: '7' } });
  });
});

describe('a submission', () => {
  test('is created with its answers, with one event that has their data', async () => {
    const why = await newField();
    const page = await factories.page(app, client.workspaceId, 'Contact us');
    const contact = await client.create();
    const submission = await submit({
      contact_id: contact.body.id,
      page_id: Number(page.id),
      answers_attributes: [{ field_id: why.id, entry: 'Broken' }],
    });
    expect(submission).toMatchObject({
      form_id: formId,
      contact_id: contact.body.id,
      page_id: Number(page.id),
      data: { why: 'Broken' },
    });
    expect(await get(`form_submissions/${submission.id}`)).toEqual(submission);
    expect(await get(`forms/submissions/${submission.id}`)).toEqual(submission);
    const { rows } = await app.store.pool.query<{ data: unknown; page: bigint }>(
      `select data, page_id::text as page from events where workspace_id = $1 and event_type = 'form_submission.created'`,
      [client.workspaceId],
    );
    expect(rows).toEqual([{ data: submission, page: String(page.id) }]);
    const { actions } = await client.recordOf(contact.body.id);
    expect(actions.toSorted()).toEqual([
      'contact.created',
      'form_submission.created',
      'forms/submissions/answer.created',
    ]);
  });

  test('finds its contact by e-mail address, or creates it; without one it has an anonymous contact', async () => {
    const known = await client.create({ email_address: 'mia@example.com' });
    const found = await submit({ contact_attributes: { email_address: ' MIA@example.com' } });
    expect(found['contact_id']).toBe(known.body.id);
    const fresh = await submit({ contact_attributes: { email_address: 'new@example.com' } });
    expect(await get(`contacts/${fresh['contact_id']}`)).toMatchObject({
      email_address: 'new@example.com',
      anonymous: 0,
    });
    const nobody = await submit();
    expect(await get(`contacts/${nobody['contact_id']}`)).toMatchObject({
      email_address: null,
      anonymous: 1,
    });
    expect((await client.recordOf(Number(nobody['contact_id']))).events).toEqual([
      'contact.created',
      'form_submission.created',
    ]);
    const both = { contact_id: known.body.id, contact_attributes: { email_address: 'new@example.com' } };
    expect(
      await client.refused(422, 'POST', `/api/v2/forms/${formId}/submissions`, { forms_submission: both }),
    ).toEqual(['contact_id']);
  });

  test('its e-mail answer names the contact, for a caller who may change contacts', async () => {
    const email = await newField({ key: 'email', field_type: 'email' });
    const known = await client.create({ email_address: 'mia@example.com' });
    const answers_attributes = [{ field_id: email.id, entry: 'mia@example.com' }];
    expect(await submit({ answers_attributes })).toMatchObject({ contact_id: known.body.id });
    const caller = await factories.apiKey(app, {
      teamId: client.teamId,
      scopes: ['forms:read', 'forms:write'],
    });
    const made = await sendingAs(gateway, caller)('POST', `/api/v2/forms/${formId}/submissions`, {
      forms_submission: { answers_attributes },
    });
    expect(made.status).toBe(201);
    expect(await get(`contacts/${made.body['contact_id']}`)).toMatchObject({
      email_address: null,
      anonymous: 1,
    });
    const named = { forms_submission: { contact_attributes: { email_address: 'mia@example.com' } } };
    expect(
      (await sendingAs(gateway, caller)('POST', `/api/v2/forms/${formId}/submissions`, named)).status,
    ).toBe(403);
  });

  test('that was created empty gets the contact of a later e-mail answer', async () => {
    const email = await newField({ key: 'email', field_type: 'email' });
    const why = await newField();
    const known = await client.create({ email_address: 'mia@example.com' });
    const first = await submit();
    const { body: reason } = await answer(first.id, { field_id: why.id, entry: 'mia@example.com' });
    expect(await get(`form_submissions/${first.id}`)).toMatchObject({ contact_id: first['contact_id'] });
    await answer(first.id, { field_id: email.id, entry: ' MIA@example.com' });
    expect(await get(`form_submissions/${first.id}`)).toMatchObject({
      contact_id: known.body.id,
      data: { email: ' MIA@example.com', why: 'mia@example.com' },
    });
    const { rows } = await app.store.pool.query<{ contact: number; action: string }>(
      `select contact_id::int as contact, action from audit_entries
        where workspace_id = $1 and action ~ '^form_submission|^forms/submissions' order by id`,
      [client.workspaceId],
    );
    // An erasure of the contact reaches what was recorded before.
    expect(rows.map(({ contact, action }) => [action, contact])).toEqual(
      [
        ...['form_submission.created', 'forms/submissions/answer.created'],
        ...['forms/submissions/answer.created', 'form_submission.updated'],
      ].map((action) => [action, known.body.id]),
    );
    // The contact has a name now, so another address does not change it.
    await change(`forms/submissions/answers/${reason.id}`, {
      forms_submissions_answer: { field_id: email.id, entry: 'leo@example.com' },
    });
    expect(await get(`form_submissions/${first.id}`)).toMatchObject({ contact_id: known.body.id });

    const second = await submit();
    const contactId = Number(second['contact_id']);
    const { body } = await answer(second.id, { field_id: email.id, entry: '' });
    await change(`forms/submissions/answers/${body.id}`, {
      forms_submissions_answer: { entry: 'new@example.com' },
    });
    expect(await get(`form_submissions/${second.id}`)).toMatchObject({ contact_id: contactId });
    expect(await get(`contacts/${contactId}`)).toMatchObject({
      email_address: 'new@example.com',
      anonymous: 0,
    });
    const { events } = await client.recordOf(contactId);
    expect(events.toSorted()).toEqual(
      ['contact.created', 'contact.identified', 'contact.updated', 'form_submission.created'].toSorted(),
    );
  });

  test('gets no contact from an answer of a caller who may not change contacts, nor if its contact was erased', async () => {
    const email = await newField({ key: 'email', field_type: 'email' });
    const [one, two] = [await submit(), await submit()];
    const scopes = ['forms:read', 'forms:write'];
    const caller = await factories.apiKey(app, { teamId: client.teamId, scopes });
    const sent = { forms_submissions_answer: { field_id: email.id, entry: 'mia@example.com' } };
    expect((await sendingAs(gateway, caller)('POST', answersOf(one.id), sent)).status).toBe(201);
    await client.send('DELETE', `/api/v2/contacts/${two['contact_id']}/gdpr_destroy`);
    expect((await client.send('POST', answersOf(two.id), sent)).status).toBe(201);
    for (const { contact_id } of [one, two])
      expect(await get(`contacts/${contact_id}`)).toMatchObject({ email_address: null, anonymous: 1 });
  });

  test('is not given to a contact that loses the address meanwhile', async () => {
    const email = await newField({ key: 'email', field_type: 'email' });
    const { id, contact_id: anonymous } = await submit();
    const { body: known } = await client.create({ email_address: 'mia@example.com' });
    const other = await app.store.pool.connect();
    await other.query('begin');
    await other.query('select from contacts where workspace_id = $1 and id = $2 for update', [
      client.workspaceId,
      known.id,
    ]);
    const answering = answer(id, { field_id: email.id, entry: 'mia@example.com' });
    await untilDoneOrWaiting(app, answering);
    await other.query('update contacts set email_address = $3 where workspace_id = $1 and id = $2', [
      ...[client.workspaceId, known.id, 'moved@example.com'],
    ]);
    await other.query('commit');
    other.release();
    expect((await answering).status).toBe(201);
    expect(await get(`form_submissions/${id}`)).toMatchObject({ contact_id: anonymous });
    expect(await get(`contacts/${anonymous}`)).toMatchObject({ email_address: 'mia@example.com' });
  });

  test('of several that get the same new address at once have one contact', async () => {
    const email = await newField({ key: 'email', field_type: 'email' });
    const submissions = await Promise.all(Array.from({ length: 4 }, () => submit()));
    const answers = await Promise.all(
      submissions.map(({ id }) => answer(id, { field_id: email.id, entry: 'mia@example.com' })),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const contacts = await Promise.all(submissions.map(({ id }) => get(`form_submissions/${id}`)));
    expect(new Set(contacts.map(({ contact_id }) => contact_id)).size).toBe(1);
  });

  test('of several that are created with the same new address at once have one contact', async () => {
    for (let round = 0; round < 3; round++) {
      const contact_attributes = { email_address: `mia${round}@example.com` };
      const submissions = await Promise.all(Array.from({ length: 5 }, () => submit({ contact_attributes })));
      expect(new Set(submissions.map(({ contact_id }) => contact_id)).size).toBe(1);
    }
  });

  test('is listed across forms, by contact and by page', async () => {
    const page = await factories.page(app, client.workspaceId, 'Contact us');
    const one = await submit();
    const two = await submit({ contact_id: one['contact_id'], page_id: Number(page.id) });
    const idsOf = async (query: string) =>
      (await list(`workspaces/${client.workspaceId}/form_submissions${query}`)).map(({ id }) => id);
    expect(await idsOf('')).toEqual([one.id, two.id]);
    expect(await idsOf(`?filter[contact_id]=${one['contact_id']}`)).toEqual([one.id, two.id]);
    expect(await idsOf(`?filter[page_id]=${page.id}`)).toEqual([two.id]);
    expect(await idsOf(`?filter[id]=${one.id}&sort_order=desc`)).toEqual([one.id]);
  });

  test('changes with its answers', async () => {
    const why = await newField();
    const submission = await submit();
    const before = await client.send('GET', `/api/v2/form_submissions/${submission.id}`);
    const { body } = await answer(submission.id, { field_id: why.id, entry: 'One' });
    const after = await client.send('GET', `/api/v2/form_submissions/${submission.id}`);
    expect(after.tag).not.toBe(before.tag);
    await change(`forms/submissions/answers/${body.id}`, { forms_submissions_answer: { entry: 'Two' } });
    expect(await get(`form_submissions/${submission.id}`)).toMatchObject({ data: { why: 'Two' } });
    await client.send('DELETE', `/api/v2/forms/submissions/answers/${body.id}`);
    expect(await get(`form_submissions/${submission.id}`)).toMatchObject({ data: {} });
  });

  test('its data is that of its answers, whatever was done to them', async () => {
    const fields = [await newField(), await newField({ key: 'b' }), await newField({ key: 'why' })];
    const { id } = await submit();
    const answers = new Map<number, { key: string; entry: string }>();
    const step = fc.record({
      what: fc.constantFrom('add', 'change', 'remove'),
      field: fc.nat(2),
      entry: fc.constantFrom('x', 'y', ''),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        for (const { what, field, entry } of steps) {
          const { id: fieldId = 0, key = '' } = (fields[field] ?? {}) as { id?: number; key?: string };
          const [first] = answers.keys();
          if (what === 'add')
            answers.set((await answer(id, { field_id: fieldId, entry })).body.id, { key, entry });
          else if (first !== undefined && what === 'remove') {
            await client.send('DELETE', `/api/v2/forms/submissions/answers/${first}`);
            answers.delete(first);
          } else if (first !== undefined) {
            await change(`forms/submissions/answers/${first}`, {
              forms_submissions_answer: { field_id: fieldId, entry },
            });
            answers.set(first, { key, entry });
          }
        }
        const expected: Record<string, string> = {};
        for (const [, one] of [...answers].toSorted(([a], [b]) => a - b))
          expected[one.key] = one.key in expected ? `${expected[one.key]}, ${one.entry}` : one.entry;
        expect((await get(`form_submissions/${id}`))['data']).toEqual(expected);
      }),
      { numRuns: 8 },
    );
  });
});

describe('erasing the contact', () => {
  const erase = (id: unknown) => client.send('DELETE', `/api/v2/contacts/${id}/gdpr_destroy`);
  /** The tables in which the word occurs. */
  async function traces(): Promise<string[]> {
    const tables = ['form_submissions', 'form_submission_answers', 'audit_entries', 'events'];
    const found = await Promise.all(
      tables.map(async (table) => {
        const { rows } = await app.store.pool.query(
          `select 1 from ${table} t where workspace_id = $1 and t::text ~* 'conspicuous' limit 1`,
          [client.workspaceId],
        );
        return rows.map(() => table);
      }),
    );
    return found.flat();
  }
  const answered = async (members: object = {}) => {
    const [why, choice] = [await newField(), await newField({ key: 'choice', field_type: 'select' })];
    const option = await newOption(choice.id, 'A');
    return submit({
      ...members,
      answers_attributes: [
        { field_id: why.id, entry: 'Conspicuous' },
        { field_id: choice.id, fields_option_id: option.id },
      ],
    });
  };

  test('blanks its submissions and answers, at once and everywhere', async () => {
    const submission = await answered();
    expect(await traces()).toHaveLength(4);
    await erase(submission['contact_id']);
    expect(await get(`form_submissions/${submission.id}`)).toMatchObject({ data: {} });
    expect(await list(`forms/submissions/${submission.id}/answers`)).toMatchObject([
      { entry: null, fields_option_id: null, fields_option_ids: [] },
      { entry: null, fields_option_id: null, fields_option_ids: [] },
    ]);
    expect(await traces()).toEqual([]);
  });

  test('reaches a submission that was handed over to it, with all that was recorded of it', async () => {
    const [first, second] = [await client.create(), await client.create()];
    const submission = await answered({ contact_id: first.body.id });
    const [gone] = await list(`forms/submissions/${submission.id}/answers`);
    await client.send('DELETE', `/api/v2/forms/submissions/answers/${gone?.id}`);
    const path = `forms/submissions/${submission.id}`;
    expect(await change(path, { forms_submission: { contact_id: second.body.id } })).toMatchObject({
      contact_id: second.body.id,
    });
    await erase(first.body.id);
    expect(await traces()).toEqual(['audit_entries', 'events']);
    expect(await list(`forms/submissions/${submission.id}/answers`)).toMatchObject([
      { fields_option_ids: [expect.anything()] },
    ]);
    await erase(second.body.id);
    expect(await traces()).toEqual([]);
  });

  test('keeps its submissions when they are handed over afterwards, but not their data', async () => {
    const [first, second] = [await client.create(), await client.create()];
    const submission = await answered({ contact_id: first.body.id });
    await app.store.pool.query(
      `insert into contact_erasures (workspace_id, contact_id, events_through, entries_through, erased_at, rows_left)
       values ($1, $2, (select max(id) from events where workspace_id = $1), (select max(id) from audit_entries where workspace_id = $1), clock_timestamp(), true)`,
      [client.workspaceId, first.body.id],
    );
    const path = `forms/submissions/${submission.id}`;
    expect(await change(path, { forms_submission: { contact_id: second.body.id } })).toMatchObject({
      data: {},
    });
    expect(await list(`${path}/answers`)).toMatchObject([{ entry: null }, { fields_option_ids: [] }]);
    const { rows } = await app.store.pool.query(
      `select count(*)::int as n from events where workspace_id = $1 and contact_id = $2 and data::text ~ 'Conspicuous'`,
      [client.workspaceId, second.body.id],
    );
    expect(rows).toEqual([{ n: 0 }]);
  });

  test('null leaves the contact of a submission as it is', async () => {
    const submission = await submit();
    expect(
      await change(`forms/submissions/${submission.id}`, { forms_submission: { contact_id: null } }),
    ).toEqual(submission);
  });
});

test('a deleted contact takes its submissions along, a deleted form everything below it', async () => {
  const field = await newField();
  const submission = await submit({ answers_attributes: [{ field_id: field.id, entry: 'x' }] });
  expect((await client.send('DELETE', `/api/v2/contacts/${submission['contact_id']}`)).status).toBe(204);
  expect((await client.send('GET', `/api/v2/form_submissions/${submission.id}`)).status).toBe(404);
  const other = await submit();
  expect((await client.send('DELETE', `/api/v2/forms/${formId}`)).status).toBe(204);
  for (const path of [`forms/fields/${field.id}`, `form_submissions/${other.id}`])
    expect((await client.send('GET', `/api/v2/${path}`)).status).toBe(404);
});

test('over GraphQL a form is made, filled in and read in a few requests', async () => {
  const { caller } = client;
  const run = async <Data>(query: string, variables: object = {}) => {
    const { data, errors } = await post<Data>(gateway, { query, variables }, { caller });
    expect(errors).toBeUndefined();
    return data as Data;
  };
  const globalId = (type: string, id: unknown) => btoa(`${type}:${id}`);
  const field = await newField({ field_type: 'select' });
  const option = await newOption(field.id, 'A');
  const made = await run<{ createFormSubmission: { formSubmission: { id: string } } }>(
    `mutation ($formId: ID!, $fieldId: ID!, $optionId: ID!) {
      createFormSubmission(input: { formId: $formId, contact: { emailAddress: "mia@example.com" }, answers: [{ fieldId: $fieldId, optionIds: [$optionId] }] }) {
        formSubmission { id contact { emailAddress isAnonymous } form { name } answers { nodes { field { key type } options { label } entry } } }
      }
    }`,
    {
      formId: globalId('Form', formId),
      fieldId: globalId('FormField', field.id),
      optionId: globalId('FormFieldOption', option.id),
    },
  );
  expect(made.createFormSubmission.formSubmission).toMatchObject({
    contact: { emailAddress: 'mia@example.com', isAnonymous: false },
    form: { name: 'Repair' },
    answers: { nodes: [{ field: { key: 'why', type: 'SELECT' }, options: [{ label: 'A' }], entry: null }] },
  });
  const read = await run(
    `query ($id: ID!) { node(id: $id) { ... on Workspace {
      formSubmissions { nodes { id } }
      forms(first: 2) { nodes { fieldSets(first: 2) { nodes { fields(first: 5) { nodes { label options(first: 5) { nodes { label } } } } } } submissions { nodes { id } } } } } } }`,
    { id: globalId('Workspace', client.workspaceId) },
  );
  expect(read).toMatchObject({
    node: { formSubmissions: { nodes: [{ id: made.createFormSubmission.formSubmission.id }] } },
  });
  const wrong = await run(
    `mutation ($formId: ID!, $fieldId: ID!) {
      createFormSubmission(input: { formId: $formId, answers: [{ fieldId: $fieldId, entry: "C" }] }) {
        formSubmission { id }
        userErrors { code path message }
      }
    }`,
    { formId: globalId('Form', formId), fieldId: globalId('FormField', field.id) },
  );
  expect(wrong).toMatchObject({
    createFormSubmission: {
      formSubmission: null,
      userErrors: [{ code: 'NOT_INCLUDED', path: ['answers', '0', 'entry'] }],
    },
  });
});
