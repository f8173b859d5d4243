// E-mail topics, and the addresses of a workspace, one of which may be the default.
import { emailAddress } from '../../resources/emails/email-addresses.ts';
import { emailTopic } from '../../resources/emails/email-topics.ts';
import { EMAIL_ADDRESS_RULES } from '../../store/changing/email-addresses.ts';
import { writesOf } from '../changing/writes.ts';
import { defineService } from '../service.ts';

// Everything that rest/ and graphql/ call of each noun.

export const topics = defineService(emailTopic);

export const addresses = defineService(emailAddress, { writes: writesOf(emailAddress, EMAIL_ADDRESS_RULES) });
