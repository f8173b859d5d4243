// HTML templates of Hono, which escape their values. Independent of any page.
import { html as template } from 'hono/html';
import { type HtmlEscapedString, raw } from 'hono/utils/html';

/** A piece of HTML; every other value in a template is text. */
export type Html = HtmlEscapedString;

type Part = Html | string | number | bigint | false | null | undefined | readonly Part[];

/** `html\`<p>${text}</p>\``: escapes each part that is not HTML itself; omits `false`, `null` and `undefined`. */
export const html = template as (strings: TemplateStringsArray, ...parts: readonly Part[]) => Html;

/** Text that is HTML already. */
export const toHtml: (text: string) => Html = raw;
