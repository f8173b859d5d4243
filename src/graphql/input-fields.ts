// Makes the input fields of a mutation from a noun's description: their types and descriptions. input-values.ts reads what clients send in
// them.
import type { InputFieldMap } from '@pothos/core';
import { typeOf } from '../resources/description/field-types.ts';
import { type Field, type Fields, type NounNames, referencedNoun } from '../resources/description/fields.ts';
import {
  defaultSentence,
  inputDescription,
  isRequired,
  type Moment,
} from '../resources/description/inputs.ts';
import { graphqlNameOf, graphqlTypeNameOf, withArticle } from '../resources/description/names.ts';
import { addressInput, addressInputs } from './address-inputs.ts';
import { builder, defineOnce, type Types } from './builder.ts';
import { withEnumNames } from './closed-sets.ts';
import { appendedName, givable, settingAmounts } from './input-names.ts';
import { itemForms } from './item-forms.ts';
import { isMoney, moneyInput } from './money.ts';
import { graphqlTypeOf } from './resource-fields.ts';

type Builder = PothosSchemaTypes.InputFieldBuilder<Types, 'InputObject'>;
type DefineField = (options: object) => InputFieldMap[string];

const CustomAttributeInput = builder.inputType('CustomAttributeInput', {
  description: 'A custom attribute: a name that the workspace chooses, and a value.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: 'The name of the attribute. Each name may occur only once.',
    }),
    value: t.string({ description: 'The value as text. Null or no value means empty text.' }),
  }),
});

/** The input fields that clients may send. @param moment at creation, required fields are non-null */
export function inputFields(t: Builder, fields: Fields, moment: Moment): InputFieldMap {
  return inputFieldsOf(t, fields, moment, (field) => isRequired(field, moment));
}

/** The fields of an object or list item inside an input: those that are not optional must be sent, also in a change. */
function memberFields(t: Builder, fields: Fields, moment: Moment): InputFieldMap {
  return inputFieldsOf(t, fields, moment, ({ optional, nullable }) => !(optional || nullable));
}

function inputFieldsOf(
  t: Builder,
  fields: Fields,
  moment: Moment,
  isNeeded: (field: Field) => boolean,
): InputFieldMap {
  const define = t.field.bind(t) as unknown as DefineField;
  const setting = new Set(settingAmounts(fields).values());
  const inputs = givable(fields, moment)
    .filter(([, { address }]) => address === undefined)
    .flatMap(([property, field]) => {
      const { modeOf } = field;
      // New texts have nothing to be appended to.
      if (modeOf !== undefined)
        return moment === 'creation' ? [] : [[appendedName(modeOf), appendedInput(t, modeOf)]];
      const name = graphqlNameOf(property, field);
      const input = define({
        type: inputTypeOf(name, field, moment),
        required: isNeeded(field) || (field.choice?.required === true && moment === 'creation'),
        description: `${descriptionOf(field, moment)}${setting.has(name) ? ' Its currency is that of all amounts of the object.' : ''}`,
      });
      return [[name, input]];
    });
  const addresses = addressInputs(fields, moment).map(({ name, isNeeded: required, description }) => [
    name,
    define({ type: addressInput(), required, description }),
  ]);
  return Object.fromEntries([...inputs, ...addresses]);
}

function appendedInput(t: Builder, property: string): InputFieldMap[string] {
  return t.string({
    description: `The text to append to \`${property}\`, on a new line. Not together with \`${property}\`, which replaces it.`,
  });
}

function inputTypeOf(name: string, field: Field, moment: Moment): unknown {
  const { type, members, children, items, itemType, object, choice } = field;
  if (choice !== undefined) return choiceInput(name, object ?? {}, moment);
  if (object !== undefined) return objectInput(name, object, moment);
  if (members !== undefined) return [CustomAttributeInput];
  if (children !== undefined) return [childInput(children, items ?? {}, moment)];
  if (itemType !== undefined && items === undefined) return itemForms.get(itemType)?.type;
  if (itemType !== undefined) return [itemForms.get(itemType)?.type ?? itemInput(itemType, field)];
  if (referencedNoun(field) !== undefined) return typeOf(type).isList ? ['ID'] : 'ID';
  return isMoney(field) ? moneyInput() : graphqlTypeOf(field);
}

/** The input type of an object, named after its field: `AddressInput`. */
function objectInput(field: string, object: Fields, moment: Moment): object {
  const name = `${field[0]?.toUpperCase()}${field.slice(1)}Input`;
  return defineOnce(name, () =>
    builder.inputType(name, {
      description: describeObject(object),
      fields: (t) => memberFields(t, object, moment),
    }),
  );
}

/** The input type of an object that is named by its id, or by one of its members: `ContactInput`. */
function choiceInput(field: string, object: Fields, moment: Moment): object {
  const name = `${field[0]?.toUpperCase()}${field.slice(1)}Input`;
  return defineOnce(name, () =>
    builder.inputType(name, {
      description: `A ${field}: exactly one of the members.`,
      isOneOf: true,
      fields: (t) => ({
        id: t.id({ description: `The global id of the ${field}.` }),
        ...inputFieldsOf(t, object, moment, () => false),
      }),
    }),
  );
}

function describeObject(object: Fields): string {
  const isOptional = Object.values(object).every(({ optional, nullable }) => optional || nullable);
  return isOptional ? 'An object with optional members.' : 'The members of an object.';
}

/** The input type of children that are sent with their parent. A new parent has no children yet, so the input has no ids. */
function childInput(noun: NounNames, items: Fields, moment: Moment): object {
  const name = `${graphqlTypeNameOf(noun)}${moment === 'creation' ? 'Input' : 'ChangeInput'}`;
  const one = withArticle(noun.title.toLowerCase());
  const { id: _, ...nameless } = items;
  return defineOnce(name, () =>
    builder.inputType(name, {
      description:
        moment === 'creation'
          ? `${one[0]?.toUpperCase()}${one.slice(1)} that is created with its parent.`
          : `A change of ${one}, as part of a change of its parent.`,
      fields: (t) => memberFields(t, moment === 'creation' ? nameless : items, moment),
    }),
  );
}

/** The input type of list items that are not nouns. Clients send each item complete. */
function itemInput(
  itemType: string,
  { items = {}, description }: Pick<Field, 'items' | 'description'>,
): object {
  const name = `${itemType}Input`;
  return defineOnce(name, () =>
    builder.inputType(name, { description, fields: (t) => memberFields(t, items, 'creation') }),
  );
}

/** The field's description for GraphQL, with its limits. */
function descriptionOf(described: Field, moment: Moment): string {
  const field = withEnumNames(described);
  const { maxLength } = field;
  const limits = [
    withGlobalIds(field, inputDescription(field, moment)),
    maxLength && `At most ${maxLength} ${isList(field) ? 'items' : 'characters'}.`,
    defaultSentence(field, moment),
  ];
  return limits.filter(Boolean).join(' ');
}

function isList({ type, items }: Field): boolean {
  return typeOf(type).isList === true || items !== undefined;
}

/** The description with "global id" in place of the ids that REST takes: GraphQL inputs take global ids and no others. */
function withGlobalIds(field: Field, description: string): string {
  return referencedNoun(field) === undefined
    ? description
    : description.replace(/\binteger (ids?)\b(?:,? or the public id\b,?)?/, 'global $1');
}
