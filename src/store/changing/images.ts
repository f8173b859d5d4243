// The SQL that is specific to changes of images: a new fetch discards everything about the earlier file.
import type { ChangeRules } from './rules.ts';

/** The source is another one, or the same one after its fetch failed. */
const IS_FETCHED_AGAIN =
  "(n.upload_source_url <> o.upload_source_url or o.status = 'failed' and $given::jsonb ? 'upload_source_url')";

/** 244 random bits as text. */
const NEW_TOKEN = "replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')";

/** The columns of a file before it is fetched. */
const PENDING = {
  status: "'pending'",
  fetch_at: 'clock_timestamp()',
  file_token: NEW_TOKEN,
  error: 'null',
  width: 'null',
  height: 'null',
  byte_size: 'null',
  content_type: 'null',
};

export const IMAGE_RULES: ChangeRules = {
  derived: {
    // Only earlier versions of the gateway read it.
    base_url: { onCreate: '$base_url::text', onUpdate: 'o.base_url' },
    ...Object.fromEntries(
      Object.entries(PENDING).map(([column, anew]) => [
        column,
        { onCreate: anew, onUpdate: `case when ${IS_FETCHED_AGAIN} then ${anew} else o.${column} end` },
      ]),
    ),
  },
};
