// Finds the step that shows a page: at most one in all funnels of the workspace (`funnel_steps_one_step_of_page`).

/**
 * Whether a step shows a page.
 * @param step its alias @param workspace the SQL of the page's workspace @param page the SQL of its id, or `any` of several
 */
export function isShownByStep(step: string, workspace: string, page: string): string {
  return `${step}.workspace_id = ${workspace} and ${step}.page_id = ${page} and ${step}.removed_at is null`;
}

/** The step `s` that shows a page, with its funnel `f`. The parameters are as for `shows`. @param joins further tables, joined with these */
export function showingStep(workspace: string, page: string, joins = ''): string {
  return `funnel_steps s join funnels f on f.workspace_id = s.workspace_id and f.id = s.funnel_id ${joins} where ${isShownByStep('s', workspace, page)}`;
}
