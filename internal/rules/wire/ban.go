package wire

import "github.com/bellhop/bellhop/snowflake"

// Ban is a ban of a guild.
type Ban struct {
	Reason NullString `json:"reason"`
	User   User       `json:"user"`
}

// BulkBan is the result of a request to ban many users.
type BulkBan struct {
	Banned []snowflake.User `json:"banned_users"`
	Failed []snowflake.User `json:"failed_users"`
}
