// The code of funnels and pages over GraphQL: a change replaces it, and an input of its own appends to it.
import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { refusalOf, USER_ERRORS } from '../support/user-errors.ts';

const gateway = await sharedGateway();
const { id: workspaceId, teamId } = await factories.workspace(gateway.app);
const caller = await factories.apiKey(gateway.app, { teamId });

/** The most characters of a code. */
const MOST = 20_000;
const CODES = ['headCode', 'footerCode'] as const;
const appendedName = (code: string) => `append${code[0]?.toUpperCase()}${code.slice(1)}`;

test.each(CODES)('a change of %s replaces it, and the other input appends to it', async (code) => {
  const funnel = await factories.funnel(gateway.app, { workspaceId });
  const page = await factories.page(gateway.app, workspaceId, `Page with ${code}`);
  for (const [type, id] of [
    ['Funnel', funnel.id],
    ['Page', page.id],
  ] as const) {
    const field = type.toLowerCase();
    const change = async (given: object) => {
      const query = `mutation ($input: Update${type}Input!) { update${type}(input: $input) { ${field} { ${code} } ${USER_ERRORS} } }`;
      const input = { [`${field}Id`]: btoa(`${type}:${id}`), ...given };
      return post<Record<string, Record<string, Record<string, string>>>>(
        gateway,
        { query, variables: { input } },
        { caller },
      );
    };
    const shown = async (given: object) => (await change(given)).data?.[`update${type}`]?.[field]?.[code];
    expect(await shown({ [code]: '<one>' })).toBe('<one>');
    expect(await shown({ [appendedName(code)]: '<two>' })).toBe('<one>\n<two>');
    expect(await shown({ [code]: '<three>' })).toBe('<three>');
    expect(await shown({ [code]: null })).toBeNull();
    expect(await shown({ [appendedName(code)]: '<four>' })).toBe('<four>');
    const both = await change({ [code]: '<five>', [appendedName(code)]: '<six>' });
    expect(refusalOf(both)).toMatchObject({ code: 'NOT_ALLOWED', field: appendedName(code) });
    // Too long by itself, and too long with what is there.
    for (const length of [MOST + 1, MOST])
      for (const name of [code, appendedName(code)]) {
        const refused = await change({ [name]: 'x'.repeat(length) });
        const isRefused = length > MOST || name !== code;
        expect([length, name, refusalOf(refused)?.field]).toEqual([
          length,
          name,
          isRefused ? name : undefined,
        ]);
      }
  }
});
