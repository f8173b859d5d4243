// For `node --import`: changes of contacts have no events in this process. The description is changed before a statement is made of it.
import { contact } from '../../../src/resources/contacts.ts';
import { CONTACT_RULES } from '../../../src/store/changing/contacts.ts';

Object.assign(contact, { events: [] });
Object.assign(CONTACT_RULES, { events: {} });
