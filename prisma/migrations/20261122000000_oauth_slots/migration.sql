-- AlterTable
ALTER TABLE "oauth_states" ADD COLUMN "slot" INTEGER;

-- What Prisma cannot say: the slots are used in turn, and there are no more of them than this.

create sequence oauth_states_slot_seq as integer maxvalue 10000 cycle owned by oauth_states.slot;
create index oauth_states_slot on oauth_states (slot) where slot is not null;
