-- What bots and people do in channels: reactions, pins, votes, threads, webhooks and invites.

-- +goose Up

-- The messages of a channel as a whole. messages is how many there are, sent how many there ever were, last_pin when a
-- message was pinned last (NULL: never).
CREATE TABLE channel_messages (
    channel_id      BIGINT PRIMARY KEY,
    guild_id        BIGINT NOT NULL,
    last_message_id BIGINT NOT NULL,
    messages        BIGINT NOT NULL,
    sent            BIGINT NOT NULL,
    pins            BIGINT NOT NULL,
    last_pin        BIGINT,
    checksum        BIGINT NOT NULL
) /* often changed */;
CREATE INDEX channel_messages_guild ON channel_messages (guild_id);

-- The pinned messages of each channel. pinned is a time, and differs between the pins of a channel.
CREATE TABLE pins (
    channel_id BIGINT NOT NULL,
    pinned     BIGINT NOT NULL,
    message_id BIGINT NOT NULL,
    checksum   BIGINT NOT NULL,
    PRIMARY KEY (channel_id, pinned)
) /* by key */;
CREATE INDEX pins_message ON pins (message_id);

-- Who reacted with which emoji. emoji is the id of a custom emoji, or the text of a standard one.
CREATE TABLE reactions (
    message_id BIGINT NOT NULL,
    emoji      TEXT   NOT NULL,
    user_id    BIGINT NOT NULL,
    checksum   BIGINT NOT NULL,
    PRIMARY KEY (message_id, emoji, user_id)
) /* by key */;

-- The polls that have not ended. due is when they end.
CREATE TABLE polls (
    message_id BIGINT PRIMARY KEY,
    channel_id BIGINT NOT NULL,
    due        BIGINT NOT NULL,
    checksum   BIGINT NOT NULL
);
CREATE INDEX polls_due ON polls (due);

-- Who voted for which answer of a poll.
CREATE TABLE poll_votes (
    message_id BIGINT NOT NULL,
    answer     BIGINT NOT NULL,
    user_id    BIGINT NOT NULL,
    checksum   BIGINT NOT NULL,
    PRIMARY KEY (message_id, answer, user_id)
) /* by key */;

-- When users may write again in channels with slow mode.
CREATE TABLE slow_modes (
    channel_id BIGINT NOT NULL,
    user_id    BIGINT NOT NULL,
    until      BIGINT NOT NULL,
    checksum   BIGINT NOT NULL,
    PRIMARY KEY (channel_id, user_id)
) /* by key */;
CREATE INDEX slow_modes_until ON slow_modes (until);

-- Of a thread: its parent, when it was archived (NULL: it is active), and when to check whether to archive it (NULL: never).
ALTER TABLE channels ADD COLUMN parent_id BIGINT;
ALTER TABLE channels ADD COLUMN archived BIGINT;
ALTER TABLE channels ADD COLUMN due BIGINT;
CREATE INDEX channels_parent ON channels (parent_id, id) WHERE parent_id IS NOT NULL;
CREATE INDEX channels_archived ON channels (parent_id, archived, id) WHERE archived IS NOT NULL;
CREATE INDEX channels_due ON channels (due) WHERE due IS NOT NULL;

-- The members of each thread. joined is a time.
CREATE TABLE thread_members (
    thread_id BIGINT NOT NULL,
    user_id   BIGINT NOT NULL,
    joined    BIGINT NOT NULL,
    checksum  BIGINT NOT NULL,
    PRIMARY KEY (thread_id, user_id)
) /* by key */;
CREATE INDEX thread_members_user ON thread_members (user_id, thread_id);

CREATE TABLE webhooks (
    id         BIGINT PRIMARY KEY,
    guild_id   BIGINT NOT NULL,
    channel_id BIGINT NOT NULL,
    doc        BYTEA  NOT NULL,
    checksum   BIGINT NOT NULL
);
CREATE INDEX webhooks_channel ON webhooks (channel_id, id);
CREATE INDEX webhooks_guild ON webhooks (guild_id, id);

-- Invites to guilds. expires is NULL for those that do not expire.
CREATE TABLE invites (
    code       TEXT   NOT NULL PRIMARY KEY,
    guild_id   BIGINT NOT NULL,
    channel_id BIGINT NOT NULL,
    expires    BIGINT,
    doc        BYTEA  NOT NULL,
    checksum   BIGINT NOT NULL
) /* by key */;
CREATE INDEX invites_guild ON invites (guild_id, code);
CREATE INDEX invites_channel ON invites (channel_id, code);
CREATE INDEX invites_expires ON invites (expires) WHERE expires IS NOT NULL;
