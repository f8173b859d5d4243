// Funnels. Each is created with an empty workflow (funnel-steps.ts).
import { funnel } from '../../resources/funnels.ts';
import { FUNNEL_RULES } from '../../store/changing/funnels.ts';
import { writesOf } from '../changing/writes.ts';
import { defineService } from '../service.ts';
import { APPENDED_CODE } from './page-code.ts';

const writes = writesOf(funnel, {
  ...FUNNEL_RULES,
  onRow: APPENDED_CODE,
});

/** All there is to call of this noun: what rest/ and graphql/ are made from. */
export const service = defineService(funnel, { writes });
