// The life of the recipe's made-up noun over both faces of a running gateway with its demo data: each step says what it expects.
import { isDeepStrictEqual } from 'node:util';

/** What is looked into of the answers: the rest is compared whole. */
interface Answer<Body> {
  readonly status: number;
  readonly tag: string;
  readonly body: Body;
}

interface Note {
  readonly id: number;
  readonly public_id: string;
  readonly body: string;
  readonly pinned: boolean;
}

interface Problem {
  readonly code: string;
  readonly errors?: readonly { readonly field: string }[];
}

interface GraphqlAnswer {
  readonly data?: { readonly createNote?: { readonly note: { readonly id: string } } };
  readonly errors?: readonly { readonly extensions: { readonly field?: string } }[];
}

/** Leads notes on the demo's first contact through their life. @throws Error naming the first step that is not as it should be */
export async function leadNotes(origin: string, key: string): Promise<void> {
  async function send<Body>(
    method: string,
    path: string,
    body?: unknown,
    headers = {},
  ): Promise<Answer<Body>> {
    const response = await fetch(origin + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      tag: response.headers.get('ETag') ?? '',
      body: (text === '' ? null : JSON.parse(text)) as Body,
    };
  }
  const rest = (method: string, path: string, body?: unknown, headers = {}) =>
    send<Note & Problem>(method, `/api/v2${path}`, body, headers);
  const run = async (query: string) => (await send<GraphqlAnswer>('POST', '/graphql', { query })).body;
  function expect(step: string, found: unknown, wanted: unknown): void {
    if (!isDeepStrictEqual(found, wanted))
      throw new Error(`${step}: ${JSON.stringify(found)} in place of ${JSON.stringify(wanted)}`);
  }
  const codesOf = ({ status, body }: Answer<Problem>) => [status, body.code, body.errors?.[0]?.field];
  const contact = await rest('POST', '/workspaces/1/contacts', { email_address: 'notes@example.com' });
  const notes = `/contacts/${contact.body.id}/notes`;
  const contactId = btoa(`Contact:${contact.body.id}`);

  const retry = { 'Idempotency-Key': 'the-first-note' };
  const made = await rest('POST', notes, { note: { body: 'Call back', pinned: true } }, retry);
  expect('created', [made.status, made.body.body, made.body.pinned], [201, 'Call back', true]);
  const again = await rest('POST', notes, { note: { body: 'Call back', pinned: true } }, retry);
  expect('created again with its key', again, made);
  expect('its key for another', codesOf(await rest('POST', notes, { body: 'Other' }, retry)), [
    ...[422, 'invalid', 'Idempotency-Key'],
  ]);
  expect('without a body', codesOf(await rest('POST', notes, {})), [422, 'invalid', 'body']);
  expect('too long', codesOf(await rest('POST', notes, { body: 'x'.repeat(5_001) })), [
    422,
    'invalid',
    'body',
  ]);
  expect('on nobody', codesOf(await rest('POST', '/contacts/999999/notes', { body: 'x' })), [
    ...[404, 'not_found', undefined],
  ]);
  const plain = await rest('POST', notes, { body: 'Plain' });
  expect('the default', plain.body.pinned, false);

  const note = `/notes/${made.body.id}`;
  const read = await rest('GET', note);
  expect('read', [read.body, read.tag], [made.body, made.tag]);
  expect('by its public id', (await rest('GET', `/notes/${made.body.public_id}`)).body, made.body);
  expect('not changed', (await rest('GET', note, undefined, { 'If-None-Match': made.tag })).status, 304);
  expect('listed', (await rest('GET', notes)).body, [made.body, plain.body]);
  expect('the pinned', (await rest('GET', `${notes}?filter[pinned]=true`)).body, [made.body]);
  expect('after the first', (await rest('GET', `${notes}?after=${made.body.id}`)).body, [plain.body]);

  const changed = await rest('PATCH', note, { note: { pinned: false } }, { 'If-Match': made.tag });
  expect('changed', [changed.status, changed.body.pinned, changed.body.body], [200, false, 'Call back']);
  expect('changed since', codesOf(await rest('PUT', note, { body: 'x' }, { 'If-Match': made.tag })), [
    ...[412, 'precondition_failed', undefined],
  ]);
  expect('null', codesOf(await rest('PUT', note, { body: null })), [422, 'invalid', 'body']);
  expect('put', (await rest('PUT', note, { body: 'Called' })).body.body, 'Called');
  expect('deleted', (await rest('DELETE', note)).status, 204);
  expect('gone', codesOf(await rest('GET', note)), [404, 'not_found', undefined]);
  expect('deleted before', codesOf(await rest('DELETE', note)), [404, 'not_found', undefined]);

  const created = await run(
    `mutation { createNote(input: { contactId: "${contactId}", body: "Over GraphQL", pinned: true, idempotencyKey: "g" }) { note { id body pinned contact { id } } } }`,
  );
  const id = created.data?.createNote?.note.id ?? '';
  const shown = { id, body: 'Over GraphQL', pinned: true, contact: { id: contactId } };
  expect('createNote', created, { data: { createNote: { note: shown } } });
  expect(
    'Contact.notes',
    await run(
      `{ node(id: "${contactId}") { ... on Contact { notes(filter: { pinned: true }) { totalCount nodes { id } } } } }`,
    ),
    { data: { node: { notes: { totalCount: 1, nodes: [{ id }] } } } },
  );
  expect(
    'updateNote',
    await run(
      `mutation { updateNote(input: { noteId: "${id}", body: "Changed" }) { note { body pinned } } }`,
    ),
    { data: { updateNote: { note: { body: 'Changed', pinned: true } } } },
  );
  const refused = await run(
    `mutation { updateNote(input: { noteId: "${id}", body: null }) { note { body } } }`,
  );
  expect('null over GraphQL', refused.errors?.[0]?.extensions.field, 'body');
  expect('deleteNote', await run(`mutation { deleteNote(input: { noteId: "${id}" }) { deletedNoteId } }`), {
    data: { deleteNote: { deletedNoteId: id } },
  });
  expect('gone over GraphQL', (await run(`{ node(id: "${id}") { id } }`)).data, { node: null });

  expect('still there', (await rest('GET', notes)).body, [plain.body]);
  expect(
    'the contact erased',
    (await rest('DELETE', `/contacts/${contact.body.id}/gdpr_destroy`)).status,
    200,
  );
  expect('its notes too', (await rest('GET', notes)).body, []);
}
