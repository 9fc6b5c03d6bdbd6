-- +goose Up

-- In SQLite a new lobby writes a page for each index that it stands in, and applications make lobbies all the time. Which lobbies
-- an application has is asked by its operator alone: the whole table is looked through then. PostgreSQL keeps the index.
DROP INDEX lobbies_application /* where one process writes */;
