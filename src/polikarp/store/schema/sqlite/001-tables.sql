CREATE TABLE schema_steps (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL
);

CREATE TABLE tables (
    id TEXT NOT NULL PRIMARY KEY,
    code TEXT,
    game TEXT NOT NULL,
    rules TEXT NOT NULL,
    stage TEXT NOT NULL,
    public INTEGER NOT NULL,
    version INTEGER NOT NULL,
    changed REAL NOT NULL,
    due REAL,
    body BLOB NOT NULL,
    state BLOB
);

CREATE UNIQUE INDEX tables_code ON tables (code) WHERE code IS NOT NULL;
CREATE INDEX tables_due ON tables (due, id) WHERE due IS NOT NULL;
-- `public` stands last so that it is looked at in the index, without going to the row.
CREATE INDEX tables_stage ON tables (stage, changed, id, public);

-- What people send has no NUL in it: PostgreSQL could not take it over.
CREATE TABLE steps (
    table_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    move TEXT CHECK (instr(move, char(0)) = 0),
    drawn BLOB NOT NULL,
    events BLOB NOT NULL,
    sealed INTEGER NOT NULL,
    at REAL NOT NULL,
    mark TEXT NOT NULL CHECK (instr(mark, char(0)) = 0),
    PRIMARY KEY (table_id, number)
) WITHOUT ROWID;

CREATE TABLE chat (
    table_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    seat INTEGER,
    name TEXT NOT NULL CHECK (instr(name, char(0)) = 0),
    text TEXT NOT NULL CHECK (instr(text, char(0)) = 0),
    at REAL NOT NULL,
    PRIMARY KEY (table_id, number)
) WITHOUT ROWID;

CREATE TABLE sitters (
    table_id TEXT NOT NULL,
    person TEXT NOT NULL,
    PRIMARY KEY (table_id, person)
) WITHOUT ROWID;

CREATE INDEX sitters_person ON sitters (person, table_id);

CREATE TABLE servers (
    id TEXT NOT NULL PRIMARY KEY,
    beat REAL NOT NULL,
    gone INTEGER NOT NULL
);

CREATE TABLE outages (
    began REAL NOT NULL,
    ended REAL NOT NULL,
    PRIMARY KEY (began, ended)
) WITHOUT ROWID;

CREATE TABLE house (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);
