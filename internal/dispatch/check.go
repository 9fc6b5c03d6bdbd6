package dispatch

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/interaction"
	"github.com/bellhop/bellhop/internal/locale"
	"github.com/bellhop/bellhop/internal/message"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/payload"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// What is refused, besides what package interaction names. A channel or an application that is not there is
// directory.ErrUnknownChannel or directory.ErrUnknownApplication, a channel that is hidden directory.ErrHidden.
var (
	ErrUnknownGuild       = errors.New("unknown guild")       // 400, 10004
	ErrUnknownIntegration = errors.New("unknown integration") // the app is not installed here: 400, 10005
	ErrMissingPermissions = errors.New("missing permissions") // a USER command where its caller may not send: 403, 50013
)

// Checker looks at what people want to do. It is safe for concurrent use.
type Checker struct {
	interactions *Interactions
	clock        clock.Clock
	directory    *directory.Directory
	picker       *permissions.Picker
	messages     *messages.Messages
	definitions  definitions
}

// NewChecker returns a checker of a service.
func NewChecker(
	i *Interactions, now clock.Clock, d *directory.Directory, p *permissions.Picker, m *messages.Messages,
) *Checker {
	return &Checker{interactions: i, clock: now, directory: d, picker: p, messages: m}
}

// Ask is what a person wants to do.
type Ask struct {
	User   snowflake.User
	Locale locale.Code // of the person's client; empty: the person's own
	In     interaction.Invoke
	Files  []message.File
}

// Scene is an invocation with everything around it. The checks run in the order of the reference and fill it in.
type Scene struct {
	In      interaction.Invoke
	Files   []message.File
	App     *store.Application
	Origin  store.Origin
	Handler command.Handler // of an entry point
	// Attachments are the files that the invocation makes use of.
	Attachments []payload.Attachment

	spot    *permissions.Spot
	data    interaction.Data
	message []byte // with the component that was used, or that opened the modal
}

// Check makes sure that a person can do what is asked for. An error is the answer to the request.
func (k *Checker) Check(ctx context.Context, a Ask) (*Scene, error) {
	in, s := a.In, &Scene{In: a.In, Files: a.Files}
	if err := k.locate(ctx, s, a.User); err != nil {
		return nil, err
	}
	s.Origin = store.Origin{
		Type: in.Type, Channel: in.Channel, Guild: in.Guild, Locale: a.Locale,
		// The interaction stays in memory, the body that these texts are parts of does not.
		Session: strings.Clone(in.Session), Nonce: strings.Clone(in.Nonce),
		Posted: s.App.InteractionsEndpointURL != "",
	}
	if s.Origin.Locale == "" {
		s.Origin.Locale = s.spot.User.Locale
	}
	if s.Origin.Locale == "" {
		s.Origin.Locale = locale.EnglishUS
	}
	var err error
	switch in.Type {
	case interaction.MessageComponent:
		err = k.checkComponent(ctx, s)
	case interaction.ModalSubmit:
		err = k.checkModal(ctx, s)
	default:
		err = k.checkCommand(ctx, s)
	}
	if err != nil {
		return nil, err
	}
	s.Origin.Private = s.private()
	s.Origin.NoLaunch = s.noLaunch()
	return s, nil
}

// locate finds the guild, the channel and the application.
func (k *Checker) locate(ctx context.Context, s *Scene, user snowflake.User) (err error) {
	if s.In.Guild != 0 {
		_, err := k.directory.Member(ctx, s.In.Guild, user)
		if errors.Is(err, directory.ErrUnknownMember) || errors.Is(err, directory.ErrUnknownGuild) {
			return ErrUnknownGuild
		}
		if err != nil {
			return err
		}
	}
	if s.spot, err = k.picker.Spot(ctx, user, s.In.Channel); err != nil {
		return err
	}
	if s.spot.Where.Guild != s.In.Guild || !s.spot.Sees() {
		return directory.ErrUnknownChannel
	}
	if s.spot.Place != nil && !s.spot.Place.Channel(s.In.Channel).TakesCommands() {
		return directory.ErrUnknownChannel
	}
	s.App, err = k.directory.Application(ctx, s.In.Application)
	return err
}

// atHome reports whether the app has business here: by an install, or as the other side of the conversation.
func (s *Scene) atHome() bool { return s.spot.Installed(s.App.ID) != 0 || s.spot.Bot == s.App.ID }

func (k *Checker) checkCommand(ctx context.Context, s *Scene) error {
	if !s.atHome() {
		return ErrUnknownIntegration
	}
	c, decision, err := k.picker.May(ctx, s.spot, s.App.ID, s.In.Command.ID)
	if errors.Is(err, registry.ErrUnknownCommand) {
		return interaction.Refuse(interaction.CommandInvalid)
	}
	if err != nil {
		return err
	}
	if err := s.In.CheckCommand(*c); err != nil {
		return err
	}
	switch {
	case decision.Allowed:
	case decision.Reason == permission.CannotSend && c.Type == command.User:
		return ErrMissingPermissions
	default:
		return interaction.Refuse(interaction.CommandForbidden)
	}
	definition, err := k.definitions.parse(c)
	if err != nil {
		return err
	}
	call, err := interaction.MatchOptions(definition, s.In, s.Files)
	if err != nil {
		return err
	}
	found, err := k.resolve(ctx, s, call.References)
	if err != nil {
		return err
	}
	k.messages.Place(s.In.Channel, call.Attachments)
	found.Attachments, s.Attachments = call.Attachments, call.Attachments
	s.Handler = definition.Handler
	s.Origin.Command, s.Origin.Path, s.Origin.Focus = c.Type, call.Path, call.Focus
	s.Origin.TargetUser, s.Origin.TargetMessage = s.In.Command.TargetUser, s.In.Command.TargetMessage
	s.Origin.Owners = s.owners(definition)
	s.data = interaction.CommandData{
		Command: *c, Options: call.Options, Resolved: found,
		TargetUser: s.In.Command.TargetUser, TargetMessage: s.In.Command.TargetMessage,
	}
	return nil
}

// owners returns by whose install a command is there.
func (s *Scene) owners(d command.Definition) store.Owners {
	var o store.Owners
	ways := s.spot.Installed(s.App.ID)
	supports := func(t command.IntegrationType) bool {
		if d.Guild || len(d.IntegrationTypes) == 0 {
			return t == command.GuildInstall
		}
		return slices.Contains(d.IntegrationTypes, t)
	}
	if supports(command.GuildInstall) {
		switch {
		case s.spot.Place != nil && ways.Has(permission.GuildInstall):
			o.ByGuild, o.Guild = true, s.spot.Place.ID
		case s.spot.Place == nil && s.spot.Bot == s.App.ID:
			o.ByGuild = true
		}
	}
	if supports(command.UserInstall) && ways.Has(permission.UserInstall) {
		o.User = s.spot.User.ID
	}
	return o
}

// private reports whether everything that comes of it is for the eyes of the caller: an app that is here for a person
// alone speaks to others only where that person could, and may bring apps along.
func (s *Scene) private() bool {
	if s.spot.Place == nil || !messages.OwnersOf(s.Origin.Owners).UserOnly() {
		return false
	}
	send := permission.SendMessages
	if s.spot.Place.Channel(s.In.Channel).Thread {
		send = permission.SendMessagesInThreads
	}
	return !s.spot.Rights.Has(permission.UseExternalApps | send)
}

// noLaunch returns why an Activity cannot be launched here; 0: it can.
func (s *Scene) noLaunch() interaction.Reason {
	switch {
	case !s.App.Activities:
		return interaction.ReasonNotEmbedded
	case s.spot.Place != nil && !s.spot.Rights.Has(permission.UseEmbeddedActivities):
		return interaction.ReasonNoPermission
	}
	return 0
}
