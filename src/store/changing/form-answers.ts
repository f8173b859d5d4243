// The rules of answers: each belongs to a field of its form and has what the field allows, and the data of its submission follows.
import { type Fault, mustBe, mustBeOneOf } from '../../errors.ts';
import { contact } from '../../resources/contacts.ts';
import { parseJson, TEXT_FORMATS, typeOf } from '../../resources/description/field-types.ts';
import { formSubmission, formSubmissionAnswer } from '../../resources/forms/form-submissions.ts';
import type { FormFieldType } from '../../resources/forms/forms.ts';
import type { Executor } from '../connections/executor.ts';
import { emailKey } from '../sql/email-key.ts';
import { blankHidden, lockContact } from '../sql/personal-data.ts';
import { contactTable } from '../tables/contacts.ts';
import { tableOf } from '../tables/tables.ts';
import { giveToContact } from './handing-over.ts';
import { changeRows } from './other-rows.ts';
import type { ChangeRecord } from './records.ts';
import { type ChangeRules, type ChangingRow, Refused } from './rules.ts';

const CONTACTS = tableOf(contactTable);
const SUBMISSIONS = tableOf(formSubmission);

/** An answer as it will be stored. */
export interface RequestedAnswer {
  readonly fieldId: bigint;
  readonly optionIds: readonly bigint[];
  readonly entry: string | null;
}

/** The members of an answer that can be at fault. */
type AnswerMember = 'fieldId' | 'fieldsOptionIds' | 'entry';

/** What is wrong with one of several answers. */
export interface AnswerFault {
  readonly index: number;
  readonly member: AnswerMember;
  readonly fault: Fault;
}

interface FieldFacts {
  readonly id: bigint;
  readonly type: FormFieldType;
  readonly allowMultiple: boolean;
  readonly optionIds: readonly bigint[];
  readonly labels: readonly string[];
}

/** Locks the fields, so that none is removed or changes its type meanwhile. */
const FIELDS = `select f.id, f.field_type as type, f.allow_multiple as "allowMultiple",
    array(select o.id from form_field_options o where o.workspace_id = $1::bigint and o.field_id = f.id order by o.id) as "optionIds",
    array(select o.label from form_field_options o where o.workspace_id = $1::bigint and o.field_id = f.id order by o.id) as labels
  from form_fields f where f.workspace_id = $1::bigint and f.form_id = $2::bigint and f.id = any($3::bigint[]) order by f.id for share of f`;

/** The types whose entries are labels of options. */
const OPTION_TYPES: readonly FormFieldType[] = ['checkbox', 'select', 'radio'];

const NO_SUCH_FIELD: Fault = { code: 'not_found', message: 'there is no such field in the form' };
const NO_SUCH_OPTION: Fault = { code: 'not_found', message: 'there is no such option of the field' };
const ONE_OPTION: Fault = {
  code: 'too_many',
  message: 'must be a single option: the field does not allow several',
};

/** Checks answers of one form against their fields. @returns at most one fault of each answer */
export async function findAnswerFaults(
  tx: Executor,
  workspaceId: bigint,
  formId: bigint,
  answers: readonly RequestedAnswer[],
): Promise<AnswerFault[]> {
  const ids = [...new Set(answers.map(({ fieldId }) => fieldId))];
  const found = await tx.$queryRawUnsafe<FieldFacts[]>(FIELDS, workspaceId, formId, ids);
  const fields = new Map(found.map((field) => [field.id, field]));
  return answers.flatMap((answer, index) => {
    const faulty = faultOf(answer, fields.get(answer.fieldId));
    return faulty === null ? [] : [{ index, ...faulty }];
  });
}

function faultOf(
  { optionIds, entry }: RequestedAnswer,
  field: FieldFacts | undefined,
): Omit<AnswerFault, 'index'> | null {
  if (field === undefined) return { member: 'fieldId', fault: NO_SUCH_FIELD };
  if (optionIds.some((id) => !field.optionIds.includes(id)))
    return { member: 'fieldsOptionIds', fault: NO_SUCH_OPTION };
  if (optionIds.length > 1 && !field.allowMultiple) return { member: 'fieldsOptionIds', fault: ONE_OPTION };
  if (entry === null || entry.trim() === '') return null;
  const fault = entryFault(field, entry);
  if (fault !== null) return { member: 'entry', fault };
  const { type, labels } = field;
  const isOption = OPTION_TYPES.includes(type) && labels.includes(entry);
  const isChosen = optionIds.some((id) => labels[field.optionIds.indexOf(id)] === entry);
  return isOption && optionIds.length === 1 && !isChosen && !field.allowMultiple
    ? { member: 'entry', fault: ONE_OPTION }
    : null;
}

/** At most as long as the address of a contact, because it can become one. */
const MAX_ADDRESS = contact.fields.emailAddress.maxLength;

const PHONE_NUMBER = /^(?=(?:\D*\d){3})[\d\s+\-./()]{3,50}$/;

/** What is wrong with a text that was entered in a field. */
function entryFault({ type, labels }: Pick<FieldFacts, 'type' | 'labels'>, entry: string): Fault | null {
  const unless = (isValid: boolean, expected: string) => (isValid ? null : mustBe(expected));
  const invalid = (wrong: string): Fault => ({ code: 'invalid_format', message: wrong });
  const { email } = TEXT_FORMATS;
  const address = type === 'email' ? email.parse(entry) : undefined;
  const [decimal, date] = [typeOf('decimal'), typeOf('date')];
  switch (type) {
    case 'text':
    case 'textarea':
      return null;
    case 'email':
      return address === undefined || address.length > MAX_ADDRESS ? invalid(email.wrong) : null;
    case 'phone':
      return PHONE_NUMBER.test(entry.trim()) ? null : invalid('is not a valid phone number');
    case 'url':
      return unless(/^https?:$/.test(URL.parse(entry)?.protocol ?? ''), 'an http or https URL');
    case 'number':
      return unless(decimal.parse(entry) !== undefined, 'a number such as 12 or 12.50');
    case 'date':
      return unless(date.parse(entry) !== undefined, date.expected);
    case 'checkbox':
      if (labels.length === 0) return ['true', 'false'].includes(entry) ? null : mustBeOneOf('true or false');
      return labels.includes(entry) ? null : NOT_A_LABEL;
    case 'select':
    case 'radio':
      return labels.includes(entry) ? null : NOT_A_LABEL;
  }
}

const NOT_A_LABEL: Fault = mustBeOneOf('the label of an option of the field');

/** Makes the data of a submission from its answers: for each key the chosen labels and other entries, in the order of the answers. */
const SET_DATA = `update form_submissions s set data = coalesce((select jsonb_object_agg(d.key, d.value) from (
    select f.key, string_agg(concat_ws(', ', l.labels, case when not l.repeats then nullif(a.entry, '') end), ', ' order by a.id) as value
    from form_submission_answers a join form_fields f on f.workspace_id = $1::bigint and f.id = a.field_id
      cross join lateral (select string_agg(o.label, ', ' order by i.place) as labels, coalesce(bool_or(o.label = a.entry), false) as repeats from unnest(a.fields_option_ids) with ordinality i (id, place)
        join form_field_options o on o.workspace_id = $1::bigint and o.id = i.id) l
    where a.workspace_id = $1::bigint and a.submission_id = $2::bigint group by f.key) d), '{}')
  where s.workspace_id = $1::bigint and s.id = $2::bigint`;

const OF_SUBMISSION = 't.workspace_id = $1::bigint and t.submission_id = $2::bigint';
const ITSELF = 't.workspace_id = $1::bigint and t.id = $2::bigint';

/**
 * Updates the data of a submission whose answers were changed. It has none of what an erasure hides: that is blanked first, because with the
 * new data the submission is shown again.
 */
export async function updateData(tx: Executor, workspaceId: bigint, submissionId: bigint): Promise<void> {
  const statements = [
    blankHidden(formSubmissionAnswer, OF_SUBMISSION, '$1::bigint'),
    blankHidden(formSubmission, ITSELF, '$1::bigint'),
    SET_DATA,
  ];
  await Promise.all(statements.map((text) => tx.$executeRawUnsafe(text, workspaceId, submissionId)));
}

/** The members of an answer in REST's JSON that a change may leave as they are. */
interface AnswerFacts {
  readonly submission_id: number | bigint;
  readonly field_id: number | bigint;
  readonly fields_option_ids: readonly (number | bigint)[];
  readonly entry: string | null;
}

/** The row as it will be, from the values that the change sets and those that it leaves. */
function requested({ before, given }: ChangingRow): RequestedAnswer {
  const was = before === null ? null : (parseJson(before) as AnswerFacts);
  const { field_id, fields_option_ids, entry } = given?.columns ?? {};
  return {
    fieldId: BigInt((field_id ?? was?.field_id) as bigint),
    optionIds: ((fields_option_ids ?? was?.fields_option_ids ?? []) as readonly bigint[]).map(BigInt),
    entry: (entry === undefined ? (was?.entry ?? null) : entry) as string | null,
  };
}

/** A submission whose contact is anonymous, if the field is for e-mail addresses. An erased contact stays what it is. */
const ANONYMOUS = `select s.contact_id as "contactId" from form_submissions s
    join contacts k on k.workspace_id = $1::bigint and k.id = s.contact_id and k.anonymous
    join form_fields f on f.workspace_id = $1::bigint and f.id = $3::bigint and f.field_type = 'email'
  where s.workspace_id = $1::bigint and s.id = $2::bigint
    and not exists (select from contact_erasures x where x.workspace_id = $1::bigint and x.contact_id = s.contact_id)
  for no key update of s, k`;

const HAS_ADDRESS = `select k.id from contacts k where k.workspace_id = $1::bigint and k.id = $2::bigint
  and ${emailKey('k.email_address')} = ${emailKey('$3::text')} for key share`;

/** The address in an entry, and the contact who has it; null if there is none. */
export interface AnsweredAddress {
  readonly emailAddress: string;
  readonly contactId: bigint | null;
}

/** The input of an answer's changes with its address. The service gives it if the caller may change contacts. */
export const ADDRESS_INPUT = 'answeredAddress';

/**
 * An answer with an e-mail address identifies the contact of its submission while that is anonymous: the contact with the address gets the
 * submission, or else the anonymous contact gets the address.
 */
async function identifyContact(
  tx: Executor,
  { workspaceId, parentId, given }: ChangingRow,
  fieldId: bigint,
): Promise<ChangeRecord[]> {
  const address = given?.inputs?.[ADDRESS_INPUT] as AnsweredAddress | undefined;
  if (address === undefined) return [];
  const found = await tx.$queryRawUnsafe<{ contactId: bigint }[]>(
    ...[ANONYMOUS, workspaceId, parentId, fieldId],
  );
  const [anonymous] = found;
  if (anonymous === undefined) return [];
  const { contactId: from } = anonymous;
  const { contactId: to, emailAddress } = address;
  // The contact was found before this transaction; if it has lost the address since, the address is free, or the change is tried again.
  if (
    to !== null &&
    (await tx.$queryRawUnsafe<unknown[]>(HAS_ADDRESS, workspaceId, to, emailAddress)).length > 0
  )
    return giveToContact(tx, SUBMISSIONS, { workspaceId, id: parentId, from, to });
  const set = 'email_address = $4::text, anonymous = false';
  return changeRows(tx, CONTACTS, workspaceId, [from], set, ['identified'], undefined, [emailAddress]);
}

const FORM_OF_SUBMISSION = `select s.form_id as "formId" from form_submissions s
  where s.workspace_id = $1::bigint and s.id = $2::bigint`;

export const FORM_ANSWER_RULES: ChangeRules = {
  inherited: ['form_id'],
  touchesParent: true,
  others: {
    nouns: [CONTACTS],
    async before(tx, row) {
      const { workspaceId, parentId, given } = row;
      if (given === null) return [];
      const wanted = requested(row);
      // A new answer must lock the contact itself: it refers to the submission alone.
      const [[submission]] = await Promise.all([
        tx.$queryRawUnsafe<{ formId: bigint }[]>(FORM_OF_SUBMISSION, workspaceId, parentId),
        tx.$queryRawUnsafe(lockContact(formSubmission, ITSELF, '$1::bigint'), workspaceId, parentId),
      ]);
      const [faulty] = submission ? await findAnswerFaults(tx, workspaceId, submission.formId, [wanted]) : [];
      if (faulty !== undefined) throw new Refused(faulty.member, faulty.fault);
      return identifyContact(tx, row, wanted.fieldId);
    },
    async after(tx, { workspaceId, parentId }) {
      await updateData(tx, workspaceId, parentId);
      return [];
    },
  },
};
