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

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(funnel, { writes });
