import { useEffect, useState, useSyncExternalStore } from 'react';
import { checkKey, getCredentials, type KeyStatus, setKey, subscribe } from './credentials.ts';

const messages: Record<KeyStatus, string> = {
  none: 'No key',
  checking: 'Checking…',
  accepted: 'Key accepted',
  refused: 'Key not accepted',
  unknown: 'Not checked',
  'link-ended': 'Link expired or already used',
};
const checkAfterMs = 500;

export function ApiKeyField() {
  const { key, status } = useSyncExternalStore(subscribe, getCredentials);
  const [shown, setShown] = useState(false);

  useEffect(() => {
    if (!key) return;
    const timer = setTimeout(checkKey, checkAfterMs);
    return () => clearTimeout(timer);
  }, [key]);

  return (
    <form
      className="api-key"
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        checkKey();
      }}
    >
      <label htmlFor="api-key">API key</label>
      <span className="api-key-box">
        <input
          id="api-key"
          type={shown ? 'text' : 'password'}
          value={key}
          onChange={(event) => setKey(event.target.value)}
          placeholder="fgw_…"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          aria-describedby="api-key-status"
          aria-invalid={status === 'refused'}
        />
        <button
          type="button"
          aria-label={shown ? 'Hide the API key' : 'Show the API key'}
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
        >
          {shown ? 'Hide' : 'Show'}
        </button>
      </span>
      <output id="api-key-status" className="api-key-status" data-status={status}>
        {messages[status]}
      </output>
    </form>
  );
}
