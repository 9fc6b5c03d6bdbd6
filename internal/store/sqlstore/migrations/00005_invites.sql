-- +goose Up

-- Invites of members of lobbies to the guilds of the linked channels, by the hashes of their codes.
CREATE TABLE lobby_invites (
    hash           BYTEA  PRIMARY KEY,
    lobby_id       BIGINT NOT NULL,
    application_id BIGINT NOT NULL,
    channel_id     BIGINT NOT NULL,
    user_id        BIGINT NOT NULL,
    expires        BIGINT NOT NULL
) /* by key */;
CREATE INDEX lobby_invites_lobby ON lobby_invites (lobby_id);
CREATE INDEX lobby_invites_user ON lobby_invites (user_id);
CREATE INDEX lobby_invites_expires ON lobby_invites (expires);
