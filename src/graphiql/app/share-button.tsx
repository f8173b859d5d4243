import { useGraphiQL } from '@graphiql/react';
import { useEffect, useState } from 'react';
import { holdsCredential, MAX_LINK_CHARS, toLink } from './operation-link.ts';
import { useOperation } from './use-operation.ts';

const shownMs = 6_000;

/** Copies a link that opens the query with its variables, and says so. Headers, keys and tokens never go along. */
export function ShareButton() {
  const readOperation = useOperation();
  const isReady = useGraphiQL((state) => state.queryEditor !== undefined);
  const [said, setSaid] = useState('');

  useEffect(() => {
    if (said === '') return;
    const timer = setTimeout(() => setSaid(''), shownMs);
    return () => clearTimeout(timer);
  }, [said]);

  async function share(): Promise<void> {
    setSaid('');
    const operation = readOperation();
    const link = toLink(`${location.origin}${location.pathname}`, operation);
    if (operation.query.trim() === '') setSaid('There is no query to share.');
    else if (holdsCredential(operation)) setSaid('Not copied: the query or its variables hold a key.');
    else if (link.length > MAX_LINK_CHARS)
      setSaid(`Too long for a link: ${link.length} of ${MAX_LINK_CHARS} characters. Copy the query itself.`);
    else if (await copy(link)) setSaid('Link copied. It holds the query and its variables, and no key.');
    else {
      history.replaceState(null, '', link);
      setSaid('The browser does not let this page copy: the link is in the address bar.');
    }
  }

  return (
    <span className="share">
      <button type="button" className="quiet" onClick={share} disabled={!isReady}>
        Share
      </button>
      <output className="share-status">{said}</output>
    </span>
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
