// The summary and the description of each operation in the OpenAPI document. A route says in a sentence what it does; the description of its
// noun says what follows from it.
import { filtersOf } from '../../resources/description/lists.ts';
import { restNameOf } from '../../resources/description/names.ts';
import type { Resource } from '../../resources/description/resource.ts';
import type { OperationKind, Route } from '../route.ts';

/** The event of a standard operation, after the dot. */
const EVENT_OF: Readonly<Partial<Record<OperationKind, string>>> = {
  create: 'created',
  update: 'updated',
  archive: 'archived',
  unarchive: 'unarchived',
  remove: 'deleted',
};

/**
 * The imperative of a sentence's first clause, without a full stop: `Cancel a subscription` of `Cancels a subscription, and voids its unpaid
 * invoices`.
 */
export function imperativeOf(sentence: string): string {
  const [clause = ''] = sentence.split(/[,:;.(]| and /);
  return clause
    .trim()
    .replace(/^\w+/, (verb) => (/(?:sh|ch|ss|x|z)es$/.test(verb) ? verb.slice(0, -2) : verb.slice(0, -1)));
}

/** The description of an operation, as Markdown. */
export function descriptionOf(route: Route, twin?: Route): string {
  const { summary, about, scope } = route;
  const needed =
    scope === undefined ? 'Needs no scope: any valid credential is enough.' : `Needs the scope \`${scope}\`.`;
  if (twin !== undefined) return `The same as \`${twin.method}\` on this path. ${needed}`;
  return [`${summary}.`, about, consequencesOf(route), needed].filter((part) => part).join(' ');
}

/** What follows from a standard operation, and what is refused. */
function consequencesOf({ kind, resource }: Route): string {
  if (kind === undefined) return '';
  const sentences: Record<OperationKind, string> = {
    list: resource.description,
    get: resource.description,
    create: takenSentence(resource),
    update:
      'Members that are not sent stay as they are, and `null` clears a member that can be empty. A change to what is there already changes nothing.',
    archive: 'It can still be read, and what refers to it stays. Nothing changes if it is archived already.',
    unarchive: 'Nothing changes if it is not archived.',
    remove: 'It cannot be restored.',
    reorder: 'The body has the ids of all of them, in their new order.',
  };
  return [sentences[kind], eventSentence(resource, EVENT_OF[kind])].filter((part) => part).join(' ');
}

function eventSentence({ topic, events = [] }: Resource, event: string | undefined): string {
  if (event === undefined || !events.includes(event)) return '';
  return `Webhook endpoints get the event \`${topic}.${event}\`.`;
}

/** The members that no two objects of a workspace share. */
function takenSentence(resource: Resource): string {
  const members = filtersOf(resource)
    .filter(
      ({ property, unique }) =>
        unique && property !== 'id' && resource.fields[property]?.writable !== undefined,
    )
    .map(({ property }) => `\`${restNameOf(property, resource.fields[property] ?? {})}\``);
  if (members.length === 0) return '';
  return `Refused with \`taken\` if another ${resource.title.toLowerCase()} has the same ${members.join(' or ')}.`;
}
