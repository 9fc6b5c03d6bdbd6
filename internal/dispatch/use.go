package dispatch

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/interaction"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/picker"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/locale"
	"github.com/bellhop/bellhop/message"
	"github.com/bellhop/bellhop/payload"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// use is an invocation while it is checked. The checks run in the order of the reference and fill it in.
type use struct {
	in    interaction.Invoke
	files []message.File
	spot  *picker.Spot
	app   *store.Application

	origin  store.Origin
	handler command.Handler // of an entry point
	data    interaction.Data
	message []byte // with the component that was used, or that opened the modal
	// attachments are the files that the invocation makes use of.
	attachments []payload.Attachment
}

// check makes sure that a person can do what is asked for. An error is the answer to the request.
func (d *Dispatch) check(ctx context.Context, c *Call, in interaction.Invoke) (*use, error) {
	u := &use{in: in, files: d.receive(c.Files, true)}
	if err := d.locate(ctx, u, c.User); err != nil {
		return nil, err
	}
	u.origin = store.Origin{
		Type: in.Type, Channel: in.Channel, Guild: in.Guild, Session: in.Session, Nonce: in.Nonce, Locale: c.Locale,
		Posted: u.app.InteractionsEndpointURL != "",
	}
	if u.origin.Locale == "" {
		u.origin.Locale = u.spot.User.Locale
	}
	if u.origin.Locale == "" {
		u.origin.Locale = locale.EnglishUS
	}
	var err error
	switch in.Type {
	case interaction.MessageComponent:
		err = d.checkComponent(ctx, u)
	case interaction.ModalSubmit:
		err = d.checkModal(ctx, u)
	default:
		err = d.checkCommand(ctx, u)
	}
	if err != nil {
		return nil, err
	}
	u.origin.Private = u.private()
	u.origin.NoLaunch = u.noLaunch()
	return u, nil
}

// locate finds the guild, the channel and the application.
func (d *Dispatch) locate(ctx context.Context, u *use, user snowflake.User) (err error) {
	if u.in.Guild != 0 {
		_, err := d.Directory.Member(ctx, u.in.Guild, user)
		if errors.Is(err, directory.ErrUnknownMember) || errors.Is(err, directory.ErrUnknownGuild) {
			return ErrUnknownGuild
		}
		if err != nil {
			return err
		}
	}
	if u.spot, err = d.Picker.Spot(ctx, user, u.in.Channel); err != nil {
		return err
	}
	if u.spot.Where.Guild != u.in.Guild || !u.spot.Sees() {
		return directory.ErrUnknownChannel
	}
	if u.spot.Place != nil && !u.spot.Place.Channel(u.in.Channel).TakesCommands() {
		return directory.ErrUnknownChannel
	}
	u.app, err = d.Directory.Application(ctx, u.in.Application)
	return err
}

// atHome reports whether the app has business here: by an install, or as the other side of the conversation.
func (u *use) atHome() bool { return u.spot.Installed(u.app.ID) != 0 || u.spot.Bot == u.app.ID }

func (d *Dispatch) checkCommand(ctx context.Context, u *use) error {
	if !u.atHome() {
		return ErrUnknownIntegration
	}
	c, decision, err := d.Picker.May(ctx, u.spot, u.app.ID, u.in.Command.ID)
	if errors.Is(err, registry.ErrUnknownCommand) {
		return interaction.Refuse(interaction.CommandInvalid)
	}
	if err != nil {
		return err
	}
	if err := u.in.CheckCommand(*c); err != nil {
		return err
	}
	switch {
	case decision.Allowed:
	case decision.Reason == permission.CannotSend && c.Type == command.User:
		return ErrMissingPermissions
	default:
		return interaction.Refuse(interaction.CommandForbidden)
	}
	definition, err := d.definition(c)
	if err != nil {
		return err
	}
	call, err := interaction.MatchOptions(definition, u.in, u.files)
	if err != nil {
		return err
	}
	found, err := d.resolve(ctx, u, call.References)
	if err != nil {
		return err
	}
	d.messages.Place(u.in.Channel, call.Attachments)
	found.Attachments, u.attachments = call.Attachments, call.Attachments
	u.handler = definition.Handler
	u.origin.Command, u.origin.Path, u.origin.Focus = c.Type, call.Path, call.Focus
	u.origin.TargetUser, u.origin.TargetMessage = u.in.Command.TargetUser, u.in.Command.TargetMessage
	u.origin.Owners = u.owners(definition)
	u.data = interaction.CommandData{
		Command: *c, Options: call.Options, Resolved: found,
		TargetUser: u.in.Command.TargetUser, TargetMessage: u.in.Command.TargetMessage,
	}
	return nil
}

// definition returns what an app says about a command, parsed once.
func (d *Dispatch) definition(c *command.Command) (command.Definition, error) {
	if def, ok := d.definitions.Get(c); ok {
		return def, nil
	}
	return d.definitions.Load(c, func() (command.Definition, int, error) {
		def, err := command.ParseDoc(c.Doc)
		const parsed = 6 // times as large as the text, roughly
		return def, parsed * len(c.Doc), err
	})
}

// owners returns by whose install a command is there.
func (u *use) owners(d command.Definition) store.Owners {
	var o store.Owners
	ways := u.spot.Installed(u.app.ID)
	supports := func(t command.IntegrationType) bool {
		if d.Guild || len(d.IntegrationTypes) == 0 {
			return t == command.GuildInstall
		}
		return slices.Contains(d.IntegrationTypes, t)
	}
	if supports(command.GuildInstall) {
		switch {
		case u.spot.Place != nil && ways.Has(permission.GuildInstall):
			o.ByGuild, o.Guild = true, u.spot.Place.ID
		case u.spot.Place == nil && u.spot.Bot == u.app.ID:
			o.ByGuild = true
		}
	}
	if supports(command.UserInstall) && ways.Has(permission.UserInstall) {
		o.User = u.spot.User.ID
	}
	return o
}

// private reports whether everything that comes of it is for the eyes of the caller: an app that is here for a person
// alone speaks to others only where that person could, and may bring apps along.
func (u *use) private() bool {
	if u.spot.Place == nil || !messages.OwnersOf(u.origin.Owners).UserOnly() {
		return false
	}
	send := permission.SendMessages
	if u.spot.Place.Channel(u.in.Channel).Thread {
		send = permission.SendMessagesInThreads
	}
	return !u.spot.Rights.Has(permission.UseExternalApps | send)
}

// noLaunch returns why an Activity cannot be launched here; 0: it can.
func (u *use) noLaunch() interaction.Reason {
	switch {
	case !u.app.Activities:
		return interaction.ReasonNotEmbedded
	case u.spot.Place != nil && !u.spot.Rights.Has(permission.UseEmbeddedActivities):
		return interaction.ReasonNoPermission
	}
	return 0
}
