-- The scheduled events of guilds, and the users who are interested in them.

-- +goose Up

-- due is when the clock starts or ends the event. NULL: never.
CREATE TABLE scheduled_events (
    id       BIGINT PRIMARY KEY,
    guild_id BIGINT NOT NULL,
    due      BIGINT,
    doc      BYTEA  NOT NULL,
    checksum BIGINT NOT NULL
);
CREATE INDEX scheduled_events_guild ON scheduled_events (guild_id, id);
CREATE INDEX scheduled_events_due ON scheduled_events (due);

CREATE TABLE scheduled_event_users (
    event_id BIGINT NOT NULL,
    user_id  BIGINT NOT NULL,
    checksum BIGINT NOT NULL,
    PRIMARY KEY (event_id, user_id)
);
CREATE INDEX scheduled_event_users_user ON scheduled_event_users (user_id, event_id);
