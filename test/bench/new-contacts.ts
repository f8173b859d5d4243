// The people whom every subject is asked to create, and how each one is asked.
import type { Manifest } from './dataset.ts';
import { graphqlRequest, writeRequest } from './requests.ts';

/** As REST's body has it. */
export interface NewContact {
  readonly email_address: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly phone_number: string;
}

/** Those who can create contacts. */
export type Creator = 'limit-json' | 'gateway' | 'postgraphile' | 'stock';

const FIRST_NAMES = ['Emma', 'Noé', 'Olivia', 'Søren', 'Ava', 'José', 'Sophia', 'Mason'];

/** As many contacts as asked for, of whom no two are alike, the same ones in every run. */
export function newContacts(count: number): NewContact[] {
  return Array.from({ length: count }, (_, index) => ({
    email_address: `New.${index}@bench.example`,
    first_name: FIRST_NAMES[index % FIRST_NAMES.length] ?? '',
    last_name: `Number ${index}`,
    phone_number: `+1415555${String(index % 10_000).padStart(4, '0')}`,
  }));
}

/** What a peer answers: as much of the contact as the bench's connection asks for, less than REST's. */
const SELECTION = 'publicId emailAddress firstName lastName phoneNumber timeZone createdAt updatedAt';

const POSTGRAPHILE = `
mutation Create($contact: ContactInput!) {
  createContact(input: { contact: $contact }) { contact { id databaseId: rowId ${SELECTION} } }
}`;

const STOCK = `
mutation Create($workspaceId: BigInt!, $emailAddress: String, $firstName: String, $lastName: String, $phoneNumber: String) {
  createContact(workspaceId: $workspaceId, emailAddress: $emailAddress, firstName: $firstName, lastName: $lastName,
    phoneNumber: $phoneNumber) { id databaseId ${SELECTION} }
}`;

/** The request for one contact. Over REST each has an idempotency key of its own: `turn` tells those of one turn from the next one's. */
export function createRequest(
  name: Creator,
  { workspaceId, token }: Manifest,
  contact: NewContact,
  turn: string,
): string {
  if (name === 'limit-json' || name === 'gateway') {
    const path = `/api/v2/workspaces/${workspaceId}/contacts`;
    return writeRequest('POST', path, token, `${turn}-${contact.email_address}`, { contact });
  }
  const input = {
    workspaceId,
    emailAddress: contact.email_address,
    firstName: contact.first_name,
    lastName: contact.last_name,
    phoneNumber: contact.phone_number,
  };
  return name === 'stock'
    ? graphqlRequest(STOCK, input, token)
    : graphqlRequest(POSTGRAPHILE, { contact: input }, token);
}

/** Id and e-mail address of the contact in an answer, whoever gave it; null when there is none. */
export function createdIn(body: string): { id: number; emailAddress: string } | null {
  const id = /^\{"id":(\d+)/.exec(body)?.[1] ?? /"databaseId":"?(\d+)/.exec(body)?.[1];
  const emailAddress = /"email_?[aA]ddress":"([^"]*)"/.exec(body)?.[1];
  return id === undefined || emailAddress === undefined ? null : { id: Number(id), emailAddress };
}
