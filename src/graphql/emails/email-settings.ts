// Adds to workspaces their e-mail settings.
import * as settings from '../../services/emails/email-settings.ts';
import { defineSingle } from '../singles.ts';

defineSingle(
  settings.service,
  settings.single,
  'emailSettings',
  'From which addresses the workspace sends e-mails, and where answers go.',
);
