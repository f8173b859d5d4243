import { accountUrl, canSignIn } from './authorization.ts';

export function Help() {
  return (
    <>
      <button type="button" className="quiet" popoverTarget="help">
        Help
      </button>
      <section id="help" className="help" popover="auto" aria-label="Help">
        <h2>Getting started</h2>
        <p>
          Paste an API key (<code>fgw_…</code>) at the top. The first start prints one, and{' '}
          <code>funnel-gateway token create</code> creates more. It stays in this browser tab and goes only to
          this gateway, as <code>Authorization: Bearer</code>. An <code>Authorization</code> header in the
          Headers editor takes precedence.
        </p>
        {canSignIn ? (
          <p>
            Or sign in, and choose what the explorer may do for you, and where. Withdraw it on{' '}
            <a href={accountUrl} target="_blank" rel="noreferrer">
              your account page
            </a>
            ; signing out also withdraws it.
          </p>
        ) : null}
        <p>The schema needs no key: open the docs with the book icon at the side, or hover over a field.</p>
        <dl>
          <dt>
            <kbd>Ctrl</kbd> <kbd>Enter</kbd>
          </dt>
          <dd>run the query, wherever the focus is</dd>
          <dt>
            <kbd>Ctrl</kbd> <kbd>Space</kbd>
          </dt>
          <dd>complete</dd>
          <dt>
            <kbd>Shift</kbd> <kbd>Ctrl</kbd> <kbd>P</kbd>
          </dt>
          <dd>tidy up</dd>
        </dl>
        <p>
          <em>Share</em> copies a link that opens the query with its variables, without keys and headers. The
          last two examples change the demo: <code>npx funnel-gateway demo restore</code> restores the removed
          split; the contact is created only once.
        </p>
        <h2>REST</h2>
        <p>
          The same data, the same key, at <a href="/api/v2">/api/v2</a>:
        </p>
        <pre>{`curl -H 'Authorization: Bearer fgw_…' \\\n  ${location.origin}/api/v2/teams`}</pre>
      </section>
    </>
  );
}
