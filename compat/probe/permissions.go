package probe

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/bellhop/bellhop/compat/catalog"
)

// permissionSteps check the permissions of a command in the guild. Each step depends on the steps before it.
func (s *session) permissionSteps() []step {
	p := &permissions{session: s, list: []catalog.Permission{
		{ID: s.Guild, Type: catalog.Role}, // everyone
		{ID: s.Member, Type: catalog.Member, Permission: true},
		{ID: s.Channel, Type: catalog.Channel, Permission: true},
	}}
	return []step{
		{"permissions: none", p.none},
		{"permissions: edit", p.edit},
		{"permissions: get", p.get},
		{"permissions: list", p.all},
		{"permissions: edit again", p.editAgain},
		{"permissions: with the bot token", p.withBotToken},
		{"permissions: unknown member", p.unknownMember},
		{"permissions: edit with nothing", p.editWithNothing},
		{"permissions: deleted with the command", p.deleted},
	}
}

// permissions is the part of a session that checks the permissions of one guild command.
type permissions struct {
	*session

	user    Client // has the token of a user who can edit permissions
	command string
	list    []catalog.Permission
}

// set returns the permissions of the command with the given entries.
func (p *permissions) set(list []catalog.Permission) catalog.Permissions {
	return catalog.Permissions{ID: p.command, ApplicationID: p.Application, GuildID: p.Guild, Permissions: list}
}

func (p *permissions) none() error {
	var err error
	if p.user, err = p.Connect(p.Config, "Bearer "+p.UserToken); err != nil {
		return err
	}
	made, err := p.client.Create(p.Guild, p.sends(p.catalog.Extra))
	if err != nil {
		return err
	}
	p.command = made.ID
	return p.shown(nil)
}

func (p *permissions) edit() error {
	got, err := p.user.Permit(p.Guild, p.command, p.list)
	if err != nil {
		return err
	}
	return errors.Join(p.answered("PUT 200"), differ(p.set(p.list), got), p.stored(p.list))
}

func (p *permissions) get() error {
	for _, client := range []Client{p.client, p.user} {
		got, err := client.Permissions(p.Guild, p.command)
		if err := errors.Join(err, differ(p.set(p.list), got)); err != nil {
			return err
		}
	}
	return nil
}

func (p *permissions) all() error {
	for _, client := range []Client{p.client, p.user} {
		got, err := client.AllPermissions(p.Guild)
		if err := errors.Join(err, differ([]catalog.Permissions{p.set(p.list)}, got)); err != nil {
			return err
		}
	}
	return nil
}

// editAgain replaces the permissions.
func (p *permissions) editAgain() error {
	p.list = []catalog.Permission{{ID: p.Member, Type: catalog.Member}}
	got, err := p.user.Permit(p.Guild, p.command, p.list)
	return errors.Join(err, differ(p.set(p.list), got), p.shown(p.list))
}

// withBotToken checks that a bot token cannot edit permissions.
func (p *permissions) withBotToken() error {
	_, err := p.client.Permit(p.Guild, p.command, nil)
	return errors.Join(p.refused(err, p.BotTokenRefused.Status, p.BotTokenRefused.Code), p.shown(p.list))
}

func (p *permissions) unknownMember() error {
	_, err := p.user.Permit(p.Guild, p.command, []catalog.Permission{{ID: unknownID, Type: catalog.Member}})
	return errors.Join(p.refused(err, http.StatusBadRequest, 10013), p.shown(p.list))
}

func (p *permissions) editWithNothing() error {
	got, err := p.user.Permit(p.Guild, p.command, []catalog.Permission{})
	return errors.Join(err, differ(p.set(nil), got), p.shown(nil))
}

// deleted deletes the command and checks that its permissions are deleted too.
func (p *permissions) deleted() error {
	if _, err := p.user.Permit(p.Guild, p.command, p.list); err != nil {
		return err
	}
	if err := errors.Join(p.shown(p.list), p.client.Delete(p.Guild, p.command)); err != nil {
		return err
	}
	got, err := p.client.AllPermissions(p.Guild)
	return errors.Join(err, differ([]catalog.Permissions{}, got))
}

// shown checks the permissions that the library returns and those that the service returns.
func (p *permissions) shown(list []catalog.Permission) error {
	var all []catalog.Permissions
	if list != nil {
		all = append(all, p.set(list))
	}
	got, err := p.client.AllPermissions(p.Guild)
	if err := errors.Join(err, differ(all, got)); err != nil {
		return err
	}
	one, err := p.client.Permissions(p.Guild, p.command)
	if list == nil {
		return p.refused(err, http.StatusNotFound, 10066)
	}
	return errors.Join(err, differ(p.set(list), one), p.stored(list))
}

// stored checks the permissions that the service returns without the library.
func (p *permissions) stored(list []catalog.Permission) error {
	path := p.Origin + "/api/v10/applications/" + p.Application + "/guilds/" + p.Guild + "/commands/" + p.command + "/permissions"
	request, err := http.NewRequest(http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bot "+p.BotToken)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		return fmt.Errorf("answered %s %s: %w", answer.Status, text, err)
	}
	var got catalog.Permissions
	if err := json.Unmarshal(text, &got); err != nil {
		return err
	}
	return differ(p.set(list), got)
}
