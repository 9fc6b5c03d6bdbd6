// Package permission knows permission bits, overwrites, and the decision whether a member may use a command in a place,
// with its reason. It performs no I/O and reads no clock.
//
// # What a member may do
//
// A [Guild] makes a [Member] from a user and the roles the user carries. [Member.Permissions] is what the member may do
// in the guild, [Member.In] what the member may do in a channel. The owner and administrators hold [All]. A member who
// is timed out keeps only [ViewChannel] and [ReadMessageHistory]. In a channel that a member cannot see nothing else
// counts, and who cannot send there cannot mention everyone, read messages aloud, attach files or embed links either.
// Threads take the overwrites of their parent, and sending there is [SendMessagesInThreads]. An overwrite of a channel
// never grants [Administrator], which belongs to the guild.
//
// # May this member use this command here
//
// [Decide] asks, in this order; the first answer stands:
//
//  1. The type that was asked for is the command's.
//  2. An age-restricted command needs an adult, and an age-restricted channel or the adult's consent for direct messages.
//  3. The command works in this context. Without contexts it works in guilds, and in the bot's direct messages unless
//     dm_permission is false. A private channel needs a command that supports the user install. A guild's command works
//     in its guild alone, whatever contexts it was given.
//  4. The app is installed here in a way that the command supports. In the direct messages of its bot the app is at
//     home: there the guild install counts as given. In a private channel only the user install counts.
//  5. Outside of guilds the command is allowed.
//  6. An archived thread takes no commands.
//  7. The owner and administrators are allowed.
//  8. The member sees the channel, and may send there when the command is there by the guild's install or is a USER
//     command, and holds [UseApplicationCommands].
//  9. The channel: the command's entry for it (of a thread: its parent), else the command's for all channels, else the
//     app's for it, else the app's for all channels. A denial ends the matter, anything else leaves it open.
//  10. The member, on the command: the entry for the user, else those for the roles, where one that allows beats any
//     number that deny, else the one for everyone. Either answer is final.
//  11. The member, on the app, likewise: a denial is final, an allowance is not.
//  12. default_member_permissions: none allows, "0" denies, else the member holds every bit of it in the channel.
//
// # Where the sources leave a choice
//
//   - Administrators can use all commands, the specification says. That is about permissions: steps 1 to 6 speak of the
//     place and hold for them too. The official chart asks for administrators first, the official client after the
//     context; the order is the client's.
//   - The specification lets the app's entries apply to all commands without explicit overwrites. An overwrite is
//     explicit, as in the chart, when it speaks of the channel (step 9) or of the member (step 10): a command's entry
//     for some other role does not lift the app's denial. The older logic, where any entry on the command did, is
//     what the chart replaced.
//   - "0" is for administrators unless an overwrite exists: that is an overwrite on the command. By the chart an
//     allowance on the app does not skip step 12.
//   - The bits of step 12 are those in the channel, as the chart has it, not those in the guild.
//   - The specification asks for the right to send for USER commands and names the refusal (Permission Denied). So
//     they need it under every install, have a reason of their own, [CannotSend], and give it also when
//     [UseApplicationCommands] is missing as well. For the other types the right is the client's rule: it holds when the
//     command is there by the guild's install, since a user's own app can answer for the user's eyes only.
//   - Entries do not apply when the app is installed only to the user. When it is installed in the guild too they do,
//     also for a command that supports the user install alone: the guild named that command, and it stays in charge.
//     Default permissions always apply; they ask for the user's own rights in the place.
//   - [ViewChannel] has no place in the client's order, since nobody opens a channel unseen. It comes with the other
//     rights of step 8, before them. Who is no member of the guild sees none of its channels.
//   - An archived thread has no number in the client's list; it shares that of the missing rights.
//   - Of several roles that decide together the entry with the smallest id is named, so that equal sets give equal
//     decisions.
//
// # Who may edit a set of entries
//
// [MayEdit] asks whether the editor is a member, manages the guild and its roles, can run the command (without a
// channel: steps 10 to 12 with the permissions of the guild, and [UseApplicationCommands]) and can manage whatever the
// entries that change speak of. The owner and administrators need only be members. What no longer exists can be removed
// by anyone who got that far, and by nobody be added. Of equal positions neither stands below the other.
package permission
