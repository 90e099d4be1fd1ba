-- What:      <one sentence>
-- Step:      <n of m>, phase <expand | backfill | contract>
-- Lock:      <strongest lock, expected duration, measured on how many rows>
-- Old code:  <what the version that is still running sees>
-- Way back:  <statement, or "deploy the previous version", or "none: restore from backup">
-- Watch:     <graph or query>; stop if <condition>

BEGIN;
SET LOCAL lock_timeout = '3s';
SET LOCAL statement_timeout = '30s';

-- <statement>

COMMIT;

-- CREATE INDEX CONCURRENTLY and its like cannot run in a transaction. Put them alone into a file of this form:
--   SET lock_timeout = '3s';
--   SET statement_timeout = 0;
--   CREATE INDEX CONCURRENTLY <name> ON <table> (<columns>);
