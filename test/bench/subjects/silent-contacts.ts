// For `node --import`: changes of contacts have no events in this process. The rules are changed before a statement is made of them.
import { CONTACT_RULES } from '../../../src/store/changing/contacts.ts';

Object.assign(CONTACT_RULES, { silent: true });
