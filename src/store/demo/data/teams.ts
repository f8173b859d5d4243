// Who is in the demo. The order decides the ids: the first team is 1, the first workspace is `acme`.
import { ACME } from './acme.ts';
import { KOHI } from './kohi.ts';
import type { TeamData } from './shape.ts';
import { TRAIL_CLUB } from './trail-club.ts';

export const TEAMS: readonly TeamData[] = [
  {
    name: 'Acme Outdoor Company',
    subdomain: 'acme-outdoor',
    timeZone: 'Mountain Time (US & Canada)',
    locale: 'en',
    workspaces: [ACME, TRAIL_CLUB],
  },
  {
    name: 'Kohi Trading',
    subdomain: 'kohi-trading',
    timeZone: 'Tokyo',
    locale: 'ja',
    workspaces: [KOHI],
  },
];
