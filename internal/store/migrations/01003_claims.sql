-- Which node does which due work now, so that nodes that share a database do not do the same work.

-- +goose Up

-- holder is a number of the process, and until a time of PostgreSQL's clock. The table may be lost: then two nodes may do the
-- same work, and the commit decides.
CREATE /* unlogged */ TABLE claims (
    work   BIGINT NOT NULL,
    id     BIGINT NOT NULL,
    holder BIGINT NOT NULL,
    until  BIGINT NOT NULL,
    PRIMARY KEY (work, id)
) /* by key */;
