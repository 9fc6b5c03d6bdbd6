package permission_test

import (
	"slices"
	"testing"

	p "github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// TestRequirements compares the table with Discord's documentation. rule names the route or the section.
func TestRequirements(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		op     p.Operation
		rule   string
		need   p.Bits // for the user's own objects
		others p.Bits // for those of other users
		code   int
		audit  uint8
	}{
		{p.OpReadMessages, "get channel messages", p.ReadMessageHistory, p.ReadMessageHistory, 50013, 0},
		{p.OpReadMessage, "get channel message", p.ReadMessageHistory, p.ReadMessageHistory, 50013, 0},
		{p.OpSendMessage, "create message", p.SendMessages, p.SendMessages, 50013, 0},
		{p.OpSendTTS, "create message, tts", p.SendTTSMessages, p.SendTTSMessages, 50013, 0},
		{p.OpSendVoiceMessage, "voice messages", p.SendVoiceMessages, p.SendVoiceMessages, 50173, 0},
		{p.OpUseExternalSticker, "create message, sticker_ids", p.UseExternalStickers, p.UseExternalStickers, 50600, 0},
		{p.OpReply, "create message, message_reference", p.ReadMessageHistory, p.ReadMessageHistory, 160002, 0},
		{p.OpIgnoreSlowmode, "slow mode", p.BypassSlowmode, p.BypassSlowmode, 20016, 0},
		{p.OpSuppressEmbeds, "edit message, flags", 0, p.ManageMessages, 50013, 0},
		{p.OpDeleteMessage, "delete message", 0, p.ManageMessages, 50013, 72},
		{p.OpBulkDeleteMessages, "bulk delete messages", p.ManageMessages, p.ManageMessages, 50013, 73},
		{p.OpCrosspost, "crosspost message", p.SendMessages, p.SendMessages | p.ManageMessages, 50013, 0},
		{p.OpPin, "pin message", p.PinMessages, p.PinMessages, 50013, 74},
		{p.OpUnpin, "unpin message", p.PinMessages, p.PinMessages, 50013, 75},
		{p.OpType, "trigger typing", p.SendMessages, p.SendMessages, 50013, 0},
		{p.OpAddFirstReaction, "create reaction", p.AddReactions | p.ReadMessageHistory, p.AddReactions | p.ReadMessageHistory, 50013, 0},
		{p.OpJoinReaction, "create reaction", p.ReadMessageHistory, p.ReadMessageHistory, 50013, 0},
		{p.OpUseExternalReaction, "create reaction", p.UseExternalEmojis, p.UseExternalEmojis, 10014, 0},
		{p.OpRemoveReaction, "delete user reaction", 0, p.ManageMessages, 50013, 0},
		{p.OpClearReactions, "delete all reactions", p.ManageMessages, p.ManageMessages, 50013, 0},
		{p.OpCreateThread, "start thread from message", p.CreatePublicThreads, p.CreatePublicThreads, 50013, 110},
		{p.OpCreatePrivateThread, "start thread without message", p.CreatePrivateThreads, p.CreatePrivateThreads, 50013, 110},
		{p.OpCreatePost, "start thread in forum", p.SendMessages, p.SendMessages, 50013, 110},
		{p.OpEditThread, "modify channel, thread", 0, p.ManageThreads, 50013, 111},
		{p.OpDeleteThread, "delete channel, thread", p.ManageThreads, p.ManageThreads, 50013, 112},
		{p.OpListPrivateThreads, "list private archived threads", p.ReadMessageHistory | p.ManageThreads, p.ReadMessageHistory | p.ManageThreads, 50013, 0},
		{p.OpCreateWebhook, "create webhook", p.ManageWebhooks, p.ManageWebhooks, 50013, 50},
		{p.OpEditChannel, "modify channel", p.ManageChannels, p.ManageChannels, 50013, 11},
		{p.OpDeleteChannel, "delete channel", p.ManageChannels, p.ManageChannels, 50013, 12},
		{p.OpEditOverwrite, "edit channel permissions", p.ManageRoles, p.ManageRoles, 50013, 14},
		{p.OpCreateInvite, "create channel invite", p.CreateInstantInvite, p.CreateInstantInvite, 50013, 40},
		{p.OpEditNick, "modify guild member, nick", p.ChangeNickname, p.ManageNicknames, 50013, 24},
		{p.OpEditMemberRoles, "modify guild member, roles", p.ManageRoles, p.ManageRoles, 50013, 25},
		{p.OpTimeOutMember, "modify guild member, timeout", p.ModerateMembers, p.ModerateMembers, 50013, 24},
		{p.OpMoveMember, "modify guild member, channel_id", p.MoveMembers, p.MoveMembers, 50013, 26},
		{p.OpDisconnectMember, "modify guild member, channel_id null", p.MoveMembers, p.MoveMembers, 50013, 27},
		{p.OpKickMember, "remove guild member", p.KickMembers, p.KickMembers, 50013, 20},
		{p.OpPrune, "begin guild prune", p.KickMembers | p.ManageGuild, p.KickMembers | p.ManageGuild, 50013, 21},
		{p.OpBanMember, "create guild ban", p.BanMembers, p.BanMembers, 50013, 22},
		{p.OpUnbanMember, "remove guild ban", p.BanMembers, p.BanMembers, 50013, 23},
		{p.OpBulkBan, "bulk guild ban", p.BanMembers | p.ManageGuild, p.BanMembers | p.ManageGuild, 50013, 22},
		{p.OpCreateRole, "create guild role", p.ManageRoles, p.ManageRoles, 50013, 30},
		{p.OpMoveRoles, "modify guild role positions", p.ManageRoles, p.ManageRoles, 50013, 31},
		{p.OpDeleteRole, "delete guild role", p.ManageRoles, p.ManageRoles, 50013, 32},
		{p.OpEditGuild, "modify guild", p.ManageGuild, p.ManageGuild, 50013, 1},
		{p.OpCreateChannel, "create guild channel", p.ManageChannels, p.ManageChannels, 50013, 10},
		{p.OpEditEmoji, "modify guild emoji", p.CreateGuildExpressions, p.ManageGuildExpressions, 50013, 61},
		{p.OpReadAuditLog, "get guild audit log", p.ViewAuditLog, p.ViewAuditLog, 50013, 0},
		{p.OpCreateStageEvent, "events on a stage", p.CreateEvents | p.ManageChannels | p.MuteMembers | p.MoveMembers, p.CreateEvents | p.ManageChannels | p.MuteMembers | p.MoveMembers, 50013, 100},
		{p.OpEditVoiceEvent, "events in a voice channel", p.CreateEvents | p.Connect, p.ManageEvents | p.Connect, 50013, 101},
		{p.OpDeleteExternalEvent, "events elsewhere", p.CreateEvents, p.ManageEvents, 50013, 102},
	} {
		t.Run(tt.op.String(), func(t *testing.T) {
			t.Parallel()
			r := tt.op.Requirement()
			if r.Code != tt.code || r.Audit != tt.audit {
				t.Errorf("%s: code %d, audit %d, want %d, %d", tt.rule, r.Code, r.Audit, tt.code, tt.audit)
			}
			for own, need := range map[bool]p.Bits{true: tt.need, false: tt.others} {
				if got := decide(tt.op, own, p.ViewChannel|p.SendMessages|need); !got.Allowed {
					t.Errorf("%s: own %v with %v: %s", tt.rule, own, need.Names(), got.Explain())
				}
				for _, bit := range split(need) {
					got := decide(tt.op, own, p.All&^p.Administrator&^need|need&^bit&^p.Administrator)
					if alternatives := r.Need; len(alternatives) > 1 && own {
						continue // another set is enough
					}
					if got.Allowed || got.Missing != bit || got.Code != tt.code {
						t.Errorf("%s: own %v without %v: %+v", tt.rule, own, bit.Names(), got)
					}
				}
			}
		})
	}
}

// decide asks for an operation of a member with permissions.
func decide(op p.Operation, own bool, have p.Bits) p.Outcome {
	m := p.NewGuild(1, 2, have, nil).Member(3, nil)
	return p.Act{Operation: op, Member: &m, Own: own}.Decide()
}

func split(b p.Bits) []p.Bits {
	var list []p.Bits
	for n := range 64 {
		if bit := p.Bits(1) << n; b.Has(bit) {
			list = append(list, bit)
		}
	}
	return list
}

// TestRequirementsAreComplete checks each row by itself.
func TestRequirementsAreComplete(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, op := range p.Operations() {
		r := op.Requirement()
		if r.Name == "" || names[r.Name] {
			t.Errorf("operation %d has the name %q, which is empty or taken", op, r.Name)
		}
		names[r.Name] = true
		if r.Guild && r.Direct != p.DirectNever {
			t.Errorf("%s is for guilds and for direct messages", r.Name)
		}
		if r.Ranked && !r.Guild {
			t.Errorf("%s compares ranks in a channel", r.Name)
		}
		for _, set := range slices.Concat(r.Need, r.Others) {
			if set == 0 || !p.All.Has(set) {
				t.Errorf("%s needs %v", r.Name, set.Names())
			}
			if r.Direct == p.DirectAlways && op != p.OpDeleteChannel && !p.InDirectMessages.Has(set) {
				t.Errorf("%s works in direct messages, but participants lack %v", r.Name, (set &^ p.InDirectMessages).Names())
			}
		}
	}
	if got := p.Operation(255).Requirement(); len(got.Need) != 0 || got.Need == nil {
		t.Errorf("an unknown operation needs %v", got.Need)
	}
}

// actModel is Act.Decide for one channel, written as plainly as possible.
func actModel(a p.Act, owner bool, base p.Bits, timedOut bool) bool {
	r := a.Operation.Requirement()
	if a.Direct {
		return !r.Guild && (r.Direct == p.DirectAlways || r.Direct == p.DirectOwn && a.Own)
	}
	if a.Member == nil {
		return false
	}
	admin := owner || base.Has(p.Administrator)
	send := p.SendMessages
	if a.Channel.Thread {
		send = p.SendMessagesInThreads
	}
	var holds func(bit p.Bits) bool
	holds = func(bit p.Bits) bool {
		if admin {
			return true
		}
		if timedOut && bit != p.ViewChannel && bit != p.ReadMessageHistory || !base.Has(bit) {
			return false
		}
		if r.Guild || bit == p.ManageGuild && a.Operation == p.OpDeleteInvite {
			return true
		}
		if bit == p.ViewChannel {
			return !a.Channel.Private || a.Joined || holds(p.ManageThreads)
		}
		if a.Channel.Private && !a.Joined && bit != p.ManageThreads && !holds(p.ManageThreads) {
			return false
		}
		if !base.Has(p.ViewChannel) || a.Channel.Voice && (timedOut || !base.Has(p.Connect)) {
			return false
		}
		quiet := p.MentionEveryone | p.SendTTSMessages | p.AttachFiles | p.EmbedLinks // without the permission to send
		return !quiet.Has(bit) || holds(send)
	}
	sets := r.Need
	if r.Others != nil && !a.Own {
		sets = r.Others
		if len(sets) == 0 {
			return false
		}
	}
	if !r.Guild && !holds(p.ViewChannel) && (a.Operation != p.OpDeleteInvite || !holds(p.ManageGuild)) {
		return false
	}
	return len(sets) == 0 || slices.ContainsFunc(sets, func(set p.Bits) bool {
		for _, bit := range split(set) {
			if bit == p.SendMessages {
				bit = send
			}
			if !holds(bit) {
				return false
			}
		}
		return true
	})
}

// TestActDecideModel compares Decide with the model for all operations in all kinds of channels, with every permission
// that matters missing in turn.
func TestActDecideModel(t *testing.T) {
	t.Parallel()
	channels := []p.Channel{
		{}, {Voice: true}, {Thread: true}, {Thread: true, Private: true},
	}
	truth := []bool{false, true}
	for _, op := range p.Operations() {
		r := op.Requirement()
		bases := []p.Bits{0, p.All, p.All &^ p.Administrator, p.ViewChannel, p.ViewChannel | p.Connect, p.ManageGuild}
		every := p.ViewChannel | p.Connect | p.SendMessages | p.SendMessagesInThreads | p.ManageThreads
		for _, set := range slices.Concat(r.Need, r.Others) {
			every |= set
			bases = append(bases, set, set|p.ViewChannel, set|p.ViewChannel|p.Connect|p.SendMessages|p.SendMessagesInThreads)
		}
		for _, bit := range split(every) {
			bases = append(bases, (p.All&^p.Administrator)&^bit)
		}
		for _, base := range bases {
			for _, channel := range channels {
				for mask := range 1 << 4 {
					own, joined, timedOut, owner := mask&1 > 0, mask&2 > 0, mask&4 > 0, mask&8 > 0
					user := snowflake.User(3)
					if owner {
						user = 2
					}
					m := p.NewGuild(1, 2, base, nil).Member(user, nil)
					m.TimedOut = timedOut
					a := p.Act{Operation: op, Member: &m, Own: own, Channel: channel, Joined: joined}
					for _, a.Direct = range truth {
						got := a.Decide()
						if want := actModel(a, owner, base, timedOut); got.Allowed != want {
							t.Fatalf("%s with %v in %+v, own %v, joined %v, timed out %v, owner %v, direct %v: %+v, want %v",
								r.Name, base.Names(), channel, own, joined, timedOut, owner, a.Direct, got, want)
						}
						if got.Allowed != (got.Code == 0) || got.Reason == "" {
							t.Fatalf("%s: %+v", r.Name, got)
						}
					}
				}
			}
		}
	}
}

func TestActDecideReason(t *testing.T) {
	t.Parallel()
	guild := p.NewGuild(1, 2, p.ViewChannel|p.SendMessages, nil)
	member, owner, silenced := guild.Member(3, nil), guild.Member(2, nil), guild.Member(3, nil)
	silenced.TimedOut = true
	hidden := p.Channel{Overwrites: []p.Overwrite{{ID: p.Everyone(1), Deny: p.ViewChannel}}}
	for _, tt := range []struct {
		name, rule string
		give       p.Act
		want       p.Outcome
		text       string
	}{
		{
			"has the permissions", "1.3 send",
			p.Act{Operation: p.OpSendMessage, Member: &member},
			p.Outcome{Allowed: true, Reason: "permissions"},
			"allowed: the member has every permission that this needs",
		},
		{
			"not a member", "1.2 row 4",
			p.Act{Operation: p.OpSendMessage},
			p.Outcome{Reason: "not a member", Code: 50001},
			"denied: the user is not a member of the guild",
		},
		{
			"hidden channel", "1.2 row 4",
			p.Act{Operation: p.OpSendMessage, Member: &member, Channel: hidden},
			p.Outcome{Reason: "hidden channel", Missing: p.ViewChannel, Code: 50001},
			"denied: the member cannot see the channel",
		},
		{
			"webhooks of a hidden channel", "1.2 webhooks",
			p.Act{Operation: p.OpCreateWebhook, Member: &member, Channel: hidden},
			p.Outcome{Reason: "hidden channel", Missing: p.ViewChannel, Code: 50013},
			"denied: the member cannot see the channel",
		},
		{
			"private thread", "1.3 see anything",
			p.Act{Operation: p.OpViewChannel, Member: &member, Channel: p.Channel{Thread: true, Private: true}},
			p.Outcome{Reason: "private thread", Missing: p.ManageThreads, Code: 50001},
			"denied: the thread is private, and the member is not in it and lacks MANAGE_THREADS",
		},
		{
			"history that the member cannot read", "3 read",
			p.Act{Operation: p.OpReadMessages, Member: &member},
			p.Outcome{Reason: "missing permissions", Missing: p.ReadMessageHistory, Code: 50013, Empty: true},
			"denied: the member lacks READ_MESSAGE_HISTORY",
		},
		{
			"only another bit in threads", "1.3 send",
			p.Act{Operation: p.OpSendMessage, Member: &member, Channel: p.Channel{Thread: true}},
			p.Outcome{Reason: "missing permissions", Missing: p.SendMessagesInThreads, Code: 50013},
			"denied: the member lacks SEND_MESSAGES_IN_THREADS",
		},
		{
			"timed out", "1.3 timeout",
			p.Act{Operation: p.OpType, Member: &silenced},
			p.Outcome{Reason: "timed out", Missing: p.SendMessages, Code: 50013},
			"denied: the member is timed out and lacks SEND_MESSAGES meanwhile",
		},
		{
			"edit of another user's message", "4 edit",
			p.Act{Operation: p.OpEditMessage, Member: &owner},
			p.Outcome{Reason: "not own", Code: 50005},
			"denied: only the user who created it may do this",
		},
		{
			"owner", "1.3 owner",
			p.Act{Operation: p.OpDeleteMessage, Member: &owner},
			p.Outcome{Allowed: true, Reason: "owner"},
			"allowed: the member owns the guild",
		},
		{
			"bulk delete in a direct message", "5 delete",
			p.Act{Operation: p.OpBulkDeleteMessages, Direct: true},
			p.Outcome{Reason: "needs a guild", Code: 50003},
			"denied: this is not possible in direct messages",
		},
		{
			"message of the other in a direct message", "5 delete",
			p.Act{Operation: p.OpDeleteMessage, Direct: true},
			p.Outcome{Reason: "not own", Code: 50003},
			"denied: only the user who created it may do this",
		},
		{
			"edit of the other's message in a direct message", "4 edit",
			p.Act{Operation: p.OpEditMessage, Direct: true},
			p.Outcome{Reason: "not own", Code: 50005},
			"denied: only the user who created it may do this",
		},
		{
			"pin in a direct message", "6 pins",
			p.Act{Operation: p.OpPin, Direct: true},
			p.Outcome{Allowed: true, Reason: "outside of guilds"},
			"allowed: outside of guilds no permissions are asked for",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := tt.give.Decide()
			if got != tt.want {
				t.Errorf("%s: Decide() = %+v, want %+v", tt.rule, got, tt.want)
			}
			if got.Explain() != tt.text {
				t.Errorf("Explain() = %q, want %q", got.Explain(), tt.text)
			}
		})
	}
}
