// The demo's contacts: most of them customers in good standing, and a few of every other kind that a shop has.

import { createPerson, type Person } from '../seed/people.ts';
import type { Random } from '../seed/random.ts';
import type { Demo, Filling } from './demo.ts';

const OLDEST_DAYS = 800;
const SHARE = {
  anonymous: 0.05,
  unsubscribed: 0.09,
  suppressed: 0.04,
  phone: 0.6,
  attributes: 0.75,
  mailed: 0.7,
};
const SUPPRESSION_REASONS = ['hard_bounce', 'spam_complaint', 'manual'] as const;

/** Inserts a workspace's contacts, oldest first, with their tags. */
export async function insertContacts(workspace: Filling): Promise<void> {
  const { insert, idOf, daysAgo, random, data } = workspace;
  const { count, attributes } = data.contacts;
  const taken = new Set<string>();
  const people = Array.from({ length: count }, (_, index) => {
    const ageDays = OLDEST_DAYS * (1 - index / count) * (0.985 + random.next() * 0.015);
    const traits = random.chance(SHARE.anonymous)
      ? anonymousTraits(random)
      : identifiedTraits(workspace, ageDays, attributes, taken);
    const updatedAt = daysAgo(ageDays * random.next());
    return { uuid: uuidOf(random), ...traits, createdAt: daysAgo(ageDays), updatedAt };
  });
  const contacts = await insert('Contact', people, (person) => person);
  const applied = contacts
    .filter(({ data: { anonymous } }) => !anonymous)
    .flatMap(({ id: contactId, data: { updatedAt: appliedAt } }) =>
      Object.entries(data.tags)
        .filter(([, { share }]) => random.chance(share))
        .map(([name]) => ({ contactId, tagId: idOf('Tag', name), appliedAt })),
    );
  await insert('ContactTag', applied, (tag) => tag);
}

function anonymousTraits(random: Random) {
  return { anonymous: true, timeZone: createPerson(random).timeZone, customAttributes: {} };
}

function identifiedTraits(
  demo: Demo,
  ageDays: number,
  attributes: Record<string, readonly string[]>,
  taken: Set<string>,
) {
  const { random } = demo;
  const person = createPerson(random);
  const since = () => demo.daysAgo(ageDays * random.next());
  return {
    anonymous: false,
    emailAddress: addressOf(person, random, taken),
    firstName: person.firstName,
    lastName: person.lastName,
    phoneNumber: random.chance(SHARE.phone) ? person.phoneNumber : null,
    timeZone: person.timeZone,
    unsubscribedAt: random.chance(SHARE.unsubscribed) ? since() : null,
    emailSuppressionReason: random.chance(SHARE.suppressed) ? random.pick(SUPPRESSION_REASONS) : null,
    lastNotificationEmailSentAt: random.chance(SHARE.mailed) ? since() : null,
    ...profilesOf(person, random),
    customAttributes: random.chance(SHARE.attributes) ? attributesOf(attributes, random) : {},
  };
}

/** Reserved domains only: nobody real can be written to (RFC 2606). */
function addressOf(person: Person, random: Random, taken: Set<string>): string {
  const domain = random.pick(['example.com', 'example.net', 'example.org', 'mail.example']);
  let address = `${person.mailbox}@${domain}`;
  for (let n = 2; taken.has(address); n++) address = `${person.mailbox}${n}@${domain}`;
  taken.add(address);
  return address;
}

function profilesOf({ mailbox }: Person, random: Random) {
  const handle = mailbox.replace('.', '');
  return {
    instagramUrl: random.chance(0.2) ? `https://instagram.com/${handle}` : null,
    linkedinUrl: random.chance(0.1) ? `https://www.linkedin.com/in/${mailbox.replace('.', '-')}` : null,
    fbUrl: random.chance(0.08) ? `https://www.facebook.com/${mailbox}` : null,
    twitterUrl: random.chance(0.06) ? `https://x.com/${handle}` : null,
    websiteUrl: random.chance(0.05) ? `https://${handle}.example` : null,
  };
}

function attributesOf(choices: Record<string, readonly string[]>, random: Random): Record<string, string> {
  const chosen = Object.entries(choices).filter(() => random.chance(0.7));
  return Object.fromEntries(
    chosen.map(([name, values]) => [name, values[random.below(values.length)] ?? '']),
  );
}

/** A UUID of version 4's form from the demo's own numbers, so that it too is the same every time. */
export function uuidOf(random: Random): string {
  const hex = Array.from({ length: 32 }, () => random.below(16).toString(16)).join('');
  const variant = '89ab'[random.below(4)];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
