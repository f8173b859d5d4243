-- A moment, but later than the last change. Declared immutable, which milliseconds are: Citus has shards compute nothing else.
create function later_time(was timestamptz, moment timestamptz) returns timestamptz
  language plpgsql immutable strict parallel safe as $$
begin
  return greatest(moment, was + interval '1 millisecond');
end
$$;
