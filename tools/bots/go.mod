module github.com/bellhop/bellhop/tools/bots

go 1.26.0

tool (
	github.com/bwmarrin/discordgo/examples/pingpong
	github.com/diamondburned/arikawa/v3/0-examples/simple
	github.com/disgoorg/disgo/_examples/ping_pong
)

require (
	github.com/bwmarrin/discordgo v0.29.0 // indirect
	github.com/diamondburned/arikawa/v3 v3.6.0 // indirect
	github.com/disgoorg/disgo v0.19.6 // indirect
	github.com/disgoorg/godave v0.1.0 // indirect
	github.com/disgoorg/json/v2 v2.0.0 // indirect
	github.com/disgoorg/omit v1.0.0 // indirect
	github.com/disgoorg/snowflake/v2 v2.0.3 // indirect
	github.com/gorilla/schema v1.4.1 // indirect
	github.com/gorilla/websocket v1.5.3 // indirect
	github.com/klauspost/compress v1.18.4 // indirect
	github.com/sasha-s/go-csync v0.0.0-20240107134140-fcbab37b09ad // indirect
	golang.org/x/crypto v0.48.0 // indirect
	golang.org/x/sys v0.41.0 // indirect
	golang.org/x/time v0.10.0 // indirect
)
