-- +goose Up

-- The log of events for nodes that share a database: see docs/decisions, number 18. Nodes read it in the order of xid
-- and seq. xid is the number of the transaction that recorded the event, and seq orders the events of a transaction.
-- revision is that of the change; created is a time of PostgreSQL's clock; doc is the event (events.AppendEntry).
DROP INDEX events_unpublished;
DROP INDEX events_created;
DROP TABLE events;
CREATE TABLE events (
    xid      BIGINT NOT NULL /* of the transaction */,
    seq      BIGINT NOT NULL /* counted */,
    revision BIGINT NOT NULL,
    created  BIGINT NOT NULL /* of the server's clock */,
    doc      BYTEA  NOT NULL,
    PRIMARY KEY (xid, seq)
) /* by key */;

-- The position of the last event that was removed from the log: one row.
CREATE TABLE events_removed (
    xid BIGINT NOT NULL,
    seq BIGINT NOT NULL
);
INSERT INTO events_removed (xid, seq) VALUES (0, 0);
