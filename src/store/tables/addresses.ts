// The URLs of funnels, pages, blogs and posts: on the domain of the funnel, else on the host of the workspace; null if workspaces have no
// hosts. A page on another server has its own. All SQL is over the row `t`.
import { sqlConstant } from '../connections/sql-constants.ts';
import { showingStep } from '../sql/showing-steps.ts';
import { ROW_WORKSPACE } from '../sql/statements.ts';

/** The origin of the workspace's host, below SERVICE_HOST. */
const OF_WORKSPACE = `(select replace(${sqlConstant('workspaceOrigin')}, '*', w.subdomain) from workspaces w where w.id = $row_workspace)`;

const HOST = `select 'https://' || d.host from`;
const OF_FUNNEL = `(${HOST} custom_domains d where d.workspace_id = $row_workspace and d.id = t.custom_domain_id)`;
const OF_PAGE = `(${HOST} ${showingStep(ROW_WORKSPACE, 't.id', 'join custom_domains d on d.workspace_id = f.workspace_id and d.id = f.custom_domain_id')})`;

export const FUNNEL_URL = `(coalesce(${OF_FUNNEL}, ${OF_WORKSPACE}) || t.current_path)`;
export const BLOG_URL = `(${OF_WORKSPACE} || t.current_path)`;
export const PAGE_URL = `coalesce(t.external_url, coalesce(${OF_PAGE}, ${OF_WORKSPACE}) || t.current_path)`;
