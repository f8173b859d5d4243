// Archiving: clients set `archived`, and `archived_at` follows from it. Archiving an archived row again keeps its first `archived_at`.
import { isArchivable } from '../../resources/description/common-fields.ts';
import type { Resource } from '../../resources/description/resource.ts';
import type { ChangeRules } from './rules.ts';

/** The client's `archived`, named like the column that PostgreSQL generates from `archived_at`. */
const ARCHIVED_INPUT = `($given::jsonb ->> 'archived')::boolean`;

const DERIVED: ChangeRules['derived'] = {
  archived_at: {
    onCreate: `case when ${ARCHIVED_INPUT} then current_timestamp end`,
    onUpdate: `case when ${ARCHIVED_INPUT} then coalesce(o.archived_at, current_timestamp) when not ${ARCHIVED_INPUT} then null else o.archived_at end`,
  },
};

const EVENTS: NonNullable<ChangeRules['events']> = {
  archived: {
    onCreate: 'false',
    onUpdate: '(n.archived_at is not null and o.archived_at is null)',
  },
  unarchived: {
    onCreate: 'false',
    onUpdate: '(n.archived_at is null and o.archived_at is not null)',
  },
};

/** Adds the rules of archiving to a noun's rules, with those archiving events that the noun has. */
export function withArchiving(resource: Resource, rules: ChangeRules): ChangeRules {
  if (!isArchivable(resource)) return rules;
  const events = Object.entries(EVENTS).filter(([name]) => resource.events?.includes(name));
  return {
    ...rules,
    derived: { ...rules.derived, ...DERIVED },
    events: { ...rules.events, ...Object.fromEntries(events) },
  };
}
