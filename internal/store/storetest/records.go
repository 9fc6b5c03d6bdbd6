package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// recordCase is a record type: two records with the same key, and how to read and delete them.
type recordCase struct {
	name       string
	full, bare store.Record                    // with all fields set, and with as few as possible
	get        func(store.Reader) (any, error) // returns a record of the same type, or ErrNotFound
	key        *store.Key                      // nil when the record cannot be deleted
	with       []store.Record                  // stored before
}

// recordRules returns a round trip of every record type.
func recordRules() []rule {
	var rules []rule
	for _, c := range recordCases() {
		rules = append(rules, rule{c.name + " is stored, replaced and deleted", c.run})
	}
	return rules
}

// value converts the result of a query for recordCase.get.
func value[T any](v T, err error) (any, error) { return v, err }

func (c recordCase) check(t *testing.T, what string, r store.Reader, want store.Record) {
	t.Helper()
	got, err := c.get(r)
	if want == nil {
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: %v, %v, want %v", what, got, err, store.ErrNotFound)
		}
		return
	}
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
	same(t, what, got, want)
}

func (c recordCase) run(t *testing.T, s store.Store) {
	stored := func(what string, want store.Record) {
		t.Helper()
		read(t, s, func(r store.Reader) (any, error) {
			c.check(t, what, r, want)
			return nil, nil
		})
	}
	if len(c.with) > 0 {
		put(t, s, c.with...)
	}
	stored("before the first put", nil)
	for _, r := range []store.Record{c.bare, c.full, c.bare} {
		put(t, s, r)
		stored("after a put", r)
	}
	if c.key == nil {
		return
	}
	remove(t, s, *c.key)
	stored("after a delete", nil)
	remove(t, s, *c.key) // deleting a missing record is no error
	c.runInDecision(t, s, "without a stored record", stored)
	put(t, s, c.full)
	c.runInDecision(t, s, "with a stored record", stored)
}

// runInDecision stores and deletes the record several times in one decision.
func (c recordCase) runInDecision(t *testing.T, s store.Store, what string, stored func(string, store.Record)) {
	t.Helper()
	for _, last := range []store.Record{c.bare, nil, c.full} {
		decide(t, s, func(tx *store.Tx) error {
			for _, r := range []store.Record{c.full, nil, c.bare, c.full, last} {
				if r == nil {
					tx.Delete(*c.key)
				} else if err := tx.Put(r); err != nil {
					return err
				}
				c.check(t, what+", in the decision", tx.Reader, r)
			}
			return nil
		})
		stored(what+", after the decision", last)
	}
	remove(t, s, *c.key)
	stored(what+", after a delete", nil)
}

func chatCommand(scope command.Scope, id snowflake.Command, name string) store.Command {
	return store.Command{Command: command.Command{
		ID: id, Scope: scope, Version: snowflake.Version(id + 5), Type: command.ChatInput, Name: name,
		Doc: fmt.Appendf(nil, `{"name":%q,"of":%d}`, name, id),
	}}
}

// only returns the record of a list with one entry.
func only[T any](list []T, err error) (T, error) {
	var none T
	switch {
	case err != nil:
		return none, err
	case len(list) == 0:
		return none, store.ErrNotFound
	case len(list) > 1:
		return none, fmt.Errorf("the list has %d entries, want 1", len(list))
	}
	return list[0], nil
}

// recordCases returns all record types except nodes, which cannot be deleted.
func recordCases() []recordCase {
	var all []recordCase
	all = append(all, commandCases()...)
	all = append(all, directoryCases()...)
	all = append(all, placeCases()...)
	all = append(all, lobbyCases()...)
	all = append(all, interactionCases()...)
	all = append(all, channelCases()...)
	all = append(all, crosspostCases()...)
	all = append(all, outgoingCase())
	all = append(all, grantCases()...)
	all = append(all, identityCases()...)
	return append(all, recordCase{
		name: "node", bare: store.Node{}, full: store.Node{Holder: "host ☃", Until: noon, Ceiling: noon.Add(time.Hour)},
		get: func(r store.Reader) (any, error) { return value(only(r.Nodes.All())) },
	})
}

func commandCases() []recordCase {
	scope := command.Scope{Application: 100, Guild: 300}
	return []recordCase{
		{
			name: "quota",
			full: store.Quota{Scope: scope, Since: noon, Used: 200, Commands: 7}, bare: store.Quota{Scope: scope},
			get: func(r store.Reader) (any, error) {
				q, err := r.Commands.Quota(scope)
				if scopes, listErr := r.Commands.ScopesOf(100); len(scopes) == 0 { // a scope without a row has the zero quota
					return nil, errors.Join(store.ErrNotFound, err, listErr)
				}
				return q, err
			},
			key: new(store.ScopeKey(scope)),
		},
		{
			name: "command",
			full: store.Command{Command: command.Command{
				ID: snowflake.Max, Scope: scope, Version: snowflake.Max - 1, Type: command.PrimaryEntryPoint, Name: "Größe 🎲 it's \"",
				Doc: []byte(`{"z":1,  "a":"\u00e9 ☃"}`), Closed: true,
			}},
			bare: store.Command{Command: command.Command{ID: snowflake.Max, Scope: scope, Type: command.ChatInput, Doc: []byte{}}},
			get: func(r store.Reader) (any, error) {
				c, err := only(r.Commands.Commands(scope))
				return store.Command{Command: c}, err
			},
			key: new(store.CommandKey(scope, snowflake.Max)),
		},
		{
			name: "permission set",
			full: store.OverwriteSet{Guild: 300, Application: 100, ID: 1000, Entries: []store.OverwriteEntry{
				{ID: 301, Type: 1, Allow: true}, {ID: 200, Type: 2}, {ID: snowflake.Max, Type: 3, Allow: true},
			}},
			bare: store.OverwriteSet{Guild: 300, Application: 100, ID: 1000},
			get:  func(r store.Reader) (any, error) { return value(only(r.Commands.Overwrites(100, 300))) },
			key:  new(store.OverwriteSetKey(100, 300, 1000)),
		},
	}
}

func directoryCases() []recordCase {
	tombstone := store.Tombstone{Kind: store.KindChannel, ID: 310, Guild: 300}
	guildInstall, userInstall := store.Install{Application: 100, Guild: 300}, store.Install{Application: 100, User: 200}
	return []recordCase{
		{
			name: "user",
			full: store.User{ID: 200, Username: "ada", GlobalName: "Ada ☃", Locale: locale.EnglishUK, Email: "ada@example.com", Minor: true},
			bare: store.User{ID: 200},
			get:  func(r store.Reader) (any, error) { return value(r.Directory.User(200)) },
			key:  new(store.UserKey(200)),
		},
		{
			name: "application",
			full: store.Application{
				ID: 100, Name: "Echo", Description: "says it again", Owner: 200, PublicClient: true, IntegrationTypes: []uint8{0, 1},
				Activities: true, InteractionsEndpointURL: "https://example.com/i?a=1&b=<2>",
				RedirectURIs: []string{"http://127.0.0.1:9000/callback", ""}, LogoutURIs: []string{"https://example.com/"},
				GrantTypes: []string{"implicit"}, RequirePKCE: true, ClientKeys: []string{"-----BEGIN"}, RequestsPerSecond: 1200, SecretHash: []byte{0, 255, 1},
				SigningKey: []byte("0123456789abcdef0123456789abcdef"), Sealed: "k1", VerifyKey: []byte{0, 255}, Tags: []string{"dice", "☃"}, Intents: 1 << 19,
				DefaultInstall:   &store.InstallParams{Scopes: []string{"bot"}, Permissions: 8},
				CustomInstallURL: "https://example.com/install", RoleConnectionsURL: "https://example.com/verify", BotName: "Dice",
				InstallParams: map[uint8]store.InstallParams{
					0: {Scopes: []string{"bot"}, Permissions: permission.All}, 1: {Scopes: []string{"applications.commands"}},
				},
			},
			bare: store.Application{ID: 100},
			get:  func(r store.Reader) (any, error) { return value(r.Directory.Application(100)) },
			key:  new(store.ApplicationKey(100)),
		},
		{
			name: "member",
			full: store.Member{
				Guild: 300, User: 200, Nick: "Countess", Roles: []snowflake.Role{301, 302}, JoinedAt: noon, TimeoutUntil: noon.Add(time.Hour),
			},
			bare: store.Member{Guild: 300, User: 200},
			get:  func(r store.Reader) (any, error) { return value(r.Directory.Member(300, 200)) },
			key:  new(store.MemberKey(300, 200)),
		},
		{
			name: "install in a guild",
			full: store.Install{
				Application: 100, Guild: 300, Scopes: []string{"bot", "applications.commands"}, Permissions: permission.All, InstalledAt: noon,
			},
			bare: guildInstall,
			get:  func(r store.Reader) (any, error) { return value(r.Directory.GuildInstall(300, 100)) },
			key:  new(store.InstallKey(guildInstall)),
		},
		{
			name: "install for a user",
			full: store.Install{Application: 100, User: 200, Scopes: []string{"applications.commands"}, InstalledAt: noon},
			bare: userInstall,
			get:  func(r store.Reader) (any, error) { return value(r.Directory.UserInstall(200, 100)) },
			key:  new(store.InstallKey(userInstall)),
		},
		{
			name: "token",
			full: store.Credential{
				Hash: store.TokenHash{0, 1, 255, 31: 7}, Kind: store.BearerToken, Application: 100, User: 200,
				Scopes: []string{"identify", "email"}, Expires: noon, Name: "ci", Created: noon, Session: true,
				Browser: store.TokenHash{8, 31: 1},
			},
			bare: store.Credential{Hash: store.TokenHash{0, 1, 255, 31: 7}, Kind: store.AdminToken},
			get: func(r store.Reader) (any, error) {
				return value(r.Credentials.Credential(store.TokenHash{0, 1, 255, 31: 7}))
			},
			key: new(store.CredentialKey(store.TokenHash{0, 1, 255, 31: 7})),
		},
		{
			name: "tombstone", full: tombstone, bare: tombstone,
			get: func(r store.Reader) (any, error) {
				there, err := r.Directory.Tombstone(tombstone)
				if err == nil && !there {
					err = store.ErrNotFound
				}
				return tombstone, err
			},
			key: new(store.TombstoneKey(tombstone)),
		},
	}
}

func placeCases() []recordCase {
	return []recordCase{
		{
			name: "guild",
			full: store.Guild{
				ID: 300, Name: "Lab", Owner: 200, PreferredLocale: locale.Spanish, Everyone: permission.Bits(1<<64 - 1),
				GuildSettings: store.GuildSettings{
					Features: []string{"BANNER"}, Description: "d", VerificationLevel: 1, Notifications: 1, ContentFilter: 2, AFKChannel: 400,
					AFKTimeout: 60, SystemChannel: 401, SystemFlags: 3, RulesChannel: 402, UpdatesChannel: 403, SafetyChannel: 404,
					ProgressBar: true, Icon: "a", Splash: "b", DiscoverySplash: "c", Banner: "d", HomeHeader: "e",
				},
			},
			bare: store.Guild{ID: 300},
			get:  func(r store.Reader) (any, error) { return value(r.Directory.Guild(300)) },
			key:  new(store.GuildKey(300)),
		},
		{
			name: "role",
			full: store.Role{
				ID: 301, Guild: 300, Name: "mods", Permissions: permission.MaxBits, Position: 3, Color: 0xffffff, Hoist: true,
				Mentionable: true, Managed: 100, Secondary: new(0), Tertiary: new(7), Icon: "a", UnicodeEmoji: "🔥",
			},
			bare: store.Role{ID: 301, Guild: 300},
			get:  func(r store.Reader) (any, error) { return value(only(r.Directory.Roles(300))) },
			key:  new(store.RoleKey(300, 301)),
		},
		{
			name: "channel",
			full: store.Channel{
				ID: 310, Guild: 300, Type: 11, Name: "general", Topic: "all & sundry", Position: 2, NSFW: true, Parent: 309, Archived: true,
				Owner: 200, Flags: 2, SlowMode: 30, Thread: &store.Thread{
					Since: noon, AutoArchive: 60, Locked: true, Invitable: true, Tags: []snowflake.Tag{9}, Due: noon,
				},
				Voice: &store.Voice{Bitrate: 64000, UserLimit: 5, Region: "rotterdam", Quality: 1, Status: "Chess"},
				Forum: &store.Forum{
					AutoArchive: 1440, SlowMode: 5, Reaction: &store.Emoji{Name: "🔥"}, SortOrder: new(0), Layout: 1,
					Tags: []store.ForumTag{{ID: 9, Name: "solved", Moderated: true, Emoji: &store.Emoji{ID: 600, Name: "ok", Animated: true}}},
				},
				Overwrites: []store.ChannelOverwrite{{ID: 301, Allow: permission.ViewChannel, Deny: 1 << 63}, {ID: 200, Type: 1}},
			},
			bare: store.Channel{ID: 310, Guild: 300},
			get:  func(r store.Reader) (any, error) { return value(r.Directory.Channel(310)) },
			key:  new(store.ChannelKey(store.Channel{ID: 310, Guild: 300})),
		},
		{
			name: "direct-message channel",
			full: store.Channel{ID: 500, Type: 3, Name: "trio", Recipients: []snowflake.User{200, 201, 202}},
			bare: store.Channel{ID: 500, Recipients: []snowflake.User{200, 201}},
			get:  func(r store.Reader) (any, error) { return value(only(r.Directory.DirectChannels(200))) },
			key:  new(store.ChannelKey(store.Channel{ID: 500, Recipients: []snowflake.User{200, 201, 202}})),
		},
		{
			name: "message",
			full: store.Message{
				ID: 5, Channel: 310, Guild: 300, Application: 100, Interaction: 1, User: 200, Type: message.Reply, Ephemeral: true,
				Edited: noon, Reference: 3, Path: "deploy start", Everyone: true,
				Metadata: store.Metadata{
					ID: 1, Type: interaction.MessageComponent, User: 200, Owners: store.Owners{ByGuild: true, Guild: 300}, Original: 3,
					TargetUser: 201, TargetMessage: 4, Interacted: 5, Triggering: &store.Metadata{ID: 6, Type: 2, User: 200},
				},
				Mentions: []snowflake.User{200, 201}, Roles: []snowflake.Role{301}, Content: []byte(`{"content":"é","flags":0}`),
				Files: []snowflake.Attachment{1005}, Webhook: &store.WebhookAuthor{ID: 70, Name: "CI", Avatar: "a1"},
				Source: &store.Reference{Type: 1, Message: 4, Channel: 311, Guild: 300}, Snapshot: []byte(`{"content":"x"}`),
				Reactions: []store.ReactionCount{{Emoji: store.Emoji{Name: "🔥"}, Count: 2}}, Pinned: noon, Position: 3,
				Poll: &store.Poll{Ends: noon, Ended: true, Votes: []int{1, 0}},
			},
			bare: store.Message{ID: 5, Channel: 310, Ephemeral: true, Content: []byte(`{}`)}, // the channel and Ephemeral never change
			get:  func(r store.Reader) (any, error) { return value(r.Messages.Message(5)) },
			key:  new(store.MessageKey(5)),
		},
		{
			name: "stored file",
			full: store.StoredFile{ID: 1005, Application: 100, Guild: 300, Size: 25 << 20},
			bare: store.StoredFile{ID: 1005, Application: 100},
			get:  func(r store.Reader) (any, error) { return value(r.Messages.StoredFile(1005)) },
			key:  new(store.StoredFileKey(store.StoredFile{ID: 1005, Application: 100, Guild: 300})),
		},
	}
}

func lobbyCases() []recordCase {
	secret := store.LobbySecret{Application: 100, Hash: store.SecretHash{0, 255, 31: 1}, Lobby: 40, Created: noon}
	return []recordCase{
		{
			name: "lobby",
			full: store.Lobby{Due: noon.Add(time.Hour), Lobby: lobby.Lobby{
				ID: 40, Application: 100, Metadata: `{"map":"dust","é":"\u0000"}`, Flags: 1, IdleTimeout: 604800 * time.Second,
				IdleSince: noon, WebhooksURL: "https://game.example/hook", Secret: true, Channel: 310,
			}},
			bare: store.Lobby{Lobby: lobby.Lobby{ID: 40, Application: 100, IdleSince: noon}},
			get:  func(r store.Reader) (any, error) { return value(r.Lobbies.Lobby(40)) },
			key:  new(store.LobbyKey(store.Lobby{Lobby: lobby.Lobby{ID: 40, Channel: 310}})),
		},
		{
			name: "lobby membership",
			full: store.LobbyMembership{
				Lobby: 41, Application: 100, Position: 9, Member: lobby.Member{ID: 200, Metadata: `{"a":"b"}`, Flags: 1, AdditionalName: "Vex"},
			},
			bare: store.LobbyMembership{Lobby: 41, Application: 100, Position: 9, Member: lobby.Member{ID: 200}},
			get:  getLobbyMembership,
			key:  new(store.LobbyMembershipKey(100, 41, 200)),
			with: []store.Record{store.Lobby{Lobby: lobby.New(41, 100, noon)}},
		},
		{
			name: "lobby secret", full: secret, bare: store.LobbySecret{Application: 100, Hash: secret.Hash, Created: noon.Add(-time.Hour)},
			get: func(r store.Reader) (any, error) { return value(r.Lobbies.Secret(100, secret.Hash)) },
		},
		{
			name: "invite",
			full: store.Invite{Hash: store.SecretHash{5}, Lobby: 40, Application: 100, Channel: 310, User: 200, Expires: noon},
			bare: store.Invite{Hash: store.SecretHash{5}, Expires: noon.Add(time.Hour)},
			get:  func(r store.Reader) (any, error) { return value(r.Lobbies.Invite(store.SecretHash{5})) },
			key:  new(store.InviteKey(store.SecretHash{5})),
		},
		{
			name: "lobby message",
			full: store.LobbyMessage{Message: lobby.Message{
				ID: 7, Lobby: 40, Channel: 310, Application: 100, Author: 200, Content: "é\n", AdditionalName: "Vex", Moderation: `{"a":"b"}`,
			}},
			bare: store.LobbyMessage{Message: lobby.Message{ID: 7, Lobby: 40}},
			get: func(r store.Reader) (any, error) {
				m, err := r.Lobbies.Message(40, 7)
				return store.LobbyMessage{Message: m}, err
			},
			key: new(store.LobbyMessageKey(7)),
		},
	}
}

// getLobbyMembership reads the membership of lobbyCases, which is the only one of its lobby and of its user.
func getLobbyMembership(r store.Reader) (any, error) {
	id, err := only(r.Lobbies.Of(100, 200))
	if err != nil {
		return nil, err
	}
	l, positions, err := r.Lobbies.WithPositions(id)
	if err != nil {
		return nil, err
	}
	m, err := only(l.Members, nil)
	if err != nil {
		return nil, err
	}
	return store.LobbyMembership{Lobby: id, Application: l.Application, Position: positions[0], Member: *m}, nil
}

func interactionCases() []recordCase {
	id := snowflake.Interaction(1 << 40)
	full := store.Interaction{
		ID: id, Application: 100, User: 200, Hash: store.TokenHash{1, 2, 3},
		Origin: store.Origin{
			Type: interaction.ModalSubmit, Channel: 310, Guild: 300, Session: "session", Nonce: "nonce", Locale: "de",
			Owners: store.Owners{User: 200}, Command: command.ChatInput, Path: "deploy start", Component: 7, TargetUser: 201,
			TargetMessage: 8, Focus: command.Integer, Private: true, NoLaunch: interaction.ReasonNotEmbedded, Posted: true,
			Triggering: &store.Metadata{ID: 5, Type: interaction.ApplicationCommand, User: 200},
		},
		Original: 9, Modal: []byte(`{"custom_id":"m"}`), Due: noon,
		State: interaction.State{
			Status: interaction.Deferred, Created: id.Time(), UserOnly: true, Answer: interaction.DeferredChannelMessage, FollowUps: 4,
			Deleted: true,
		},
	}
	bare := store.Interaction{ID: id, Application: 100, User: 200, Hash: full.Hash, Origin: full.Origin} // those never change
	bare.State = interaction.State{Created: id.Time(), UserOnly: full.State.UserOnly}
	return []recordCase{
		{
			name: "interaction", full: full, bare: bare,
			get: func(r store.Reader) (any, error) { return value(r.Interactions.Interaction(id)) },
			key: new(store.InteractionKey(id)),
		},
		{
			name: "activity",
			full: store.Activity{Launch: id, Application: 100, Channel: 310, Guild: 300, Users: []snowflake.User{200, 201}},
			bare: store.Activity{Launch: id},
			get:  func(r store.Reader) (any, error) { return value(r.Interactions.Activity(id)) },
			key:  new(store.ActivityKey(id)),
		},
	}
}

func grantCases() []recordCase {
	hash, code := store.TokenHash{0, 9, 255, 31: 7}, store.TokenHash{5, 31: 2}
	account := store.Account{Issuer: "https://id.example", Subject: "ada ☃"}
	fullDevice := store.Device{
		Hash: hash, UserCode: code, Application: 100, Scopes: []string{"identify"}, User: 200, Decision: store.Denied, Interval: 5,
		Asked: noon, Expires: noon.Add(time.Minute), Until: noon.Add(time.Hour),
	}
	return []recordCase{
		{
			name: "authorization code",
			full: store.Code{
				Hash: hash, Application: 100, User: 200, Scopes: []string{"identify", "bot"}, RedirectURI: "mygame:/authorize/callback",
				Challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", Nonce: "n ☃", Guild: 300, Permissions: 8, SignedIn: noon,
				Expires: noon.Add(time.Minute), Until: noon.Add(time.Hour), Grant: store.TokenHash{9, 31: 1},
			},
			bare: store.Code{Hash: hash},
			get:  func(r store.Reader) (any, error) { return value(r.Grants.Code(hash)) },
			key:  new(store.CodeKey(hash)),
		},
		{
			name: "grant",
			full: store.Grant{
				ID: hash, Application: 100, User: 200, Scopes: []string{"identify"}, Access: store.TokenHash{1}, Refresh: store.TokenHash{2},
				Created: noon, Used: noon.Add(time.Minute), Until: noon.Add(time.Hour),
			},
			bare: store.Grant{ID: hash},
			get:  func(r store.Reader) (any, error) { return value(r.Grants.Grant(hash)) },
			key:  new(store.GrantKey(hash)),
		},
		{
			name: "consent",
			full: store.Consent{Application: 100, User: 200, Scopes: []string{"openid", "identify"}, Created: noon},
			bare: store.Consent{Application: 100, User: 200},
			get:  func(r store.Reader) (any, error) { return value(r.Grants.Consent(100, 200)) },
			key:  new(store.ConsentKey(100, 200)),
		},
		{
			name: "device", full: fullDevice, bare: store.Device{Hash: hash, UserCode: store.TokenHash{6}},
			get: func(r store.Reader) (any, error) { return value(r.Grants.Device(hash)) },
			key: new(store.DeviceKey(hash)),
		},
		{
			name: "user code of a device", full: fullDevice, bare: store.Device{Hash: hash, UserCode: code},
			get: func(r store.Reader) (any, error) { return value(r.Grants.DeviceByUserCode(code)) },
			key: new(store.DeviceKey(hash)),
		},
		{
			name: "signing key", full: store.SigningKey{ID: "key ☃", Private: []byte{0, 255}, Sealed: "k1", Created: noon}, bare: store.SigningKey{ID: "key ☃"},
			get: func(r store.Reader) (any, error) { return value(only(r.Grants.SigningKeys())) },
			key: new(store.SigningKeyKey("key ☃")),
		},
		{
			name: "service key", full: store.ServiceKey{Name: "hooks ☃", Seed: []byte{0, 255}, Sealed: "k1", Created: noon}, bare: store.ServiceKey{Name: "hooks ☃"},
			get: func(r store.Reader) (any, error) { return value(only(r.Grants.ServiceKeys())) },
			key: new(store.ServiceKeyKey("hooks ☃")),
		},
		{
			name: "session",
			full: store.Session{
				Hash: hash, User: 200, Agent: "Browser ☃", Created: noon, Used: noon.Add(time.Minute), Expires: noon.Add(time.Hour),
				Provider: store.ProviderSession{Issuer: "https://id.example", Subject: "s", ID: "sid"},
			}, bare: store.Session{Hash: hash},
			get: func(r store.Reader) (any, error) { return value(r.Grants.Session(hash)) },
			key: new(store.SessionKey(hash)),
		},
		{
			name: "nonce",
			full: store.Nonce{Hash: hash, Interaction: 600}, bare: store.Nonce{Hash: hash},
			get: func(r store.Reader) (any, error) { return value(r.Interactions.Nonce(hash)) },
			key: new(store.NonceKey(hash)),
		},
		{
			name: "assertion",
			full: store.Assertion{Hash: hash, Application: 100, Until: noon}, bare: store.Assertion{Hash: hash},
			get: func(r store.Reader) (any, error) { return value(r.Grants.Assertion(hash)) },
			key: new(store.AssertionKey(hash)),
		},
		{
			name: "account", full: store.Account{Issuer: account.Issuer, Subject: account.Subject, User: 200}, bare: account,
			get: func(r store.Reader) (any, error) { return value(r.Grants.Account(account.Issuer, account.Subject)) },
			key: new(store.AccountKey(account.Issuer, account.Subject)),
		},
	}
}

// optional returns a record that may be missing as a list.
func optional[T any](v T, err error) ([]T, error) {
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return []T{v}, err
}
