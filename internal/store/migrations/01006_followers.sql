-- Channels that follow announcement channels, and the copies of published messages.

-- +goose Up

-- The webhooks that repeat the published messages of a channel.
CREATE TABLE followers (
    channel_id BIGINT NOT NULL,
    webhook_id BIGINT NOT NULL,
    checksum   BIGINT NOT NULL,
    PRIMARY KEY (channel_id, webhook_id)
) /* by key */;
CREATE INDEX followers_webhook ON followers (webhook_id);

-- The published messages whose copies have to change. after is the last webhook whose copy is done, fresh says that webhooks
-- without a copy get one, due is when to work on it.
CREATE TABLE crossposts (
    message_id BIGINT PRIMARY KEY,
    channel_id BIGINT NOT NULL,
    after      BIGINT NOT NULL,
    fresh      BIGINT NOT NULL,
    due        BIGINT NOT NULL,
    checksum   BIGINT NOT NULL
);
CREATE INDEX crossposts_due ON crossposts (due);

-- The copies of published messages.
CREATE TABLE crosspost_copies (
    source_id  BIGINT NOT NULL,
    webhook_id BIGINT NOT NULL,
    channel_id BIGINT NOT NULL,
    message_id BIGINT NOT NULL,
    checksum   BIGINT NOT NULL,
    PRIMARY KEY (source_id, webhook_id)
) /* by key */;
CREATE INDEX crosspost_copies_message ON crosspost_copies (message_id);
