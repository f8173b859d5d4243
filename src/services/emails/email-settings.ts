// The e-mail settings of a workspace.
import { emailSettings } from '../../resources/emails/email-settings.ts';
import { singleOf } from '../changing/singles.ts';
import { writesOf } from '../changing/writes.ts';
import { defineService } from '../service.ts';

const { writeScope, update } = writesOf(emailSettings);

export const single = singleOf(emailSettings, 'emailSettings', { writeScope, update });

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(emailSettings, { writes: { writeScope, update } });
