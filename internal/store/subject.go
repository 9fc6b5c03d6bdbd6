package store

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/snowflake"
)

// Subject is the unit of consistency. Its revision changes with every write to one of its records.
type Subject struct {
	Kind Kind
	A, B uint64 // ids, or the first 16 bytes of a hash
}

// Kind is the kind of a subject. Its number is stored.
type Kind uint8

// The kinds of subjects.
const (
	KindScope            Kind = 1  // the commands of an application in one scope
	KindOverwrites       Kind = 2  // the permission overwrites of an application in a guild
	KindLobby            Kind = 3  // a lobby with its members
	KindLobbyMemberships Kind = 4  // the lobbies of an application that a user is in
	KindInteraction      Kind = 5  // an interaction with its messages
	KindGuild            Kind = 6  // a guild with its roles, channels and installs
	KindMember           Kind = 7  // a user in a guild
	KindMemberships      Kind = 8  // the guilds that a user is in
	KindUser             Kind = 9  // a user with the apps they installed
	KindApplication      Kind = 10 // an application
	KindInstalls         Kind = 11 // the guilds that an application is installed in
	KindChannel          Kind = 12 // a channel
	KindDirects          Kind = 13 // the direct-message channels of a user
	KindCredential       Kind = 14 // a token
	KindTokens           Kind = 15 // the lasting tokens of an application or a user
	KindCode             Kind = 16 // an authorization code
	KindGrant            Kind = 17 // a pair of access and refresh token
	KindConsent          Kind = 18 // the scopes that a user granted to an application
	KindDevice           Kind = 19 // a device that waits for the decision of a user
	KindSession          Kind = 20 // a browser session of a signed-in user
	KindAccount          Kind = 21 // a user at another identity provider
	KindKeys             Kind = 22 // the keys that sign ID tokens
	KindSecret           Kind = 23 // the lobby of a secret
	KindInvite           Kind = 24 // an invite to the guild of a linked channel
	KindNode             Kind = 25 // a node number
	KindTombstone        Kind = 27 // a deletion whose rows are still being removed
	KindListeners        Kind = 28 // the nodes that have gateway clients of an application
	KindRole             Kind = 29 // a deleted role; other roles belong to the guild
	KindStorage          Kind = 30 // the files of an application, or of a guild
	KindAssertion        Kind = 34 // a client assertion that was used
	KindDeletions        Kind = 35 // the deletions of commands in one scope
	KindCommandSets      Kind = 36 // the permission sets of a command in all guilds
	KindNonce            Kind = 40 // the nonce of an invocation or of a message
	KindMessages         Kind = 41 // the messages of a channel
	KindThreadMembers    Kind = 42 // the members of a thread
	KindThreads          Kind = 43 // the threads of a channel
	KindWebhook          Kind = 44 // a webhook
	KindWebhooks         Kind = 45 // the webhooks of a channel
	KindGuildInvite      Kind = 46 // an invite to a guild
	KindGuildInvites     Kind = 47 // the invites to a guild
	KindSlowMode         Kind = 48 // when a user may write again in a channel
	KindCrosspost        Kind = 49 // the copies of a published message
	KindBan              Kind = 52 // the ban of a user from a guild
	KindAuditChain       Kind = 53 // the chain of hashes of the audit log
	KindLink             Kind = 54 // the lobby that is linked with a channel
	KindLastDay          Kind = 60 // the last day on which a user was active
	KindOutgoing         Kind = 70 // a delivery to another program
	KindServiceKeys      Kind = 75 // the keys with which the service signs requests
	KindIdentity         Kind = 85 // a player of an application at an identity provider
	KindIdentities       Kind = 86 // the identities of a user in an application
	KindTransfer         Kind = 87 // a user whose lobbies another user takes over
	KindEventFailures    Kind = 88 // the failed event webhooks of an application
	KindScheduledEvents  Kind = 90 // the scheduled events of a guild
	KindEntitlements     Kind = 95 // the entitlements and subscriptions of a user in an application
	KindEntitlementsIn   Kind = 96 // the entitlements and subscriptions of a guild in an application
	KindRoleConnection   Kind = 97 // the role connection of a user with an application
)

// String returns the subject for logs and metrics.
func (s Subject) String() string { return fmt.Sprintf("%d/%d/%d", s.Kind, s.A, s.B) }

// Compare orders subjects by kind and ids. Commits lock subjects in this order, so they cannot deadlock.
func (s Subject) Compare(o Subject) int {
	switch {
	case s == o:
		return 0
	case s.Kind != o.Kind && s.Kind < o.Kind, s.Kind == o.Kind && s.A < o.A, s.Kind == o.Kind && s.A == o.A && s.B < o.B:
		return -1
	}
	return 1
}

// ScopeSubject is the commands of an application in one scope.
func ScopeSubject(s command.Scope) Subject {
	return Subject{KindScope, uint64(s.Application), uint64(s.Guild)}
}

// DeletionsSubject is the deletions of commands in one scope. A decision that needs one command depends on it, and not on
// the scope, which every write to a command of the scope changes.
func DeletionsSubject(s command.Scope) Subject {
	return Subject{KindDeletions, uint64(s.Application), uint64(s.Guild)}
}

// CommandSetsSubject is the permission sets of a command in all guilds.
func CommandSetsSubject(id snowflake.Command) Subject { return Subject{KindCommandSets, uint64(id), 0} }

// OverwritesSubject is the permission overwrites of an application in a guild.
func OverwritesSubject(app snowflake.Application, guild snowflake.Guild) Subject {
	return Subject{KindOverwrites, uint64(app), uint64(guild)}
}

// LobbySubject is a lobby with its members and messages.
func LobbySubject(id snowflake.Lobby) Subject { return Subject{KindLobby, uint64(id), 0} }

// LinkSubject is the lobby that is linked with a channel.
func LinkSubject(id snowflake.Channel) Subject { return Subject{KindLink, uint64(id), 0} }

// LobbyMembershipsSubject is the lobbies of an application that a user is in.
func LobbyMembershipsSubject(app snowflake.Application, user snowflake.User) Subject {
	return Subject{KindLobbyMemberships, uint64(app), uint64(user)}
}

// InteractionSubject is an interaction with its ephemeral messages.
func InteractionSubject(id snowflake.Interaction) Subject {
	return Subject{KindInteraction, uint64(id), 0}
}

// GuildSubject is a guild with its roles, channels and installs.
func GuildSubject(id snowflake.Guild) Subject { return Subject{KindGuild, uint64(id), 0} }

// MemberSubject is a user in a guild.
func MemberSubject(guild snowflake.Guild, user snowflake.User) Subject {
	return Subject{KindMember, uint64(guild), uint64(user)}
}

// BanSubject is the ban of a user from a guild.
func BanSubject(guild snowflake.Guild, user snowflake.User) Subject {
	return Subject{KindBan, uint64(guild), uint64(user)}
}

// ScheduledEventsSubject is the scheduled events of a guild, with the users who are interested in them.
func ScheduledEventsSubject(guild snowflake.Guild) Subject {
	return Subject{KindScheduledEvents, uint64(guild), 0}
}

// EntitlementsSubject is the entitlements and subscriptions of a user or a guild in an application.
func EntitlementsSubject(o Owner) Subject {
	if o.Guild != 0 {
		return Subject{KindEntitlementsIn, uint64(o.Application), uint64(o.Guild)}
	}
	return Subject{KindEntitlements, uint64(o.Application), uint64(o.User)}
}

// RoleConnectionSubject is the role connection of a user with an application.
func RoleConnectionSubject(app snowflake.Application, user snowflake.User) Subject {
	return Subject{KindRoleConnection, uint64(app), uint64(user)}
}

// EventFailuresSubject is the failures of the last event webhooks of an application.
func EventFailuresSubject(app snowflake.Application) Subject {
	return Subject{KindEventFailures, uint64(app), 0}
}

// LastDaySubject is the last day on which a user was active.
func LastDaySubject(user snowflake.User) Subject { return Subject{KindLastDay, uint64(user), 0} }

// MembershipsSubject is the guilds that a user is in.
func MembershipsSubject(user snowflake.User) Subject {
	return Subject{KindMemberships, uint64(user), 0}
}

// OutgoingSubject is a delivery to another program.
func OutgoingSubject(id OutgoingID) Subject { return Subject{KindOutgoing, uint64(id), 0} }

// UserSubject is a user with the apps they installed.
func UserSubject(id snowflake.User) Subject { return Subject{KindUser, uint64(id), 0} }

// ApplicationSubject is an application.
func ApplicationSubject(id snowflake.Application) Subject {
	return Subject{KindApplication, uint64(id), 0}
}

// InstallsSubject is the guilds that an application is installed in.
func InstallsSubject(app snowflake.Application) Subject { return Subject{KindInstalls, uint64(app), 0} }

// ChannelSubject is a channel.
func ChannelSubject(id snowflake.Channel) Subject { return Subject{KindChannel, uint64(id), 0} }

// DirectsSubject is the direct-message channels of a user.
func DirectsSubject(user snowflake.User) Subject { return Subject{KindDirects, uint64(user), 0} }

// MessagesSubject is the messages of a channel, without ephemeral ones, with their reactions, pins and votes.
func MessagesSubject(id snowflake.Channel) Subject { return Subject{KindMessages, uint64(id), 0} }

// SlowModeSubject is the subject of the time from which on a user may write again in a channel.
func SlowModeSubject(channel snowflake.Channel, user snowflake.User) Subject {
	return Subject{KindSlowMode, uint64(channel), uint64(user)}
}

// ThreadMembersSubject is the members of a thread.
func ThreadMembersSubject(id snowflake.Channel) Subject {
	return Subject{KindThreadMembers, uint64(id), 0}
}

// ThreadsSubject is the threads of a channel.
func ThreadsSubject(parent snowflake.Channel) Subject { return Subject{KindThreads, uint64(parent), 0} }

// WebhookSubject is a webhook.
func WebhookSubject(id snowflake.Webhook) Subject { return Subject{KindWebhook, uint64(id), 0} }

// WebhooksSubject is the webhooks of a channel.
func WebhooksSubject(channel snowflake.Channel) Subject {
	return Subject{KindWebhooks, uint64(channel), 0}
}

// CrosspostSubject is the copies of a published message, and the work on them.
func CrosspostSubject(id snowflake.Message) Subject { return Subject{KindCrosspost, uint64(id), 0} }

// GuildInviteSubject is an invite to a guild.
func GuildInviteSubject(code string) Subject {
	return hashed(KindGuildInvite, sha256.Sum256([]byte(code)))
}

// GuildInvitesSubject is the invites to a guild.
func GuildInvitesSubject(guild snowflake.Guild) Subject {
	return Subject{KindGuildInvites, uint64(guild), 0}
}

// CredentialSubject is a token.
func CredentialSubject(hash TokenHash) Subject { return hashed(KindCredential, hash) }

// TokensSubject is the lasting tokens of an application or a user: bot, user and operator tokens.
func TokensSubject(app snowflake.Application, user snowflake.User) Subject {
	return Subject{KindTokens, uint64(app), uint64(user)}
}

// CodeSubject is an authorization code.
func CodeSubject(hash TokenHash) Subject { return hashed(KindCode, hash) }

// GrantSubject is a pair of access and refresh token.
func GrantSubject(id TokenHash) Subject { return hashed(KindGrant, id) }

// ConsentSubject is the scopes that a user granted to an application.
func ConsentSubject(app snowflake.Application, user snowflake.User) Subject {
	return Subject{KindConsent, uint64(app), uint64(user)}
}

// DeviceSubject is a device that waits for the decision of a user.
func DeviceSubject(hash TokenHash) Subject { return hashed(KindDevice, hash) }

// SessionSubject is a browser session of a signed-in user.
func SessionSubject(hash TokenHash) Subject { return hashed(KindSession, hash) }

// NonceSubject is the nonce of an invocation.
func NonceSubject(hash TokenHash) Subject { return hashed(KindNonce, hash) }

// AssertionSubject is a client assertion that was used.
func AssertionSubject(hash TokenHash) Subject { return hashed(KindAssertion, hash) }

// AccountSubject is a user at another identity provider.
func AccountSubject(issuer, subject string) Subject {
	return hashed(KindAccount, sha256.Sum256([]byte(issuer+"\x00"+subject)))
}

// IdentitySubject is a player of an application at an identity provider.
func IdentitySubject(hash TokenHash) Subject { return hashed(KindIdentity, hash) }

// IdentitiesSubject is the identities of a user in an application.
func IdentitiesSubject(app snowflake.Application, user snowflake.User) Subject {
	return Subject{KindIdentities, uint64(app), uint64(user)}
}

// TransferSubject is a user whose lobbies another user takes over.
func TransferSubject(app snowflake.Application, from snowflake.User) Subject {
	return Subject{KindTransfer, uint64(app), uint64(from)}
}

// KeysSubject is the keys that sign ID tokens.
func KeysSubject() Subject { return Subject{Kind: KindKeys} }

// ServiceKeysSubject is the keys with which the service signs requests to other programs.
func ServiceKeysSubject() Subject { return Subject{Kind: KindServiceKeys} }

// SecretSubject is the lobby of a secret of an application.
func SecretSubject(app snowflake.Application, hash SecretHash) Subject {
	s := hashed(KindSecret, hash)
	s.B ^= uint64(app)
	return s
}

// InviteSubject is an invite to the guild of a linked channel.
func InviteSubject(hash SecretHash) Subject { return hashed(KindInvite, hash) }

// NodeSubject is a node number.
func NodeSubject(number uint16) Subject { return Subject{KindNode, uint64(number), 0} }

// StorageSubject is the files of an application, or of a guild if app is 0.
func StorageSubject(app snowflake.Application, guild snowflake.Guild) Subject {
	return Subject{KindStorage, uint64(app), uint64(guild)}
}

func hashed[H ~[32]byte](kind Kind, hash H) Subject {
	h := [32]byte(hash)
	return Subject{kind, binary.BigEndian.Uint64(h[:8]), binary.BigEndian.Uint64(h[8:16])}
}
