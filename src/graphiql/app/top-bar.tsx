import { Credentials } from './credentials-group.tsx';
import { ExamplesMenu } from './examples-menu.tsx';
import { Help } from './help.tsx';
import { ShareButton } from './share-button.tsx';

export function TopBar() {
  return (
    <header className="top-bar">
      <h1 className="brand">
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M3 4h18l-6.7 8v4.9L9.7 19.5V12z" />
        </svg>
        Funnel Gateway
      </h1>
      <ExamplesMenu />
      <ShareButton />
      <Credentials />
      <nav className="links" aria-label="About this API">
        <a className="quiet rest-link" href="/api/v2" target="_blank" rel="noreferrer">
          REST <code>/api/v2</code>
        </a>
        <Help />
      </nav>
    </header>
  );
}
