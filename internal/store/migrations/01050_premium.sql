-- Entitlements to the offers of applications, subscriptions to them, and role connections.

-- +goose Up

-- guild_id is 0 for an entitlement of a user. ends is NULL for one without an end.
CREATE TABLE entitlements (
    id             BIGINT PRIMARY KEY,
    application_id BIGINT NOT NULL,
    sku_id         BIGINT NOT NULL,
    user_id        BIGINT NOT NULL,
    guild_id       BIGINT NOT NULL,
    ends           BIGINT,
    deleted        BIGINT NOT NULL,
    doc            BYTEA  NOT NULL,
    checksum       BIGINT NOT NULL
);
CREATE INDEX entitlements_application ON entitlements (application_id, id);
CREATE INDEX entitlements_user ON entitlements (user_id, application_id, id);
CREATE INDEX entitlements_guild ON entitlements (guild_id, application_id, id);

-- due is when the clock renews or ends the subscription. NULL: never.
CREATE TABLE subscriptions (
    id             BIGINT PRIMARY KEY,
    application_id BIGINT NOT NULL,
    sku_id         BIGINT NOT NULL,
    user_id        BIGINT NOT NULL,
    due            BIGINT,
    doc            BYTEA  NOT NULL,
    checksum       BIGINT NOT NULL
);
CREATE INDEX subscriptions_user ON subscriptions (user_id, application_id, id);
CREATE INDEX subscriptions_due ON subscriptions (due);

CREATE TABLE role_connections (
    application_id BIGINT NOT NULL,
    user_id        BIGINT NOT NULL,
    doc            BYTEA  NOT NULL,
    checksum       BIGINT NOT NULL,
    PRIMARY KEY (application_id, user_id)
);
CREATE INDEX role_connections_user ON role_connections (user_id, application_id);
