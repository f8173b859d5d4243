// Makes people with names, addresses and contact data. Pure.
import { COUNTRIES } from './names.ts';
import type { Random } from './random.ts';

export interface Person {
  readonly firstName: string;
  readonly lastName: string;
  /** The part before the @: plain letters and a dot, such as "jurgen.schafer". */
  readonly mailbox: string;
  readonly country: string;
  readonly timeZone: string;
  readonly phoneNumber: string;
}

interface Name {
  readonly written: string;
  readonly plain: string;
}

/** Letters that Unicode does not decompose into a base letter and an accent. */
const SPELLINGS: Record<string, string> = { ß: 'ss', ł: 'l', ı: 'i', ø: 'o', æ: 'ae' };

const PLACES = COUNTRIES.map((country) => ({
  ...country,
  firstNames: toNames(country.firstNames),
  lastNames: toNames(country.lastNames),
}));

/** Every country as often as its weight, so that picking one is one look-up. */
const BY_WEIGHT = PLACES.flatMap((place) => Array.from({ length: place.weight / 5 }, () => place)) as [
  (typeof PLACES)[number],
];

/** The next person of a random sequence. */
export function createPerson(random: Random): Person {
  const place = random.pick(BY_WEIGHT);
  const first = random.pick(place.firstNames);
  const last = random.pick(place.lastNames);
  return {
    firstName: first.written,
    lastName: last.written,
    mailbox: `${first.plain}.${last.plain}`,
    country: place.code,
    timeZone: random.pick(place.timeZones),
    phoneNumber: place.phone.replace(/#/g, () => String(random.below(10))),
  };
}

function toNames(list: string): [Name, ...Name[]] {
  const names = list.split(' ').map((entry): Name => {
    const [written = '', spelled = written] = entry.split('/');
    return { written, plain: toPlainLetters(spelled) };
  });
  return names as [Name, ...Name[]];
}

function toPlainLetters(name: string): string {
  return name
    .toLowerCase()
    .replace(/[ßłıøæ]/g, (letter) => SPELLINGS[letter] ?? '')
    .normalize('NFD')
    .replace(/[^a-z]/g, '');
}
