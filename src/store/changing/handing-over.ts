// Hands the personal data of an object over to another contact (`handsOver` in descriptions): what was recorded of the object and of what is
// below it becomes that contact's, so that an erasure of the contact reaches it. What an erasure has taken stays with the erased contact.
import { wayToContact } from '../../resources/contact-ways.ts';
import { parentKeyOf } from '../../resources/description/ancestors.ts';
import { parseJson } from '../../resources/description/field-types.ts';
import type { Field } from '../../resources/description/fields.ts';
import { restNameOf, subjectTypeOf, toSnakeCase } from '../../resources/description/names.ts';
import type { Resource } from '../../resources/description/resource.ts';
import { NOUNS } from '../../resources/nouns.ts';
import type { Executor } from '../connections/executor.ts';
import { isErasedEntry, isErasedEvent } from '../sql/erased.ts';
import { blankHidden, isBlankedByErasure } from '../sql/personal-data.ts';
import type { Table } from '../tables/table.ts';
import { changeRows } from './other-rows.ts';
import type { ChangeRecord } from './records.ts';
import type { ChangeRules, ChangingRow } from './rules.ts';

/** Adds to a noun's rules that a change of its contact hands its personal data over. */
export function withHandingOver(noun: Resource, rules: ChangeRules): ChangeRules {
  const [found] = Object.entries<Field>(noun.fields).filter(([, { handsOver }]) => handsOver);
  if (found === undefined) return rules;
  if (nounsBelow(noun).some((below) => nounsBelow(below).length > 0))
    throw new TypeError(`${noun.type} is handed over, so nothing may be two levels below it.`);
  const handedOver = (row: ChangingRow) => handedOverBy(row, ...found);
  return {
    ...rules,
    others: {
      nouns: [],
      ...rules.others,
      async before(tx, row) {
        const handed = handedOver(row);
        if (handed !== null) await prepare(tx, noun, handed);
        return (await rules.others?.before?.(tx, row)) ?? [];
      },
      async after(tx, row) {
        const handed = handedOver(row);
        if (handed !== null) await handOver(tx, noun, handed);
        return (await rules.others?.after?.(tx, row)) ?? [];
      },
    },
  };
}

/** An object, and the contacts between which a change hands it over. */
interface HandedOver {
  readonly workspaceId: bigint;
  readonly id: bigint;
  readonly from: bigint;
  readonly to: bigint;
}

function handedOverBy(
  { workspaceId, id, before, given }: ChangingRow,
  property: string,
  field: Field,
): HandedOver | null {
  const to = given?.columns[toSnakeCase(property)] as bigint | undefined;
  if (id === null || before === null || to === undefined) return null;
  const was = parseJson(before) as Readonly<Record<string, number | bigint>>;
  const from = BigInt(was[restNameOf(property, field)] ?? 0);
  return from === to ? null : { workspaceId, id, from, to };
}

/** Gives a row to another contact, as a part of another change. */
export async function giveToContact(
  tx: Executor,
  table: Table<{ id: bigint }>,
  handed: HandedOver,
): Promise<ChangeRecord[]> {
  const { resource } = table;
  const [key = ''] = Object.keys(resource.fields).filter((name) => resource.fields[name]?.handsOver);
  await prepare(tx, resource, handed);
  const { workspaceId, id, to } = handed;
  const set = `${toSnakeCase(key)} = $4::bigint`;
  const changed = await changeRows(tx, table, workspaceId, [id], set, [], undefined, [to]);
  await handOver(tx, resource, handed);
  return changed;
}

const LOCK = `select k.id from contacts k where k.workspace_id = $1::bigint and k.id = any($2::bigint[]) order by k.id for key share`;

/** The nouns below another one whose objects lead to a contact through it. */
function nounsBelow({ type }: Resource): readonly Resource[] {
  return NOUNS.filter((noun: Resource) => {
    const way = wayToContact(noun);
    return way !== null && way !== 'itself' && way.to.type === type;
  });
}

/**
 * Before the object refers to the other contact: neither contact is erased until the transaction ends, and what an erasure has already
 * hidden below the object is blanked.
 */
async function prepare(
  tx: Executor,
  resource: Resource,
  { workspaceId, id, from, to }: HandedOver,
): Promise<void> {
  await tx.$queryRawUnsafe(LOCK, workspaceId, [from, to]);
  for (const noun of nounsBelow(resource).filter(isBlankedByErasure)) {
    const where = `t.workspace_id = $1::bigint and t.${toSnakeCase(parentKeyOf(noun))} = $2::bigint`;
    await tx.$executeRawUnsafe(blankHidden(noun, where, '$1::bigint'), workspaceId, id);
  }
}

/** The audit entries of a noun below name their parent, also those of objects that were removed. */
const subjectsOf = (resource: Resource, json: string): string => {
  const below = nounsBelow(resource).map((noun) => {
    const key = parentKeyOf(noun);
    const parentId = `${json} ->> '${restNameOf(key, noun.fields[key])}'`;
    return `(t.subject_type = '${subjectTypeOf(noun)}' and ${parentId} = ($2::bigint)::text)`;
  });
  return [`(t.subject_type = '${subjectTypeOf(resource)}' and t.subject_id = $2::bigint)`, ...below].join(
    ' or ',
  );
};

/** Gives the other contact what was recorded of the object and is not erased. */
async function handOver(
  tx: Executor,
  resource: Resource,
  { workspaceId, id, from, to }: HandedOver,
): Promise<void> {
  const ofFirst = 't.workspace_id = $1::bigint and t.contact_id = $3::bigint';
  const records = [
    { table: 'events', json: 't.data', isErased: isErasedEvent('t', '$1::bigint') },
    {
      table: 'audit_entries',
      json: 'coalesce(t.after, t.before)',
      isErased: isErasedEntry('t', '$1::bigint'),
    },
  ];
  for (const { table, json, isErased } of records)
    await tx.$executeRawUnsafe(
      `update ${table} t set contact_id = $4::bigint where ${ofFirst} and (${subjectsOf(resource, json)}) and not ${isErased}`,
      ...[workspaceId, id, from, to],
    );
}
