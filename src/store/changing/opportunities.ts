// The SQL that is specific to opportunities: they move through the stages of a pipeline, and are closed and reopened.

import { noSuch } from '../../errors.ts';
import { parseJson } from '../../resources/description/field-types.ts';
import { type OpportunityRow, opportunity } from '../../resources/sales/opportunities.ts';
import { pipelineStage } from '../../resources/sales/pipelines.ts';
import type { Executor } from '../connections/executor.ts';
import { lockContact } from '../sql/personal-data.ts';
import { opportunityTable } from '../tables/sales.ts';
import { tableOf } from '../tables/tables.ts';
import { changeRows } from './other-rows.ts';
import type { ChangeRecord } from './records.ts';
import { type ChangeRules, type ChangingRow, Refused } from './rules.ts';

const OPPORTUNITIES = tableOf(opportunityTable);

interface StageFacts {
  readonly pipelineId: bigint;
  readonly currency: string;
}

/** Locks the stage, so that it is not deleted meanwhile. */
const STAGE = `select s.pipeline_id as "pipelineId", p.currency from pipeline_stages s
  join pipelines p on p.workspace_id = s.workspace_id and p.id = s.pipeline_id
  where s.workspace_id = $1::bigint and s.id = $2::bigint for key share of s`;

/** The pipeline of the stage that a change gives. @throws Refused if there is no such stage, or its pipeline has another currency */
async function findStage(
  tx: Executor,
  { workspaceId, before, given }: ChangingRow,
): Promise<StageFacts | null> {
  const { pipelines_stage_id: stageId, currency: wanted } = given?.columns ?? {};
  if (stageId === undefined) return null;
  const [stage] = await tx.$queryRawUnsafe<StageFacts[]>(STAGE, workspaceId, stageId);
  if (stage === undefined) throw new Refused('pipelinesStageId', noSuch(pipelineStage.title));
  const { currency } = stage;
  if (before === null && wanted !== currency)
    throw new Refused('currency', {
      code: 'not_allowed',
      message: `must be ${currency}, the currency of the pipeline`,
    });
  if (before !== null && (parseJson(before) as Pick<OpportunityRow, 'currency'>).currency !== currency)
    throw new Refused('pipelinesStageId', {
      code: 'not_allowed',
      message: `is a stage of a pipeline in ${currency}, and the opportunity has another currency`,
    });
  return stage;
}

const HAS_MOVED = 'n.pipelines_stage_id <> o.pipelines_stage_id';

export const OPPORTUNITY_RULES: ChangeRules = {
  derived: {
    pipeline_id: {
      onCreate: '$pipeline_id::bigint',
      onUpdate: `case when ${HAS_MOVED} then (select s.pipeline_id from pipeline_stages s
        where s.workspace_id = $row_workspace and s.id = n.pipelines_stage_id) else o.pipeline_id end`,
    },
    status: {
      onCreate: `case when n.closed_at is null then 'open' else 'closed' end`,
      onUpdate: `case when n.closed_at is null then 'open' when o.closed_at is null then 'closed' else o.status end`,
    },
    was_closed: {
      onCreate: 'n.closed_at is not null',
      onUpdate: '(o.was_closed or n.closed_at is not null)',
    },
  },
  events: {
    moved_stage: { onCreate: 'false', onUpdate: `(${HAS_MOVED})` },
    closed: {
      onCreate: 'n.closed_at is not null',
      onUpdate: '(n.closed_at is not null and not o.was_closed)',
    },
  },
  others: {
    nouns: [],
    async before(tx, row) {
      await findStage(tx, row);
      return [];
    },
    parameters: async (tx, row) => ({ pipeline_id: (await findStage(tx, row))?.pipelineId ?? null }),
  },
};

/** The status of a locked opportunity, and whether its event `closed` has happened. */
export const CLOSING_COLUMNS = 't.status, t.was_closed as "wasClosed"';

/** Sets the status of a locked opportunity. The first time that it is closed is an event. @param closedAt null: it is reopened */
export async function setStatus(
  tx: Executor,
  workspaceId: bigint,
  id: bigint,
  status: OpportunityRow['status'],
  closedAt: Date | 'now' | null,
  wasClosed: boolean,
): Promise<ChangeRecord[]> {
  const closed = closedAt === 'now' ? '$3::timestamptz' : '$5::timestamptz';
  const set = `status = $4::text, closed_at = ${closed}, was_closed = c.was_closed or $4::text <> 'open'`;
  const events = status === 'open' || wasClosed ? [] : ['closed'];
  const values = closedAt === 'now' ? [status] : [status, closedAt];
  return changeRows(tx, OPPORTUNITIES, workspaceId, [id], set, events, undefined, values);
}

const ITSELF = 't.workspace_id = $1::bigint and t.id = $2::bigint';

/** A note is the caller's unless the client says otherwise. */
export const NOTE_RULES: ChangeRules = {
  derived: {
    created_by_id: {
      onCreate: 'coalesce(n.created_by_id, $caller_id::bigint)',
      onUpdate: 'n.created_by_id',
    },
  },
  touchesParent: true,
  others: {
    nouns: [],
    // A new note must lock the contact itself: it refers to the opportunity alone.
    async before(tx, { workspaceId, parentId, given }) {
      if (given !== null)
        await tx.$queryRawUnsafe(lockContact(opportunity, ITSELF, '$1::bigint'), workspaceId, parentId);
      return [];
    },
  },
};
