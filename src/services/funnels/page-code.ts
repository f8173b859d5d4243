// Changes of the code for the head and the foot of pages: new code is appended, unless it replaces the current code.
import { invalid } from '../../errors.ts';
import type { Fields } from '../../resources/description/fields.ts';
import { CODE_FIELDS } from '../../resources/page-code.ts';
import type { NameOf, NewValues } from '../input/parse-fields.ts';

const PROPERTIES = ['headCode', 'footerCode'] as const;
type Code = { readonly [Property in (typeof PROPERTIES)[number]]?: string | null };

/** Whether a change appends to the current code. */
function isAppended(given: NewValues<Fields>, property: (typeof PROPERTIES)[number]): boolean {
  return typeof given[property] === 'string' && given[`${property}Mode`] !== 'replace';
}

/** Part of the `Rules` (writes.ts) of a noun with such code. */
export const APPENDED_CODE = {
  needRow: (given: NewValues<Fields>) => PROPERTIES.some((property) => isAppended(given, property)),

  /** The input with the complete new code. @throws AppError `invalid` if that is too long */
  settle(given: NewValues<Fields>, was: NewValues<Fields>, nameOf: NameOf): NewValues<Fields> {
    const settled = PROPERTIES.filter((property) => isAppended(given, property)).map((property) => {
      const field = CODE_FIELDS[property];
      const there = (was as Code)[property] ?? null;
      const added = (given as Code)[property];
      if (added === '') return [property, there];
      const text = there === null || there === '' ? `${added}` : `${there}\n${added}`;
      if (text.length <= field.maxLength) return [property, text];
      const name = nameOf(property, field);
      throw invalid(name, {
        code: 'too_long',
        message: `would have more than ${field.maxLength} characters with the existing code`,
      });
    });
    return { ...given, ...Object.fromEntries(settled) };
  },
};
