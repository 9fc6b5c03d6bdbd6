-- +goose Up

-- In SQLite whoever joins a lobby writes a page of this index, and the fewer columns it has the more who join share one. Of which
-- application a lobby is stands in the row itself, and nobody is in many. PostgreSQL keeps the wide index.
DROP INDEX lobby_members_user /* where one process writes */;
CREATE INDEX lobby_members_by_user ON lobby_members (user_id);
