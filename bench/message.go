package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/bench/clients"
	"github.com/bellhop/bellhop/bench/compare"
	"github.com/bellhop/bellhop/bench/load"
	"github.com/bellhop/bellhop/bench/process"
	"github.com/bellhop/bellhop/bench/workload"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	// Guild i belongs to application i and has every channel whose number is i modulo the number of guilds. The guild of
	// application 0 also has the two channels fewChannel and manyChannel. There are more channels than connections, as with lobbies:
	// the writes of the cases seldom wait for one another.
	firstGuild      = 1500000000000000000
	firstChannel    = 1600000000000000000
	messageChannels = 16 * smallApplications
	fewChannel      = messageChannels
	manyChannel     = messageChannels + 1
	fewMessages     = 1000
	historyPage     = 50
	// messageSessions is the number of sessions that receive every message of fanCase.
	messageSessions = 1000
)

// messageCases measure messages of bots in channels.
type messageCases struct {
	*environment
	running *registry
}

// messageWorld returns a world file in which each of the applications has a guild with its channels.
func messageWorld() []byte {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(string(workload.World(smallApplications)), ", bot_token", ", intents: [MESSAGE_CONTENT], bot_token"))
	b.WriteString("guilds:\n")
	for i := range smallApplications {
		var channels []string
		for n := i; n < messageChannels; n += smallApplications {
			channels = append(channels, fmt.Sprintf(`{id: "%d", name: room-%d}`, channelID(n), n))
		}
		if i == 0 {
			channels = append(channels, fmt.Sprintf(`{id: "%d", name: few}, {id: "%d", name: many}`, channelID(fewChannel), channelID(manyChannel)))
		}
		fmt.Fprintf(&b, "  - {id: \"%d\", name: Guild %d, owner: \"%d\", channels: [%s], installs: [{application: \"%d\", scopes: [bot]}]}\n",
			uint64(firstGuild+i), i, uint64(workload.Owner), strings.Join(channels, ", "), workload.ApplicationID(i))
	}
	return []byte(b.String())
}

func channelID(i int) uint64 { return firstChannel + uint64(i) }

// messageID returns the id of message n of channel i, before the service runs. It is older than the ids that the service creates.
func messageID(i, n int) uint64 { return 1000000000000000000 + uint64(i)<<32 + uint64(n) }

// messagesPath returns the path of the messages of channel i.
func messagesPath(i int) string {
	return "/api/v10/channels/" + strconv.FormatUint(channelID(i), 10) + "/messages"
}

// messageBody is long enough for clients to count its event.
var messageBody = []byte(`{"content":"edition ` + workload.Mark + ` of a message ` + strings.Repeat("with some text ", 20) + `"}`)

// newMessage returns the request of an application that creates a message in channel i.
func newMessage(application, i int) workload.Request {
	return workload.New(http.MethodPost, messagesPath(i), workload.BotToken(application), messageBody)
}

// newMessages returns one request per channel. Each creates a message of the application whose guild has the channel.
func newMessages() []workload.Request {
	posts := make([]workload.Request, messageChannels)
	for i := range posts {
		posts[i] = newMessage(i%smallApplications, i)
	}
	return posts
}

// fillMessages writes count messages to channel i. No process may use the database.
func fillMessages(ctx context.Context, db store.Store, i, count int) error {
	channel := snowflake.Channel(channelID(i))
	const batch = 1000
	for first := 0; first < count; first += batch {
		var c store.Change
		for n := first; n < min(first+batch, count); n++ {
			content := fmt.Sprintf(`{"content":"message %d"}`, n)
			c.Put = append(c.Put, store.Message{
				ID: snowflake.Message(messageID(i, n)), Channel: channel, Guild: firstGuild, Application: snowflake.Application(workload.ApplicationID(0)),
				User: snowflake.User(workload.ApplicationID(0)), Metadata: store.Metadata{Owners: store.Owners{ByGuild: true, Guild: firstGuild}}, Content: []byte(content),
			})
		}
		if first == 0 {
			c.Expect = append(c.Expect, store.Expectation{Subject: store.MessagesSubject(channel)})
			c.Put = append(c.Put, store.ChannelMessages{
				Channel: channel, Guild: firstGuild, Last: snowflake.Message(messageID(i, count-1)), Count: count, Sent: count,
			})
		}
		if err := db.Commit(ctx, c); err != nil {
			return fmt.Errorf("write messages: %w", err)
		}
	}
	return nil
}

// open returns the running service. The first call starts it.
func (s *messageCases) open(ctx context.Context) (*registry, error) {
	if s.running != nil {
		return s.running, nil
	}
	data, err := s.folder("messages")
	if err != nil {
		return nil, err
	}
	start := time.Now()
	db, err := sqlite.Open(ctx, filepath.Join(data, server.DatabaseFile), clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	err = errors.Join(fillMessages(ctx, db, fewChannel, min(fewMessages, s.scale)), fillMessages(ctx, db, manyChannel, s.scale), db.Close())
	if err != nil {
		return nil, err
	}
	s.logf("wrote %d messages in %v", s.scale, time.Since(start).Round(time.Millisecond))
	file, err := s.file("messages.yaml", messageWorld())
	if err != nil {
		return nil, err
	}
	p, err := s.startWith(ctx, data, file, "off", "--channel-messages", "0")
	if err != nil {
		return nil, err
	}
	s.running = &registry{p, smallApplications}
	return s.running, nil
}

// load returns a side that sends requests to the service.
func (s *messageCases) load(requests load.Source) func(context.Context) (compare.Runner, error) {
	return func(ctx context.Context) (compare.Runner, error) {
		r, err := s.open(ctx)
		if err != nil {
			return compare.Runner{}, err
		}
		return s.loaded(r.Process, requests), nil
	}
}

// createCase creates messages in the channels of the applications in turn. Each writes two rows: the message, and the state of its
// channel with the number of its messages. The bound is lower than that of a join, because a message is rendered for three readers: the
// author, and sessions with and without the intent for its content. Its profile is flat, and 0.35 was measured.
func (s *messageCases) createCase() compare.Case {
	posts := newMessages()
	return compare.Case{
		Name: "message-create", Bound: compare.AtLeast(0.3),
		Subject: s.load(workload.Varied(posts, &s.serial)),
		Yardstick: func(ctx context.Context) (compare.Runner, error) {
			answer, err := s.running.fetch(ctx, posts[0].Render(nil, s.serial.Next()))
			if err != nil {
				return compare.Runner{}, err
			}
			writes := workload.RowWrites(smallApplications*historyPage, 2, func(int) []byte { return messageBody })
			return s.durable(ctx, answer, 2, workload.Varied(writes, &s.serial))
		},
	}
}

// history returns the request for the newest messages of channel i, which belongs to application 0.
func history(i int) []byte {
	return workload.New(http.MethodGet, messagesPath(i)+"?limit="+strconv.Itoa(historyPage), workload.BotToken(0), nil).Raw
}

// historyCase reads the newest 50 messages of a channel.
func (s *messageCases) historyCase() compare.Case {
	get := history(fewChannel)
	return compare.Case{
		Name: "message-history50", Bound: compare.AtLeast(0.6),
		Subject: s.load(load.Repeat(get)),
		Yardstick: func(ctx context.Context) (compare.Runner, error) {
			answer, err := s.running.fetch(ctx, get)
			if err != nil {
				return compare.Runner{}, err
			}
			return s.bare(ctx, answer, load.Repeat(get))
		},
	}
}

// fanCase compares a message whose event 1,000 sessions receive with a loop that writes as many bytes to as many sockets.
func (s *messageCases) fanCase() compare.Case {
	var size int // of the event; set by Subject
	sessions := func() int { return s.sessions(messageSessions, 0.5) }
	return compare.Case{
		Name: "message-fan", Bound: compare.AtLeast(0.5),
		Subject: func(ctx context.Context) (compare.Runner, error) {
			p, err := s.startFan(ctx)
			if err != nil {
				return compare.Runner{}, err
			}
			const guildsAndMessages = 1 | 1<<9
			first := fmt.Sprintf(`{"op":2,"d":{"token":%q,"intents":%d,"properties":{}}}`, workload.BotToken(0), guildsAndMessages)
			c, err := clients.Open(ctx, p.Addr, socket, first, sessions(), opensWith)
			if err != nil {
				return compare.Runner{}, errors.Join(err, p.Stop())
			}
			post := newMessage(0, 0)
			sendEvent := func() error {
				_, err := (&registry{p, smallApplications}).fetch(ctx, post.Render(nil, s.serial.Next()))
				return err
			}
			err = c.Deliver(ctx, sendEvent)
			size = c.Size()
			return eventRunner(p, c, sendEvent), err
		},
		Yardstick: func(ctx context.Context) (compare.Runner, error) { return s.bareFan(ctx, size, sessions()) },
	}
}

// startFan starts a service of its own for fanCase, because its clients stay connected.
func (s *messageCases) startFan(ctx context.Context) (*process.Process, error) {
	data, err := s.folder("message-fan")
	if err != nil {
		return nil, err
	}
	file, err := s.file("messages.yaml", messageWorld())
	if err != nil {
		return nil, err
	}
	return s.start(ctx, data, file)
}

// scaleCase compares the latency of requests in the channel with -scale messages and in the one with few.
func (s *messageCases) scaleCase(name string, requests func(channel, messages int) load.Source) compare.Case {
	return compare.Case{
		Name: name, Bound: compare.AtMost(1.3), Measure: compare.P50,
		Subject:   s.load(requests(manyChannel, s.scale)),
		Yardstick: s.load(requests(fewChannel, min(fewMessages, s.scale))),
	}
}

// createsIn returns a source that creates messages in a channel.
func (s *messageCases) createsIn(channel, _ int) load.Source {
	return workload.Varied([]workload.Request{newMessage(0, channel)}, &s.serial)
}

// historyOf returns a source that reads the newest messages of a channel.
func historyOf(channel, _ int) load.Source { return load.Repeat(history(channel)) }

// pagesOf returns a source that reads random pages of a channel that has the given number of messages.
func pagesOf(channel, messages int) load.Source {
	path := messagesPath(channel) + "?limit=" + strconv.Itoa(historyPage) + "&before="
	return func(connection int) func() []byte {
		random := rand.New(rand.NewPCG(uint64(connection), 3)) // the same order in each run
		return func() []byte {
			before := messageID(channel, historyPage+random.IntN(messages-historyPage))
			return workload.New(http.MethodGet, path+strconv.FormatUint(before, 10), workload.BotToken(0), nil).Raw
		}
	}
}
