package permission

import "math/bits"

// Act is one operation by one user, in a channel or in a guild as a whole. [Act.Decide] decides whether it is allowed.
type Act struct {
	Operation Operation
	Member    *Member // the acting member; nil: the user is not a member of the guild
	// Own means that the user created the object: the message, the reaction, the thread, the emoji.
	Own bool

	// The fields below are for operations in channels.

	Channel Channel
	Joined  bool // the user is a member of the thread
	// Direct means that the channel is a direct message or a group, and that the user is a participant. Member and
	// Channel have no effect.
	Direct bool
}

// Decide reports whether the user may perform the operation. It does not compare ranks: see [Member.MayActOn].
func (a Act) Decide() Outcome {
	r := a.Operation.Requirement()
	switch {
	case a.Direct:
		return r.direct(a.Own)
	case a.Member == nil:
		return a.Operation.hidden(Outcome{Reason: notMember})
	}
	have := a.Member.Permissions()
	if !r.Guild {
		have = a.Member.InThread(a.Channel, a.Joined)
		if a.Operation == OpDeleteInvite { // ManageGuild counts also if the channel is hidden
			have |= a.Member.Permissions() & ManageGuild
		}
	}
	if !r.Guild && have == 0 {
		return a.Operation.hidden(a.unseen())
	}
	missing := r.missing(a.Own, have, a.Channel.send())
	if missing == nil {
		return a.Member.permitted()
	}
	o := Outcome{Reason: lacksPermissions, Missing: *missing, Code: r.Code, Empty: r.Empty}
	if a.Member.TimedOut && !a.Member.Administrator() {
		o.Reason = isTimedOut
	}
	if *missing == 0 {
		o.Reason = notOwn
	}
	return o
}

// direct decides an operation in direct messages.
func (r *Requirement) direct(own bool) Outcome {
	if r.Guild || r.Direct == DirectNever {
		return Outcome{Reason: needsGuild, Code: codeDirectMessage}
	}
	if r.Direct == DirectOwn && !own {
		if r.Others != nil && len(r.Others) == 0 {
			return Outcome{Reason: notOwn, Code: r.Code}
		}
		return Outcome{Reason: notOwn, Code: codeDirectMessage}
	}
	return Outcome{Allowed: true, Reason: outsideGuild}
}

// unseen says why the member does not see the channel.
func (a Act) unseen() Outcome {
	if a.Channel.Private && a.Member.in(a.Channel) != 0 {
		return Outcome{Reason: threadPrivate, Missing: ManageThreads}
	}
	return Outcome{Reason: channelHidden, Missing: ViewChannel}
}

// hidden adds to o the error code for a channel or a guild that the user does not see.
func (o Operation) hidden(out Outcome) Outcome {
	out.Code = codeMissingAccess
	if o.webhook() {
		out.Code = codeMissingPermissions
	}
	return out
}

// missing returns the missing permissions of the set that lacks the fewest. It returns nil if have contains a whole set. It
// returns no permissions if no set exists.
func (r *Requirement) missing(own bool, have, send Bits) *Bits {
	sets := r.Need
	if r.Others != nil && !own {
		sets = r.Others
		if len(sets) == 0 {
			return new(Bits(0))
		}
	}
	if len(sets) == 0 {
		return nil
	}
	var least *Bits
	for _, set := range sets {
		if set.Has(SendMessages) {
			set = set&^SendMessages | send
		}
		lacking := set &^ have
		if lacking == 0 {
			return nil
		}
		if least == nil || bits.OnesCount64(uint64(lacking)) < bits.OnesCount64(uint64(*least)) {
			least = &lacking
		}
	}
	return least
}

// permitted is the outcome for a member who has all permissions.
func (m Member) permitted() Outcome {
	switch {
	case m.owner:
		return Outcome{Allowed: true, Reason: ownsGuild}
	case m.Administrator():
		return Outcome{Allowed: true, Reason: isAdministrator}
	default:
		return Outcome{Allowed: true, Reason: hasPermissions}
	}
}
