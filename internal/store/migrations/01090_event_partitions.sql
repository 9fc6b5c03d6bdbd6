-- Which nodes need an event.

-- +goose Up

-- The partitions of the event (events.Event.Partitions): a node reads only those of its sessions. 0 is for all nodes, also of a
-- version that does not know the column.
ALTER TABLE events ADD COLUMN partitions INTEGER[] NOT NULL DEFAULT '{0}';
