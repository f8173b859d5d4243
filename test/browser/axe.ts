// What axe finds on a page that is open in a browser: by all of its rules, best practices too.
import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What a widget of somebody else's does and we cannot change: one rule, in one part of the page. */
export interface AxeException {
  /** The rule by axe's name, such as `color-contrast`. */
  readonly rule: string;
  /** A CSS selector of the element that is blamed, or of one around it. */
  readonly within: string;
  /** Why it stays. */
  readonly reason: string;
}

/** Run in the page: one line for each element that breaks a rule. */
const EXAMINE = `async (exceptions) => {
  // Nothing is fetched for it: the requests of a page are part of what is tested. What is well is not written down.
  const { violations } = await axe.run(document, { preload: false, resultTypes: ['violations'] });
  const isExcepted = (rule, target) => {
    const element = document.querySelector(target);
    return exceptions.some((one) => one.rule === rule && element?.closest(one.within));
  };
  return violations.flatMap(({ id, help, nodes }) =>
    nodes
      .filter(({ target }) => !isExcepted(id, target[0]))
      .map(({ target, failureSummary }) => [id + ': ' + help, target.join(' '), failureSummary].join(' | ')),
  );
}`;

/**
 * Examines the whole page as it is now.
 * @returns a line for each element that breaks a rule: the rule, the element, what would mend it. Empty: nothing was found
 */
export async function axeFindings(page: Page, exceptions: readonly AxeException[] = []): Promise<string[]> {
  // Evaluated by the debugger, which no Content-Security-Policy holds back; once in a document, since reading it takes long.
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate<void>(`${axe.source}; void 0`);
  return page.evaluate<string[]>(`(${EXAMINE})(${JSON.stringify(exceptions)})`);
}
