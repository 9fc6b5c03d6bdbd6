package permission

// noOne is a requirement that no permission meets.
var noOne = []Bits{}

func all(b Bits) []Bits { return []Bits{b} }

// speakers are the permissions that a moderator of a stage has.
const speakers = ManageChannels | MuteMembers | MoveMembers

// requirements is the only list of the permissions that operations need.
var requirements = [operationCount]Requirement{
	OpViewChannel:  {Name: "view a channel", Direct: DirectAlways},
	OpReadMessages: {Name: "read messages", Need: all(ReadMessageHistory), Direct: DirectAlways, Empty: true},
	OpReadMessage:  {Name: "read a message", Need: all(ReadMessageHistory), Direct: DirectAlways},

	OpSearchMessages:     {Name: "search messages", Need: all(ReadMessageHistory), Empty: true},
	OpSendMessage:        {Name: "send a message", Need: all(SendMessages), Direct: DirectAlways},
	OpSendTTS:            {Name: "send a spoken message", Need: all(SendTTSMessages), Direct: DirectAlways},
	OpSendEmbeds:         {Name: "send embeds", Need: all(EmbedLinks), Direct: DirectAlways},
	OpSendFiles:          {Name: "send files", Need: all(AttachFiles), Direct: DirectAlways},
	OpSendPoll:           {Name: "send a poll", Need: all(SendPolls), Direct: DirectAlways},
	OpSendVoiceMessage:   {Name: "send a voice message", Need: all(SendVoiceMessages), Direct: DirectAlways, Code: codeVoiceMessage},
	OpUseExternalSticker: {Name: "send a sticker of another guild", Need: all(UseExternalStickers), Direct: DirectAlways, Code: codeSticker},
	OpReply:              {Name: "reply to a message", Need: all(ReadMessageHistory), Direct: DirectAlways, Code: codeReplyHistory},
	OpForward:            {Name: "forward a message", Direct: DirectAlways},
	OpIgnoreSlowmode:     {Name: "ignore slow mode", Need: all(BypassSlowmode), Direct: DirectAlways, Code: codeSlowmode},
	OpEditMessage:        {Name: "edit a message", Others: noOne, Direct: DirectOwn, Code: codeOtherAuthor},
	OpSuppressEmbeds:     {Name: "suppress the embeds of a message", Others: all(ManageMessages), Direct: DirectOwn},
	OpDeleteMessage:      {Name: "delete a message", Others: all(ManageMessages), Direct: DirectOwn, Audit: 72},
	OpBulkDeleteMessages: {Name: "delete many messages", Need: all(ManageMessages), Audit: 73},
	OpCrosspost:          {Name: "publish a message", Need: all(SendMessages), Others: all(SendMessages | ManageMessages)},

	OpListPins: {Name: "list pins", Need: all(ReadMessageHistory), Direct: DirectAlways, Empty: true},
	OpPin:      {Name: "pin a message", Need: all(PinMessages), Direct: DirectAlways, Audit: 74},
	OpUnpin:    {Name: "unpin a message", Need: all(PinMessages), Direct: DirectAlways, Audit: 75},
	OpType:     {Name: "type", Need: all(SendMessages), Direct: DirectAlways},

	OpAddFirstReaction:    {Name: "add a new reaction", Need: all(AddReactions | ReadMessageHistory), Direct: DirectAlways},
	OpJoinReaction:        {Name: "join a reaction", Need: all(ReadMessageHistory), Direct: DirectAlways},
	OpUseExternalReaction: {Name: "react with an emoji of another guild", Need: all(UseExternalEmojis), Direct: DirectAlways, Code: codeUnknownEmoji},
	OpListReactions:       {Name: "list the users of a reaction", Need: all(ReadMessageHistory), Direct: DirectAlways},
	OpRemoveReaction:      {Name: "remove a reaction", Others: all(ManageMessages), Direct: DirectOwn},
	OpClearReactions:      {Name: "remove all reactions", Need: all(ManageMessages)},

	OpVote:       {Name: "vote in a poll", Direct: DirectAlways},
	OpListVoters: {Name: "list the voters of a poll", Direct: DirectAlways},
	OpEndPoll:    {Name: "end a poll", Others: noOne, Direct: DirectOwn},

	OpCreateThread:        {Name: "create a public thread", Need: all(CreatePublicThreads), Audit: 110},
	OpCreatePrivateThread: {Name: "create a private thread", Need: all(CreatePrivateThreads), Audit: 110},
	OpCreatePost:          {Name: "create a post in a forum", Need: all(SendMessages), Audit: 110},
	OpJoinThread:          {Name: "join or leave a thread"},
	OpAddThreadMember:     {Name: "add a user to a thread", Need: all(SendMessages)},
	OpAddUninvitedMember:  {Name: "add a user to a thread without invitations", Need: all(ManageThreads)},
	OpRemoveThreadMember:  {Name: "remove a user from a thread", Others: all(ManageThreads)},
	OpListThreadMembers:   {Name: "list the members of a thread"},
	OpUnarchiveThread:     {Name: "unarchive a thread", Need: all(SendMessages), Audit: 111},
	OpEditThread:          {Name: "edit a thread", Others: all(ManageThreads), Audit: 111},
	OpManageThread:        {Name: "unlock or pin a thread, or set its slow mode", Need: all(ManageThreads), Audit: 111},
	OpDeleteThread:        {Name: "delete a thread", Need: all(ManageThreads), Audit: 112},
	OpListArchivedThreads: {Name: "list archived threads", Need: all(ReadMessageHistory)},
	OpListPrivateThreads:  {Name: "list archived private threads", Need: all(ReadMessageHistory | ManageThreads)},

	OpListWebhooks:  {Name: "list the webhooks of a channel", Need: all(ManageWebhooks)},
	OpCreateWebhook: {Name: "create a webhook", Need: all(ManageWebhooks), Audit: 50},
	OpEditWebhook:   {Name: "edit a webhook", Need: all(ManageWebhooks), Audit: 51},
	OpDeleteWebhook: {Name: "delete a webhook", Need: all(ManageWebhooks), Audit: 52},
	OpFollow:        {Name: "follow an announcement channel", Need: all(ManageWebhooks), Audit: 50},

	OpEditChannel:     {Name: "edit a channel", Need: all(ManageChannels), Audit: 11},
	OpDeleteChannel:   {Name: "delete a channel", Need: all(ManageChannels), Direct: DirectAlways, Audit: 12},
	OpCreateOverwrite: {Name: "create a permission overwrite", Need: all(ManageRoles), Audit: 13},
	OpEditOverwrite:   {Name: "edit a permission overwrite", Need: all(ManageRoles), Audit: 14},
	OpDeleteOverwrite: {Name: "delete a permission overwrite", Need: all(ManageRoles), Audit: 15},

	OpListChannelInvites: {Name: "list the invites of a channel", Need: all(ManageChannels)},
	OpCreateInvite:       {Name: "create an invite", Need: all(CreateInstantInvite), Audit: 40},
	OpDeleteInvite:       {Name: "delete an invite", Need: []Bits{ManageChannels, ManageGuild}, Audit: 42},

	OpJoinVoice:        {Name: "join a voice channel", Need: all(Connect)},
	OpRequestToSpeak:   {Name: "ask to speak", Need: all(RequestToSpeak)},
	OpSuppressSpeaker:  {Name: "let a member speak on a stage", Need: all(MuteMembers)},
	OpSetVoiceStatus:   {Name: "set the status of a voice channel", Need: all(SetVoiceChannelStatus), Others: all(SetVoiceChannelStatus | ManageChannels), Audit: 192},
	OpClearVoiceStatus: {Name: "clear the status of a voice channel", Need: all(SetVoiceChannelStatus), Others: all(SetVoiceChannelStatus | ManageChannels), Audit: 193},
	OpCreateStage:      {Name: "open a stage", Need: all(speakers), Audit: 83},
	OpEditStage:        {Name: "edit a stage", Need: all(speakers), Audit: 84},
	OpDeleteStage:      {Name: "close a stage", Need: all(speakers), Audit: 85},

	OpCreateStageEvent: {Name: "create an event on a stage", Need: all(CreateEvents | speakers), Audit: 100},
	OpEditStageEvent:   {Name: "edit an event on a stage", Need: createOrManage(speakers), Others: all(ManageEvents | speakers), Audit: 101},
	OpDeleteStageEvent: {Name: "delete an event on a stage", Need: createOrManage(speakers), Others: all(ManageEvents | speakers), Audit: 102},
	OpCreateVoiceEvent: {Name: "create an event in a voice channel", Need: all(CreateEvents | Connect), Audit: 100},
	OpEditVoiceEvent:   {Name: "edit an event in a voice channel", Need: createOrManage(Connect), Others: all(ManageEvents | Connect), Audit: 101},
	OpDeleteVoiceEvent: {Name: "delete an event in a voice channel", Need: createOrManage(Connect), Others: all(ManageEvents | Connect), Audit: 102},

	OpViewGuild:         {Name: "view a guild", Guild: true},
	OpEditGuild:         {Name: "edit a guild", Guild: true, Need: all(ManageGuild), Audit: 1},
	OpEditCommunity:     {Name: "switch community features", Guild: true, Need: all(Administrator), Audit: 1},
	OpCreateChannel:     {Name: "create a channel", Guild: true, Need: all(ManageChannels), Audit: 10},
	OpMoveChannels:      {Name: "move channels", Guild: true, Need: all(ManageChannels), Audit: 11},
	OpListGuildWebhooks: {Name: "list the webhooks of a guild", Guild: true, Need: all(ManageWebhooks)},
	OpListGuildInvites:  {Name: "list the invites of a guild", Guild: true, Need: []Bits{ManageGuild, ViewAuditLog}},
	OpAddInviteRoles:    {Name: "add roles to an invite", Guild: true, Need: all(ManageRoles)},

	OpAddMember:        {Name: "add a member", Guild: true, Need: all(CreateInstantInvite)},
	OpEditNick:         {Name: "change a nickname", Guild: true, Need: []Bits{ChangeNickname, ManageNicknames}, Others: all(ManageNicknames), Ranked: true, Audit: 24},
	OpEditMemberRoles:  {Name: "change the roles of a member", Guild: true, Need: all(ManageRoles), Audit: 25},
	OpTimeOutMember:    {Name: "time out a member", Guild: true, Need: all(ModerateMembers), Ranked: true, Audit: 24},
	OpMuteMember:       {Name: "mute a member", Guild: true, Need: all(MuteMembers), Audit: 24},
	OpDeafenMember:     {Name: "deafen a member", Guild: true, Need: all(DeafenMembers), Audit: 24},
	OpMoveMember:       {Name: "move a member to a voice channel", Guild: true, Need: all(MoveMembers), Audit: 26},
	OpDisconnectMember: {Name: "disconnect a member", Guild: true, Need: all(MoveMembers), Audit: 27},
	OpEditMemberFlags:  {Name: "change the flags of a member", Guild: true, Need: []Bits{ManageGuild, ManageRoles, ModerateMembers | KickMembers | BanMembers}, Audit: 24},
	OpKickMember:       {Name: "kick a member", Guild: true, Need: all(KickMembers), Ranked: true, Audit: 20},
	OpCountPrune:       {Name: "count inactive members", Guild: true, Need: all(KickMembers | ManageGuild)},
	OpPrune:            {Name: "kick inactive members", Guild: true, Need: all(KickMembers | ManageGuild), Ranked: true, Audit: 21},
	OpListBans:         {Name: "list bans", Guild: true, Need: all(BanMembers)},
	OpBanMember:        {Name: "ban a member", Guild: true, Need: all(BanMembers), Ranked: true, Audit: 22},
	OpUnbanMember:      {Name: "lift a ban", Guild: true, Need: all(BanMembers), Audit: 23},
	OpBulkBan:          {Name: "ban many members", Guild: true, Need: all(BanMembers | ManageGuild), Ranked: true, Audit: 22},

	OpCreateRole: {Name: "create a role", Guild: true, Need: all(ManageRoles), Audit: 30},
	OpEditRole:   {Name: "edit a role", Guild: true, Need: all(ManageRoles), Audit: 31},
	OpMoveRoles:  {Name: "move roles", Guild: true, Need: all(ManageRoles), Audit: 31},
	OpDeleteRole: {Name: "delete a role", Guild: true, Need: all(ManageRoles), Audit: 32},

	OpSeeEmojiAuthors: {Name: "see who created an emoji", Guild: true, Need: expressions},
	OpCreateEmoji:     {Name: "create an emoji", Guild: true, Need: all(CreateGuildExpressions), Audit: 60},
	OpEditEmoji:       {Name: "edit an emoji", Guild: true, Need: expressions, Others: all(ManageGuildExpressions), Audit: 61},
	OpDeleteEmoji:     {Name: "delete an emoji", Guild: true, Need: expressions, Others: all(ManageGuildExpressions), Audit: 62},
	OpCreateSticker:   {Name: "create a sticker", Guild: true, Need: all(CreateGuildExpressions), Audit: 90},
	OpEditSticker:     {Name: "edit a sticker", Guild: true, Need: expressions, Others: all(ManageGuildExpressions), Audit: 91},
	OpDeleteSticker:   {Name: "delete a sticker", Guild: true, Need: expressions, Others: all(ManageGuildExpressions), Audit: 92},
	OpCreateSound:     {Name: "create a sound", Guild: true, Need: all(CreateGuildExpressions), Audit: 130},
	OpEditSound:       {Name: "edit a sound", Guild: true, Need: expressions, Others: all(ManageGuildExpressions), Audit: 131},
	OpDeleteSound:     {Name: "delete a sound", Guild: true, Need: expressions, Others: all(ManageGuildExpressions), Audit: 132},

	OpReadAuditLog:      {Name: "read the audit log", Guild: true, Need: all(ViewAuditLog)},
	OpListIntegrations:  {Name: "list integrations", Guild: true, Need: all(ManageGuild)},
	OpDeleteIntegration: {Name: "delete an integration", Guild: true, Need: all(ManageGuild), Audit: 82},
	OpEditWidget:        {Name: "edit the widget", Guild: true, Need: all(ManageGuild), Audit: 1},
	OpReadVanityURL:     {Name: "read the vanity URL", Guild: true, Need: all(ManageGuild)},
	OpEditWelcomeScreen: {Name: "edit the welcome screen", Guild: true, Need: all(ManageGuild), Audit: 1},
	OpEditOnboarding:    {Name: "edit the onboarding", Guild: true, Need: all(ManageGuild | ManageRoles), Audit: 167},
	OpManageTemplates:   {Name: "manage templates", Guild: true, Need: all(ManageGuild)},

	OpCreateExternalEvent: {Name: "create an event elsewhere", Guild: true, Need: all(CreateEvents), Audit: 100},
	OpEditExternalEvent:   {Name: "edit an event elsewhere", Guild: true, Need: createOrManage(0), Others: all(ManageEvents), Audit: 101},
	OpDeleteExternalEvent: {Name: "delete an event elsewhere", Guild: true, Need: createOrManage(0), Others: all(ManageEvents), Audit: 102},

	OpListRules:  {Name: "list moderation rules", Guild: true, Need: all(ManageGuild)},
	OpCreateRule: {Name: "create a moderation rule", Guild: true, Need: all(ManageGuild), Audit: 140},
	OpEditRule:   {Name: "edit a moderation rule", Guild: true, Need: all(ManageGuild), Audit: 141},
	OpDeleteRule: {Name: "delete a moderation rule", Guild: true, Need: all(ManageGuild), Audit: 142},
}

// expressions are the permissions for the emojis, stickers and sounds that a member created.
var expressions = []Bits{CreateGuildExpressions, ManageGuildExpressions}

// createOrManage returns the permissions for an event that the member created.
func createOrManage(rest Bits) []Bits { return []Bits{CreateEvents | rest, ManageEvents | rest} }
