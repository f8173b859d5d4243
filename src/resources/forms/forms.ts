// The form with its field sets, its fields in their order, and the options of fields that are chosen from.
import { IDS, NAME, OF_WORKSPACE, ORDERED } from '../description/common-fields.ts';
import { describe } from '../description/resource.ts';
import { workspace } from '../workspaces.ts';

/** The most of each below one parent. */
const MAX_FIELD_SETS = 100;
const MAX_FIELDS = 250;
export const MAX_OPTIONS = 250;

/** The types of fields, each with what it means for the entry of an answer. */
const FIELD_TYPE_DESCRIPTIONS = {
  text: 'One line of text.',
  textarea: 'Text of several lines.',
  email: 'An e-mail address.',
  phone: 'A phone number: digits, spaces and the signs `+ - . / ( )`.',
  url: 'A web address that begins with `http://` or `https://`.',
  number: 'A decimal number, such as `12.5`.',
  date: 'A calendar date, such as `2026-01-31`.',
  checkbox:
    'Boxes to tick: one for each option of the field. Without options it is one box, and the entry is `true` or `false`.',
  select: 'A choice from the options of the field, as a list that opens.',
  radio: 'A choice from the options of the field, all in view.',
} as const;

export type FormFieldType = keyof typeof FIELD_TYPE_DESCRIPTIONS;

/** The types of fields, as descriptions list them. */
const FIELD_TYPES = Object.keys(FIELD_TYPE_DESCRIPTIONS) as FormFieldType[];

const times = (noun: string) =>
  ({
    createdAt: { type: 'timestamp', description: `When the ${noun} was created.` },
    updatedAt: { type: 'timestamp', description: `When the ${noun} was last changed.` },
  }) as const;

export const form = describe({
  type: 'Form',
  title: 'Form',
  table: 'forms',
  number: 110n,
  parent: workspace,
  plural: 'forms',
  path: 'forms',
  wrapper: 'form',
  scope: 'forms',
  topic: 'form',
  verbs: ['create', 'update', 'remove'],
  description:
    'A form that people fill in. Its fields are in field sets, and each time that it is filled in is a submission.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: { ...NAME, description: 'The name of the form, which only the team sees.' },
    ...times('form'),
  },
  sorts: ['createdAt', 'updatedAt', 'name'],
  scannedSorts: ['createdAt', 'name'],
});

export const formFieldSet = describe({
  type: 'FormFieldSet',
  title: 'Field set',
  table: 'form_field_sets',
  number: 111n,
  parent: form,
  plural: 'fieldSets',
  path: 'field_sets',
  members: 'forms/field_sets',
  wrapper: 'forms_field_set',
  scope: 'forms',
  topic: 'forms/field_set',
  subjectType: 'Forms::FieldSet',
  verbs: ['create', 'update', 'remove'],
  most: MAX_FIELD_SETS,
  description: 'A part of a form with its own title. It has fields in an order.',
  fields: {
    ...IDS,
    formId: { type: 'int8', description: 'The integer id of its form.' },
    title: { ...NAME, description: 'The title above the fields.' },
    ...times('field set'),
  },
  sorts: ['createdAt', 'updatedAt'],
});

export const formField = describe({
  type: 'FormField',
  title: 'Form field',
  table: 'form_fields',
  number: 112n,
  parent: formFieldSet,
  parentKey: 'fieldSetId',
  plural: 'fields',
  path: 'fields',
  members: 'forms/fields',
  wrapper: 'forms_field',
  scope: 'forms',
  topic: 'forms/field',
  subjectType: 'Forms::Field',
  verbs: ['create', 'update', 'remove', 'reorder'],
  most: MAX_FIELDS,
  description:
    'One question of a form. Its type says which entries are valid, and its key names the answer in the data of a submission.',
  fields: {
    ...IDS,
    formId: { type: 'int8', internal: true, description: 'The integer id of the form with its field set.' },
    fieldSetId: { type: 'int8', description: 'The integer id of its field set.' },
    key: {
      type: 'text',
      writable: 'always',
      required: true,
      maxLength: 255,
      description: 'The name of its answers in the data of submissions.',
      rule: 'Fields with the same key share it.',
    },
    label: {
      type: 'text',
      writable: 'always',
      required: true,
      maxLength: 1_000,
      description: 'The question, as people see it.',
    },
    fieldType: {
      graphqlName: 'type',
      type: 'text',
      values: FIELD_TYPES,
      valueDescriptions: FIELD_TYPE_DESCRIPTIONS,
      valuesName: 'FormFieldType',
      writable: 'always',
      default: 'text',
      description: 'What people enter.',
      rule: 'Answers that were given before a change of the type stay as they are.',
    },
    allowMultiple: {
      graphqlName: 'isMultipleAllowed',
      type: 'bool',
      writable: 'always',
      default: false,
      description: 'Whether an answer may have several of its options.',
    },
    hidden: {
      graphqlName: 'isHidden',
      type: 'bool',
      writable: 'always',
      default: false,
      description: 'Whether people do not see the field, because a page fills it in.',
    },
    ...ORDERED,
    ...times('field'),
  },
  sorts: ['createdAt', 'updatedAt', 'position'],
});

export const formFieldOption = describe({
  type: 'FormFieldOption',
  title: 'Option',
  table: 'form_field_options',
  number: 113n,
  parent: formField,
  parentKey: 'fieldId',
  plural: 'options',
  path: 'options',
  members: 'forms/fields/options',
  wrapper: 'forms_fields_option',
  scope: 'forms',
  topic: 'forms/fields/option',
  subjectType: 'Forms::Fields::Option',
  verbs: ['create', 'update', 'remove'],
  most: MAX_OPTIONS,
  description: 'One of the options of a field, from which people choose.',
  fields: {
    ...IDS,
    fieldId: { type: 'int8', description: 'The integer id of its field.' },
    label: {
      type: 'text',
      writable: 'always',
      required: true,
      maxLength: 255,
      description: 'The option, as people see it.',
    },
    ...times('option'),
  },
  sorts: ['createdAt', 'updatedAt'],
});
