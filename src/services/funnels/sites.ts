// The site of a workspace.
import { site } from '../../resources/sites.ts';
import { singleOf } from '../changing/singles.ts';
import { writesOf } from '../changing/writes.ts';
import { defineService } from '../service.ts';
import { APPENDED_CODE } from './page-code.ts';

const { writeScope, update } = writesOf(site, { onRow: APPENDED_CODE });

export const single = singleOf(site, 'site', { writeScope, update });

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(site, { writes: { writeScope, update } });
