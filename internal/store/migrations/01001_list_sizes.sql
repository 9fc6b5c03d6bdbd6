-- How many rows a list has, so that a list with hidden rows is noticed. NULL: unknown, or none.

-- +goose Up

-- The number of commands of the scope.
ALTER TABLE scopes ADD COLUMN commands BIGINT;

-- The number of members of the lobby.
ALTER TABLE lobbies ADD COLUMN members BIGINT;
