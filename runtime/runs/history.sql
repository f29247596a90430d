-- The record stands last: SQLite then reads the other columns without its many pages.
CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    started REAL NOT NULL,
    finished REAL,
    status TEXT NOT NULL,
    process INTEGER,
    process_began INTEGER,
    workload TEXT NOT NULL,
    workload_digest TEXT NOT NULL,
    data_digest TEXT,
    family TEXT NOT NULL,
    label TEXT NOT NULL,
    way TEXT,
    backend TEXT,
    partitions INTEGER,
    predicted REAL,
    measured REAL,
    results INTEGER,
    answer TEXT,
    kernel_seconds REAL,
    engine_seconds REAL,
    total_seconds REAL,
    error TEXT,
    pace REAL,
    master TEXT,
    start_seconds REAL,
    note TEXT NOT NULL DEFAULT '',
    baseline INTEGER NOT NULL DEFAULT 0,
    record TEXT NOT NULL
);

CREATE INDEX runs_by_start ON runs (started DESC, id);
CREATE INDEX runs_by_workload ON runs (workload_digest, started DESC, id);
CREATE UNIQUE INDEX one_baseline ON runs (workload_digest) WHERE baseline;
