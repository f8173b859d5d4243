// Which pages are visible to clients.
import type { page } from '../../resources/pages.ts';
import type { Special } from './table.ts';

export const pageTable: Special<typeof page> = { visible: 't.discarded_at is null' };
