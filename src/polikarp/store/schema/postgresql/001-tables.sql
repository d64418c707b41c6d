CREATE TABLE schema_steps (
    number integer PRIMARY KEY,
    name text NOT NULL
);

-- Ids sort byte by byte, as SQLite sorts them, whatever the language of the database is.
CREATE TABLE tables (
    id text COLLATE "C" PRIMARY KEY,
    code text,
    game text NOT NULL,
    rules text NOT NULL,
    stage text NOT NULL,
    public boolean NOT NULL,
    version bigint NOT NULL,
    changed double precision NOT NULL,
    due double precision,
    body bytea NOT NULL,
    state bytea
);

CREATE UNIQUE INDEX tables_code ON tables (code) WHERE code IS NOT NULL;
CREATE INDEX tables_due ON tables (due, id) WHERE due IS NOT NULL;
CREATE INDEX tables_stage ON tables (stage, changed, id, public);

CREATE TABLE steps (
    table_id text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    seat bigint NOT NULL,
    move text,
    drawn bytea NOT NULL,
    events bytea NOT NULL,
    sealed boolean NOT NULL,
    at double precision NOT NULL,
    mark text NOT NULL,
    PRIMARY KEY (table_id, number)
);

CREATE TABLE chat (
    table_id text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    seat bigint,
    name text NOT NULL,
    text text NOT NULL,
    at double precision NOT NULL,
    PRIMARY KEY (table_id, number)
);

CREATE TABLE sitters (
    table_id text COLLATE "C" NOT NULL,
    person text COLLATE "C" NOT NULL,
    PRIMARY KEY (table_id, person)
);

CREATE INDEX sitters_person ON sitters (person, table_id);

CREATE TABLE servers (
    id text COLLATE "C" PRIMARY KEY,
    beat double precision NOT NULL,
    gone boolean NOT NULL
);

CREATE TABLE outages (
    began double precision NOT NULL,
    ended double precision NOT NULL,
    PRIMARY KEY (began, ended)
);

CREATE TABLE house (
    name text COLLATE "C" PRIMARY KEY,
    value text NOT NULL
);
