-- +goose Up

-- due is when to look whether the lobby has been idle for too long, NULL for never. timeout is in microseconds, metadata
-- empty for none, secret 1 when people join by a secret, channel_id the linked channel.
CREATE TABLE lobbies (
    id             BIGINT PRIMARY KEY,
    application_id BIGINT NOT NULL,
    revision       BIGINT NOT NULL,
    due            BIGINT,
    idle_since     BIGINT NOT NULL,
    timeout        BIGINT NOT NULL,
    flags          BIGINT NOT NULL,
    secret         BIGINT NOT NULL,
    channel_id     BIGINT NOT NULL,
    metadata       TEXT   NOT NULL,
    webhooks_url   TEXT   NOT NULL
) /* often changed */;
CREATE INDEX lobbies_due ON lobbies (due) WHERE due IS NOT NULL;
CREATE INDEX lobbies_application ON lobbies (application_id);
CREATE UNIQUE INDEX lobbies_channel ON lobbies (channel_id) WHERE channel_id <> 0;

CREATE TABLE lobby_members (
    lobby_id       BIGINT NOT NULL,
    user_id        BIGINT NOT NULL,
    application_id BIGINT NOT NULL,
    position       BIGINT NOT NULL,
    flags          BIGINT NOT NULL,
    metadata       TEXT   NOT NULL,
    name           TEXT   NOT NULL,
    PRIMARY KEY (lobby_id, user_id)
) /* by key */;
CREATE INDEX lobby_members_user ON lobby_members (user_id, application_id, lobby_id);

-- Where secrets lead, by their hashes.
CREATE TABLE lobby_secrets (
    application_id BIGINT NOT NULL,
    hash           BYTEA  NOT NULL,
    lobby_id       BIGINT NOT NULL,
    made           BIGINT NOT NULL,
    PRIMARY KEY (application_id, hash)
) /* by key */;
CREATE INDEX lobby_secrets_lobby ON lobby_secrets (lobby_id);

CREATE TABLE lobby_messages (
    id             BIGINT PRIMARY KEY,
    lobby_id       BIGINT NOT NULL,
    application_id BIGINT NOT NULL,
    author_id      BIGINT NOT NULL,
    channel_id     BIGINT NOT NULL,
    content        TEXT   NOT NULL,
    name           TEXT   NOT NULL,
    moderation     TEXT   NOT NULL
);
CREATE INDEX lobby_messages_lobby ON lobby_messages (lobby_id, id);
