// Archiving: whether a row is archived is given, since when follows from that. One that is archived already stays so since then.
import { isArchivable, type Resource } from '../../resources/resource.ts';
import type { ChangeRules } from './rules.ts';

/** What is given says whether, by the name of the column that PostgreSQL makes of `archived_at`. */
const WHETHER = `($given::jsonb ->> 'archived')::boolean`;

const DERIVED: ChangeRules['derived'] = {
  archived_at: {
    onCreate: `case when ${WHETHER} then current_timestamp end`,
    onUpdate: `case when ${WHETHER} then coalesce(o.archived_at, current_timestamp) when not ${WHETHER} then null else o.archived_at end`,
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

/** The rules of a noun's changes with those of archiving, and those of its events that it has. */
export function withArchiving(resource: Resource, rules: ChangeRules): ChangeRules {
  if (!isArchivable(resource)) return rules;
  const events = Object.entries(EVENTS).filter(([name]) => resource.events?.includes(name));
  return {
    ...rules,
    derived: { ...rules.derived, ...DERIVED },
    events: { ...rules.events, ...Object.fromEntries(events) },
  };
}
