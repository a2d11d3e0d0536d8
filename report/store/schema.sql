-- The tables of a store, version 1. {serial}, {bytes} and {real} are written as the database calls them. Times are
-- microseconds since 1970 in UTC; 0 is unknown. Outcomes are numbers: 0 unjudged, 1 pass, 2 fail, 3 error.

-- What one command gathered. It is invisible until whole is 1; touched is when its last trials came.
CREATE TABLE run (
  number    {serial},
  whole     SMALLINT NOT NULL,
  touched   BIGINT NOT NULL,
  id        TEXT NOT NULL,
  content   TEXT NOT NULL,
  kind      TEXT NOT NULL,
  suite     TEXT NOT NULL,
  task      TEXT NOT NULL,
  agent     TEXT NOT NULL,
  revision  TEXT NOT NULL,
  branch    TEXT NOT NULL,
  build     TEXT NOT NULL,
  started   BIGINT NOT NULL,
  added     BIGINT NOT NULL,
  judgement TEXT NOT NULL,
  details   TEXT NOT NULL
);
CREATE UNIQUE INDEX run_id ON run (id) WHERE whole = 1;
CREATE INDEX run_started ON run (started, number) WHERE whole = 1;
CREATE INDEX run_suite ON run (suite, started, number) WHERE whole = 1;
CREATE INDEX run_kind ON run (kind, started, number) WHERE whole = 1;
CREATE INDEX run_branch ON run (branch, started, number) WHERE whole = 1;
CREATE INDEX run_revision ON run (revision) WHERE whole = 1;
CREATE INDEX run_pending ON run (touched) WHERE whole = 0;

-- What the command said in the end, as it saved it.
CREATE TABLE result (
  run     BIGINT NOT NULL PRIMARY KEY,
  name    TEXT NOT NULL,
  body    {bytes} NOT NULL
);

-- The trials of one version in a run, in sums; known is how many trials a sum is over. Suite and started are those of the run.
CREATE TABLE part (
  run       BIGINT NOT NULL,
  part      INTEGER NOT NULL,
  version   TEXT NOT NULL,
  suite     TEXT NOT NULL,
  started   BIGINT NOT NULL,
  trials    BIGINT NOT NULL,
  passes    BIGINT NOT NULL,
  failures  BIGINT NOT NULL,
  errors    BIGINT NOT NULL,
  cost_known BIGINT NOT NULL, cost {real} NOT NULL, cost_squares {real} NOT NULL,
  seconds_known BIGINT NOT NULL, seconds {real} NOT NULL, seconds_squares {real} NOT NULL,
  tokens_known BIGINT NOT NULL, tokens {real} NOT NULL, tokens_squares {real} NOT NULL,
  turns_known BIGINT NOT NULL, turns {real} NOT NULL, turns_squares {real} NOT NULL,
  calls_known BIGINT NOT NULL, calls {real} NOT NULL, calls_squares {real} NOT NULL,
  behaviour {bytes},
  kept      BIGINT NOT NULL, -- trials that are still there: all, or none where they were pruned
  PRIMARY KEY (run, part)
);
CREATE INDEX part_version ON part (version, started);
CREATE INDEX part_suite ON part (suite, started);

-- The same by scenario.
CREATE TABLE tally (
  run      BIGINT NOT NULL,
  part     INTEGER NOT NULL,
  scenario BIGINT NOT NULL,
  trials   BIGINT NOT NULL,
  passes   BIGINT NOT NULL,
  failures BIGINT NOT NULL,
  errors   BIGINT NOT NULL,
  cost_known BIGINT NOT NULL, cost {real} NOT NULL, cost_squares {real} NOT NULL,
  seconds_known BIGINT NOT NULL, seconds {real} NOT NULL, seconds_squares {real} NOT NULL,
  tokens_known BIGINT NOT NULL, tokens {real} NOT NULL, tokens_squares {real} NOT NULL,
  turns_known BIGINT NOT NULL, turns {real} NOT NULL, turns_squares {real} NOT NULL,
  calls_known BIGINT NOT NULL, calls {real} NOT NULL, calls_squares {real} NOT NULL,
  PRIMARY KEY (run, part, scenario)
);
CREATE INDEX tally_scenario ON tally (scenario, run);

-- What the parts of a suite's runs that began in one hour or one day come to, by version and branch: length and start in
-- microseconds. It is what a long history is read from.
CREATE TABLE period (
  length   BIGINT NOT NULL,
  suite    TEXT NOT NULL,
  start    BIGINT NOT NULL,
  version  TEXT NOT NULL,
  branch   TEXT NOT NULL,
  runs     BIGINT NOT NULL,
  earliest BIGINT NOT NULL,
  latest   BIGINT NOT NULL,
  trials   BIGINT NOT NULL,
  passes   BIGINT NOT NULL,
  failures BIGINT NOT NULL,
  errors   BIGINT NOT NULL,
  cost_known BIGINT NOT NULL, cost {real} NOT NULL, cost_squares {real} NOT NULL,
  seconds_known BIGINT NOT NULL, seconds {real} NOT NULL, seconds_squares {real} NOT NULL,
  tokens_known BIGINT NOT NULL, tokens {real} NOT NULL, tokens_squares {real} NOT NULL,
  turns_known BIGINT NOT NULL, turns {real} NOT NULL, turns_squares {real} NOT NULL,
  calls_known BIGINT NOT NULL, calls {real} NOT NULL, calls_squares {real} NOT NULL,
  PRIMARY KEY (length, suite, start, version, branch)
){clustered};

CREATE TABLE scenario (
  number {serial},
  name   TEXT NOT NULL UNIQUE
);

-- Trials in the order in which they count.
CREATE TABLE trial (
  run        BIGINT NOT NULL,
  part       INTEGER NOT NULL,
  position   BIGINT NOT NULL,
  scenario   BIGINT NOT NULL,
  number     BIGINT,
  outcome    SMALLINT NOT NULL,
  score      {real},
  started    TEXT,
  duration   {real},
  cost       {real},
  tokens_in  BIGINT,
  tokens_out BIGINT,
  turns      BIGINT,
  tool_calls BIGINT,
  trace      {bytes},
  PRIMARY KEY (run, part, position)
){clustered};

-- What happened in a trial, compressed, by the SHA-256 of what it says: what is the same is kept once.
CREATE TABLE trace (
  digest {bytes} NOT NULL PRIMARY KEY,
  body   {bytes} NOT NULL
);

-- Names for runs that others are compared with. The last revision of a name holds.
CREATE TABLE baseline (
  name     TEXT NOT NULL,
  revision INTEGER NOT NULL,
  at       BIGINT NOT NULL,
  who      TEXT NOT NULL,
  reason   TEXT NOT NULL,
  policy   TEXT NOT NULL,
  runs     TEXT NOT NULL,
  PRIMARY KEY (name, revision)
);

CREATE TABLE label (
  run   BIGINT NOT NULL,
  name  TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (run, name)
);
CREATE INDEX label_name ON label (name, value);
