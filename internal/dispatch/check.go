package dispatch

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// checker checks invocations and builds the interactions that apps receive. It is safe for concurrent use.
type checker struct {
	interactions *interactions
	clock        clock.Clock
	directory    *directory.Directory
	picker       *permissions.Picker
	messages     *messages.Messages
	definitions  definitions
	entitlements func(ctx context.Context, app *store.Application, user snowflake.User, guild snowflake.Guild) ([]wire.Entitlement, error)
}

// checkedInvocation is an invocation with everything it refers to. The checks run in the order of the specification and
// fill it in.
type checkedInvocation struct {
	in      interaction.Invoke
	files   []message.File
	app     *store.Application
	invoker *permissions.Invoker
	origin  store.Origin
	handler command.Handler // of an entry point
	// attachments are the files that the invocation uses.
	attachments []wire.Attachment
	data        interaction.Data
	message     []byte // with the component that was used, or that opened the modal
}

// check checks that a user may make an invocation. Its errors are the response to the request. An empty
// code means the locale of the user's settings.
func (c *checker) check(
	ctx context.Context, user snowflake.User, code locale.Code, in interaction.Invoke, files []message.File,
) (*checkedInvocation, error) {
	v := &checkedInvocation{in: in, files: files}
	if err := c.locate(ctx, v, user); err != nil {
		return nil, err
	}
	v.origin = store.Origin{
		Type: in.Type, Channel: in.Channel, Guild: in.Guild, Locale: code,
		// The interaction stays in memory. Substrings would keep the whole body there too.
		Session: strings.Clone(in.Session), Nonce: strings.Clone(in.Nonce),
		Posted: v.app.InteractionsEndpointURL != "",
	}
	if v.origin.Locale == "" {
		v.origin.Locale = v.invoker.User.Locale
	}
	if v.origin.Locale == "" {
		v.origin.Locale = locale.EnglishUS
	}
	var err error
	switch in.Type {
	case interaction.MessageComponent:
		err = c.checkComponent(ctx, v)
	case interaction.ModalSubmit:
		err = c.checkModal(ctx, v)
	default:
		err = c.checkCommand(ctx, v)
	}
	if err != nil {
		return nil, err
	}
	v.origin.Private = v.private()
	v.origin.NoLaunch = v.noLaunch()
	return v, nil
}

// locate finds the guild, the channel and the application.
func (c *checker) locate(ctx context.Context, v *checkedInvocation, user snowflake.User) (err error) {
	if v.in.Guild != 0 {
		_, err := c.directory.Guilds.Member(ctx, v.in.Guild, user)
		if errors.Is(err, directory.ErrUnknownMember) || errors.Is(err, directory.ErrUnknownGuild) {
			return ErrUnknownGuild
		}
		if err != nil {
			return err
		}
	}
	if v.invoker, err = c.picker.Invoker(ctx, user, v.in.Channel); err != nil {
		return err
	}
	if v.invoker.Where.Guild != v.in.Guild || !v.invoker.Sees() {
		return directory.ErrUnknownChannel
	}
	if v.invoker.Guild != nil && !v.invoker.Guild.Channel(v.in.Channel).TakesCommands() {
		return directory.ErrUnknownChannel
	}
	v.app, err = c.directory.Applications.Application(ctx, v.in.Application)
	return err
}

// available reports whether the app is installed here, or its bot is a participant of the direct message.
func (v *checkedInvocation) available() bool {
	return v.invoker.Installed(v.app.ID) != (permission.Installs{}) || v.invoker.Bot == v.app.ID
}

func (c *checker) checkCommand(ctx context.Context, v *checkedInvocation) error {
	if !v.available() {
		return ErrUnknownIntegration
	}
	cmd, decision, err := c.picker.Decide(ctx, v.invoker, v.app.ID, v.in.Command.ID)
	if errors.Is(err, registry.ErrUnknownCommand) {
		return interaction.Refuse(interaction.CommandInvalid)
	}
	if err != nil {
		return err
	}
	if err := v.in.CheckCommand(*cmd); err != nil {
		return err
	}
	switch {
	case decision.Allowed:
	case decision.CannotSend():
		return ErrMissingPermissions
	default:
		return interaction.Refuse(interaction.CommandForbidden)
	}
	definition, err := c.definitions.parse(cmd)
	if err != nil {
		return err
	}
	matched, err := interaction.MatchOptions(definition, v.in, v.files)
	if err != nil {
		return err
	}
	resolved, err := c.resolve(ctx, v, matched.References)
	if err != nil {
		return err
	}
	c.messages.SetURLs(v.in.Channel, matched.Attachments)
	resolved.Attachments, v.attachments = matched.Attachments, matched.Attachments
	v.handler = definition.Handler
	v.origin.Command, v.origin.Path, v.origin.Focus = cmd.Type, matched.Path, matched.Focus
	v.origin.TargetUser, v.origin.TargetMessage = v.in.Command.TargetUser, v.in.Command.TargetMessage
	v.origin.Owners = v.owners(definition)
	v.data = interaction.CommandData{
		Command: *cmd, Options: matched.Options, Resolved: resolved,
		TargetUser: v.in.Command.TargetUser, TargetMessage: v.in.Command.TargetMessage,
	}
	return nil
}

// owners returns the installs that make a command available here: of the guild, of the user, or both.
func (v *checkedInvocation) owners(d command.Definition) store.Owners {
	var o store.Owners
	ways := v.invoker.Installed(v.app.ID)
	supports := func(t command.IntegrationType) bool {
		if d.Guild || len(d.IntegrationTypes) == 0 {
			return t == command.GuildInstall
		}
		return slices.Contains(d.IntegrationTypes, t)
	}
	if supports(command.GuildInstall) {
		switch {
		case v.invoker.Guild != nil && ways.Guild:
			o.ByGuild, o.Guild = true, v.invoker.Guild.ID
		case v.invoker.Guild == nil && v.invoker.Bot == v.app.ID:
			o.ByGuild = true
		}
	}
	if supports(command.UserInstall) && ways.User {
		o.User = v.invoker.User.ID
	}
	return o
}

// private reports whether all messages of the interaction are ephemeral. That is so when only the user has installed
// the app and the user may not send messages or use external apps in the channel.
func (v *checkedInvocation) private() bool {
	if v.invoker.Guild == nil || !messages.OwnersOf(v.origin.Owners).UserOnly() {
		return false
	}
	send := permission.SendMessages
	if v.invoker.Guild.Channel(v.in.Channel).Thread {
		send = permission.SendMessagesInThreads
	}
	return !v.invoker.Rights.Has(permission.UseExternalApps | send)
}

// noLaunch returns why an activity cannot be launched here; 0: it can.
func (v *checkedInvocation) noLaunch() interaction.Reason {
	switch {
	case !v.app.Activities:
		return interaction.ReasonNotEmbedded
	case v.invoker.Guild != nil && !v.invoker.Rights.Has(permission.UseEmbeddedActivities):
		return interaction.ReasonNoPermission
	}
	return 0
}
