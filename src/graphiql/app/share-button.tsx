import { useGraphiQL } from '@graphiql/react';
import { holdsCredential, MAX_LINK_CHARS, toLink } from './operation-link.ts';
import { useOperation } from './use-operation.ts';

/**
 * Copies a link that opens the query with its variables, and confirms it. The link never contains headers, keys or tokens.
 * @param say shows a sentence to the person; '' removes it
 */
export function ShareButton({ say }: { say: (sentence: string) => void }) {
  const readOperation = useOperation();
  const isReady = useGraphiQL((state) => state.queryEditor !== undefined);

  async function share(): Promise<void> {
    say('');
    const operation = readOperation();
    const link = toLink(`${location.origin}${location.pathname}`, operation);
    if (operation.query.trim() === '') say('There is no query to share.');
    else if (holdsCredential(operation)) say('Not copied: the query or its variables contain a key.');
    else if (link.length > MAX_LINK_CHARS)
      say(`Too long for a link: ${link.length} of ${MAX_LINK_CHARS} characters. Copy the query itself.`);
    else if (await copy(link)) say('Link copied. It contains the query and its variables, but no key.');
    else {
      history.replaceState(null, '', link);
      say('The browser does not allow copying. Copy the link from the address bar.');
    }
  }

  return (
    <button type="button" className="quiet" onClick={share} disabled={!isReady}>
      Share
    </button>
  );
}

/** Whether it worked: browsers allow it in secure contexts only, and may ask. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
