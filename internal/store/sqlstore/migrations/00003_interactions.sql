-- +goose Up

-- doc is what never changes. due is when time alone changes something, NULL for never; an interaction that is not due any
-- more goes when it is old, and ids tell how old. modal is NULL for none.
CREATE TABLE interactions (
    id             BIGINT PRIMARY KEY,
    application_id BIGINT NOT NULL,
    user_id        BIGINT NOT NULL,
    hash           BYTEA  NOT NULL,
    revision       BIGINT NOT NULL,
    due            BIGINT,
    status         BIGINT NOT NULL,
    answer         BIGINT NOT NULL,
    follow_ups     BIGINT NOT NULL,
    deleted        BIGINT NOT NULL,
    original_id    BIGINT NOT NULL,
    modal          BYTEA,
    doc            BYTEA  NOT NULL
);
CREATE INDEX interactions_due ON interactions (due) WHERE due IS NOT NULL;

CREATE TABLE messages (
    id         BIGINT PRIMARY KEY,
    channel_id BIGINT NOT NULL,
    ephemeral  BIGINT NOT NULL,
    doc        BYTEA  NOT NULL
);
CREATE INDEX messages_channel ON messages (channel_id, ephemeral, id);
CREATE INDEX messages_ephemeral ON messages (id) WHERE ephemeral <> 0;

-- Which message has a file, or had it once.
CREATE TABLE message_files (
    attachment_id BIGINT PRIMARY KEY,
    message_id    BIGINT NOT NULL
);
CREATE INDEX message_files_message ON message_files (message_id);

CREATE TABLE activities (
    launch_id BIGINT PRIMARY KEY,
    doc       BYTEA  NOT NULL
);
