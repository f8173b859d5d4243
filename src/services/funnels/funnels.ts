// Funnels. Each is created with an empty workflow (funnel-steps.ts).
import { funnel } from '../../resources/funnels.ts';
import { FUNNEL_RULES } from '../../store/changing/funnels.ts';
import { writesOf } from '../changing/writes.ts';
import { APPENDED_CODE } from './page-code.ts';

export const { writeScope, create, update, archive, unarchive } = writesOf(funnel, {
  ...FUNNEL_RULES,
  onRow: APPENDED_CODE,
});
