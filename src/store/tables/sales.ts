// The computed columns of pipelines, stages and opportunities: sums of values, and what an opportunity shows of other rows.
import { contact } from '../../resources/contacts.ts';
import { CURRENCIES_BY_PLACES } from '../../resources/description/currencies.ts';
import { opportunity, opportunityNote } from '../../resources/sales/opportunities.ts';
import { MAX_OPPORTUNITY_IDS, pipeline, pipelineStage } from '../../resources/sales/pipelines.ts';
import { otherAsJson, othersAsJson } from '../sql/row-json.ts';
import { contactTable } from './contacts.ts';
import { makeTable, ownTable } from './table.ts';

/** The number of decimal places of a currency. */
function placesOf(currency: string): string {
  const unusual = Object.entries(CURRENCIES_BY_PLACES).filter(([places]) => places !== '2');
  const cases = unusual.map(
    ([places, codes]) =>
      `when ${currency} in (${codes.map((code) => `'${code}'`).join(', ')}) then ${places}`,
  );
  return `case ${cases.join(' ')} else 2 end`;
}

/** The sum of the values of opportunities. A lost one is worth nothing. @param key their column with the id of the row `t` */
const sumOf = (key: string) => `coalesce((select sum(o.value) from opportunities o
  where o.workspace_id = $row_workspace and o.${key} = t.id and o.status <> 'lost'), 0)`;

const OF_PIPELINE = sumOf('pipeline_id');
const OF_STAGE = sumOf('pipelines_stage_id');
const STAGE_CURRENCY =
  '(select p.currency from pipelines p where p.workspace_id = $row_workspace and p.id = t.pipeline_id)';

export const pipelineTable = ownTable(pipeline, {
  computed: {
    totalValue: `round(${OF_PIPELINE})::bigint`,
    totalAmount: `round(${OF_PIPELINE}, ${placesOf('t.currency')})`,
  },
});

export const pipelineStageTable = ownTable(pipelineStage, {
  computed: {
    opportunityIds: `array(select o.id from opportunities o where o.workspace_id = $row_workspace and o.pipelines_stage_id = t.id
      order by o.id limit ${MAX_OPPORTUNITY_IDS})`,
    totalValue: `round(${OF_STAGE})::bigint`,
    weightedValue: `round(${OF_STAGE} * t.close_probability / 100, ${placesOf(STAGE_CURRENCY)})`,
    currency: STAGE_CURRENCY,
    totalAmount: `round(${OF_STAGE}, ${placesOf(STAGE_CURRENCY)})`,
  },
});

const CONTACTS = makeTable(
  { ...contact, fields: opportunity.fields.contactDetails.object, filters: {} },
  contactTable,
);
const { opportunityId: _, ...ofNote } = opportunityNote.fields;
const NOTES = { ...makeTable(opportunityNote), resource: { ...opportunityNote, fields: ofNote } };

/** A summary of a row of another table. */
const summaryOf = (
  table: string,
  id: string,
) => `(select to_json(v) from (select s.id, s.public_id, s.name from ${table} s
  where s.workspace_id = $row_workspace and s.id = ${id}) v)`;

export const opportunityTable = ownTable(opportunity, {
  computed: {
    pipelineSummary: summaryOf('pipelines', 't.pipeline_id'),
    stageSummary: summaryOf('pipeline_stages', 't.pipelines_stage_id'),
    contactDetails: otherAsJson(
      CONTACTS,
      'contacts.workspace_id = $row_workspace and contacts.id = t.primary_contact_id',
    ),
    noteList: othersAsJson(
      NOTES,
      'opportunity_notes.workspace_id = $row_workspace and opportunity_notes.opportunity_id = t.id',
    ),
  },
});
