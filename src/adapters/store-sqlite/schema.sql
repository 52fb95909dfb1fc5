-- weir's store, version 1. Every table that grows with the crawl has the rowid as its only key and is written in its
-- order, so an insert is an append and an update stays within a few pages: a hashed key or a due index makes them
-- 20 to 40 times dearer. What needs another order (seen test, due times) is kept in memory and rebuilt by one scan.

-- URLs in order of discovery; id is dense from 0. Appended, except when a depth or a skip is revised.
CREATE TABLE url (
  id INTEGER PRIMARY KEY,
  url TEXT NOT NULL,
  host INTEGER NOT NULL,
  depth INTEGER NOT NULL,
  via INTEGER NOT NULL,  -- position in VIAS
  skip INTEGER           -- position in SKIP_REASONS; decided at discovery or by a revision
) STRICT;

-- Current state of a URL that was settled or rescheduled at least once, then its last good copy. What the start-up
-- scan reads stands first: a row is decoded only as far as the last column asked for.
CREATE TABLE page (
  id INTEGER PRIMARY KEY,
  token INTEGER NOT NULL,      -- fencing: +1 with each accepted settlement or reschedule; no row means 0
  pass INTEGER NOT NULL,       -- last pass that settled it; 0 when none did
  outcome INTEGER,             -- position in OUTCOMES
  attempts INTEGER NOT NULL,   -- since the last settlement
  due_at INTEGER,              -- wall clock ms; only between a reschedule and the next settlement
  duplicate_of INTEGER,
  text_hash_version INTEGER,
  text_hash BLOB,
  seq INTEGER,                 -- its last visit
  code TEXT,                   -- of the last settlement
  retry_code TEXT,             -- why it waits until due_at
  flags INTEGER,               -- 1 index, 2 follow; NULL: there is no good copy
  content_type TEXT,
  charset TEXT,
  title TEXT,
  canonical TEXT,
  etag TEXT,
  last_modified TEXT,
  marks TEXT,                  -- JSON array; NULL when empty
  body_hash TEXT,
  links BLOB
) STRICT;

-- One row for each settlement, for ever: what was delivered, and the history that change rates are learned from.
CREATE TABLE visit (
  seq INTEGER PRIMARY KEY,
  id INTEGER NOT NULL,
  pass INTEGER NOT NULL,
  at INTEGER NOT NULL,
  outcome INTEGER NOT NULL,
  status INTEGER,
  code TEXT,
  message TEXT,
  ms REAL,
  bytes_wire INTEGER NOT NULL,
  bytes_body INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  changed INTEGER,
  provider TEXT,
  duplicate_of INTEGER,
  final_url TEXT,
  redirects TEXT               -- JSON array of {url, status}; NULL when empty
) STRICT;

-- Optional fields of a delivery (JSON), until every cursor has passed them.
CREATE TABLE extra (seq INTEGER PRIMARY KEY, json TEXT NOT NULL) STRICT;

CREATE TABLE host (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  shard INTEGER NOT NULL,
  limiter BLOB,
  gate_until INTEGER,
  robots TEXT
) STRICT;

-- Settlements of a pass by outcome, with the range of their numbers: finds a pass in the log without an index on it.
CREATE TABLE tally (
  pass INTEGER NOT NULL,
  outcome INTEGER NOT NULL,
  visits INTEGER NOT NULL,
  first_seq INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  PRIMARY KEY (pass, outcome)
) STRICT, WITHOUT ROWID;

-- Ids in flight at the last commit (JSON array), one row.
CREATE TABLE journal (one INTEGER PRIMARY KEY CHECK (one = 1), ids TEXT NOT NULL) STRICT;
CREATE TABLE cursor (consumer TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
