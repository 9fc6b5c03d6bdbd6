-- Which lobbies have changed lately, for the searches of nodes that share a database.

-- +goose Up

-- A node keeps the lobbies that it searches in memory, and reads here which of them have changed. xid is the number of the
-- transaction; created is a time of PostgreSQL's clock. Triggers of PostgreSQL write the rows, so nodes of the version before write
-- them too. With SQLite there is one process, and the table stays empty.
CREATE TABLE lobby_changes (
    xid            BIGINT NOT NULL /* of the transaction */,
    lobby_id       BIGINT NOT NULL,
    application_id BIGINT NOT NULL,
    created        BIGINT NOT NULL /* of the server's clock */,
    PRIMARY KEY (xid, lobby_id)
) /* by key */;

/* triggers that note lobbies */
