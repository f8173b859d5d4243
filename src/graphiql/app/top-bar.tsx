import { useEffect, useState } from 'react';
import { Credentials } from './credentials-group.tsx';
import { ExamplesMenu } from './examples-menu.tsx';
import { Help } from './help.tsx';
import { ShareButton } from './share-button.tsx';

const messageMs = 6_000;

export function TopBar() {
  const [said, setSaid] = useState('');

  useEffect(() => {
    if (said === '') return;
    const timer = setTimeout(() => setSaid(''), messageMs);
    return () => clearTimeout(timer);
  }, [said]);

  return (
    <>
      <header className="top-bar">
        <h1 className="brand">
          <a href="/" title="To the first page">
            <svg viewBox="0 0 24 24" aria-hidden="true">
              <path d="M3 4h18l-6.7 8v4.9L9.7 19.5V12z" />
            </svg>
            <span>Funnel Gateway</span>
          </a>
        </h1>
        <ExamplesMenu />
        <ShareButton say={setSaid} />
        <Credentials />
        <nav className="links" aria-label="About this API">
          <a className="quiet" href="/docs/" target="_blank" rel="noreferrer">
            Guides
          </a>
          <a className="quiet rest-link" href="/api/v2" target="_blank" rel="noreferrer">
            REST <code>/api/v2</code>
          </a>
          <Help />
        </nav>
      </header>
      {/* A row of its own, so that it covers nothing. */}
      <output className="share-status">{said}</output>
    </>
  );
}
