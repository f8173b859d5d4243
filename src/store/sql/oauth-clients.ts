// Conditions on OAuth clients.

/** Whether a client may do anything: nobody has disabled it, and it has not expired. @param at the time, as SQL */
export const isEnabledClient = (client: string, at: string) =>
  `${client}.disabled_at is null and (${client}.expires_at is null or ${client}.expires_at > ${at})`;
