// Package permission computes Discord permissions: what a member may do in a guild and in a channel, which operations
// that allows, who outranks whom, and whether a member may use a command. It performs no I/O and reads no clock.
//
// # Permissions of a member
//
// [NewGuild] describes a guild, and [Guild.Member] one of its members. [Member.Permissions] returns what the member
// may do in the guild as a whole, [Member.In] what the member may do in a channel. These rules apply:
//
//   - The owner of the guild and administrators have [All].
//   - A member who is timed out keeps only [ViewChannel] and [ReadMessageHistory].
//   - In a channel that a member cannot see, the member has no permissions.
//   - A member who cannot send in a channel cannot use [MentionEveryone], [SendTTSMessages], [AttachFiles] or
//     [EmbedLinks].
//   - A thread uses the overwrites of its parent, and [SendMessagesInThreads] instead of [SendMessages].
//   - An overwrite never grants [Administrator].
//   - A private thread is hidden from members who have not joined it and who lack [ManageThreads]: see
//     [Member.InThread].
//   - In a voice or stage channel, a member without [Connect] keeps only [ViewChannel].
//   - In direct messages and groups, every participant has [InDirectMessages].
//
// # Operations
//
// [Operation.Requirement] returns the permissions that an operation of the API needs, its error code and its action in
// the audit log. [Act.Decide] reports whether a user may perform an operation, and why. [Outcome.Explain] turns the
// reason into a sentence.
//
// # Rank
//
// The rank of a member is the highest of the member's roles, by position. Of two roles with the same position, the one
// with the lower id is higher. The everyone role is below all others. The owner outranks all members. [Administrator]
// gives all permissions but no rank. To kick, ban, rename or time out a member, a member must have a strictly higher
// rank: see [Member.MayActOn]. To assign, edit, move or delete a role, the rank must be strictly higher than the role:
// see [Member.MayAssign], [Member.MayEditRole], [Member.MayMoveRoles] and [Member.MayDeleteRole]. A role cannot be given
// permissions that the editor lacks: see [Member.MayGrant].
//
// # Use of a command
//
// [Decide] takes these steps in this order. The first step with an answer decides:
//
//  1. The command must have the type that the user asked for.
//  2. An age-restricted command needs an adult user. It also needs an age-restricted channel or, in direct messages,
//     the setting of the user that allows it.
//  3. The command must work in the context. Without contexts it works in guilds, and in direct messages with the bot
//     unless dm_permission is false. In a private channel it must support the user install. A guild command works
//     only in its guild.
//  4. The app must be installed in a way that the command supports. In direct messages with the bot, the guild
//     install always counts. In a private channel, only the user install counts.
//  5. Outside of guilds, the command is allowed.
//  6. In an archived thread, no command is allowed.
//  7. The owner and administrators are allowed.
//  8. The member must see the channel and must have [UseApplicationCommands]. The member must also be able to send in
//     the channel if the command is available through the guild install or is a USER command. An entry point that
//     launches the Activity also needs [UseEmbeddedActivities].
//  9. Entries for channels: the entry of the command for the channel (for a thread: for its parent), else the entry
//     of the command for all channels, else the entry of the app for the channel, else the entry of the app for all
//     channels. If the first of these that exists denies, the command is denied.
//  10. Entries of the command for the member: the entry for the user, else the entries for the roles, else the entry
//     for everyone. Among the entries for roles, one that allows outweighs all that deny. The answer is final.
//  11. Entries of the app for the member, in the same order. Only a denial is final.
//  12. default_member_permissions: without it the command is allowed, with "0" it is denied, else the member must have
//     all of these permissions in the channel.
//
// # Choices
//
// Discord's specification, its flow chart and its client leave some cases open. This package decides them as follows:
//
//   - The specification says that administrators can use all commands. That is a rule about permissions: steps 1 to 6
//     also apply to administrators. This is the order of the client.
//   - The specification applies the entries of the app to commands without explicit overwrites. As in the chart, an
//     overwrite is explicit if it is for the channel (step 9) or for the member (step 10). An entry of the command
//     for another role does not lift a denial of the app.
//   - The specification says that "0" is for administrators unless an overwrite exists. That means an overwrite of
//     the command. As in the chart, an entry of the app that allows does not skip step 12.
//   - Step 12 uses the permissions in the channel, as the chart does, not those in the guild.
//   - The specification requires the permission to send for USER commands and calls the error Permission Denied. So
//     USER commands need it with every install, and have their own reason, also if [UseApplicationCommands] is
//     missing too. For other types the permission is a rule of the client: it applies only if the command is
//     available through the guild install, because a user-installed app can answer privately.
//   - Entries do not apply if the app is installed only to the user. If it is also installed to the guild they apply,
//     even to a command that supports only the user install. Default permissions always apply.
//   - [ViewChannel] is not in the order of the client, because a user cannot open a hidden channel there. Step 8
//     checks it first. A user who is not a member of the guild sees none of its channels.
//   - The client has no code for an archived thread. It gets the code of missing permissions.
//   - If several roles decide together, the decision names the entry with the smallest id, so that equal sets give
//     equal decisions.
//
// # Editing entries
//
// [Edit.Decide] reports whether a member may replace a set of entries. The editor must be a member who has
// [ManageGuild] and [ManageRoles], who can run the command (steps 10 to 12 with the permissions in the guild, and
// [UseApplicationCommands]), and who can manage the targets of all entries that change. The owner and administrators
// may edit everything. An entry whose target does not exist can be removed but not added. To manage a role or a user,
// the highest role of the editor must be above it.
package permission
