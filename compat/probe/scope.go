package probe

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/bellhop/bellhop/compat/catalog"
)

// scope is the part of a session that checks the commands of one scope. Each step depends on the steps before it.
type scope struct {
	*session

	name     string
	guild    string
	commands []catalog.Command

	listed []catalog.Command // the response to the overwrite
	extra  catalog.Command   // the last response with the extra command
}

func (s *scope) steps() []step {
	list := []step{
		{"clear", s.clear},
		{"overwrite", s.overwrite},
		{"overwrite again", s.overwriteAgain},
		{"list", s.list},
	}
	if s.ShowsInLanguage != nil {
		list = append(list, step{"list in German", s.listInGerman})
	}
	list = append(
		list,
		step{"get", s.get},
		step{"create", s.create},
		step{"create again", s.createAgain},
		step{"create changed", s.createChanged},
		step{"edit", s.edit},
		step{"rename to a taken name", s.renameToTaken},
		step{"delete", s.delete},
		step{"broken definition", s.broken},
		step{"broken definition in a list", s.brokenInList},
		step{"overwrite with nothing", s.overwriteWithNothing},
	)
	for i := range list {
		list[i].name = s.name + ": " + list[i].name
	}
	return list
}

// clear sends an empty list, which some libraries encode as null.
func (s *scope) clear() error {
	got, err := s.client.Overwrite(s.guild, nil)
	if err != nil {
		return err
	}
	return match(nil, got)
}

func (s *scope) overwrite() error {
	got, err := s.client.Overwrite(s.guild, each(s.commands, s.sends))
	if err != nil {
		return err
	}
	s.listed = got
	return errors.Join(s.answered("PUT 200"), match(each(s.commands, s.wanted), got))
}

// overwriteAgain registers the same list, which changes nothing, not even a version.
func (s *scope) overwriteAgain() error {
	got, err := s.client.Overwrite(s.guild, each(s.commands, s.sends))
	if err != nil {
		return err
	}
	return differ(s.listed, got)
}

// list reads the commands. If the library returns all fields, it also registers the list again, which must change nothing.
func (s *scope) list() error {
	got, err := s.client.List(s.guild, "")
	if err != nil {
		return err
	}
	want := s.listed
	if s.NoDictionaries {
		return differ(each(want, func(c catalog.Command) catalog.Command { return c.Localized("") }), got)
	}
	if err := differ(want, got); err != nil || s.Shows != nil {
		return err
	}
	if got, err = s.client.Overwrite(s.guild, each(got, s.sends)); err != nil {
		return err
	}
	return differ(want, got)
}

func (s *scope) listInGerman() error {
	got, err := s.client.List(s.guild, "de")
	if err != nil {
		return err
	}
	return differ(each(s.listed, func(c catalog.Command) catalog.Command {
		return s.ShowsInLanguage(c.Localized("de"))
	}), got)
}

func (s *scope) get() error {
	for _, want := range s.listed {
		got, err := s.client.Get(s.guild, want.ID)
		if s.NoGet {
			return s.refused(err, http.StatusNotFound, 0)
		}
		if err != nil {
			return err
		}
		if err := differ(want, got); err != nil {
			return err
		}
	}
	return nil
}

func (s *scope) create() error {
	got, err := s.client.Create(s.guild, s.sends(s.catalog.Extra))
	if err != nil {
		return err
	}
	s.extra = got
	return errors.Join(s.answered("POST 201"), match([]catalog.Command{s.wanted(s.catalog.Extra)}, []catalog.Command{got}))
}

func (s *scope) createAgain() error {
	got, err := s.client.Create(s.guild, s.sends(s.catalog.Extra))
	if err != nil {
		return err
	}
	return errors.Join(s.answered("POST 200"), differ(s.extra, got))
}

func (s *scope) createChanged() error {
	changed := s.catalog.Extra
	changed.Description += "!"
	got, err := s.client.Create(s.guild, s.sends(changed))
	if err != nil {
		return err
	}
	want := s.extra
	want.Description = changed.Description
	return errors.Join(s.answered("POST 200"), s.replaced(want, got))
}

func (s *scope) edit() error {
	got, err := s.client.Edit(s.guild, s.extra.ID, s.sends(s.catalog.Edited.Apply(s.catalog.Extra)))
	if err != nil {
		return err
	}
	want := s.shows(s.catalog.Edited.Apply(s.extra))
	return errors.Join(s.answered("PATCH 200"), s.replaced(want, got))
}

// replaced checks a response with a new version of the extra command.
func (s *scope) replaced(want, got catalog.Command) error {
	if !newer(got.Version, s.extra.Version) {
		return fmt.Errorf("version %s after %s, want a newer one", got.Version, s.extra.Version)
	}
	want.Version = got.Version
	s.extra = got
	return differ(want, got)
}

func (s *scope) renameToTaken() error {
	taken := s.catalog.Extra
	taken.Name = "ping" // in both lists
	_, err := s.client.Edit(s.guild, s.extra.ID, s.sends(taken))
	return s.refused(err, http.StatusBadRequest, 40041)
}

func (s *scope) delete() error {
	if err := s.client.Delete(s.guild, s.extra.ID); err != nil {
		return err
	}
	if err := s.answered("DELETE 204"); err != nil {
		return err
	}
	return s.refused(s.client.Delete(s.guild, s.extra.ID), http.StatusNotFound, 10063)
}

func (s *scope) broken() error {
	_, err := s.client.Create(s.guild, s.sends(s.catalog.Broken))
	return errors.Join(s.refused(err, http.StatusBadRequest, 50035, s.catalog.Faults...), s.unchanged())
}

func (s *scope) brokenInList() error {
	_, err := s.client.Overwrite(s.guild, each([]catalog.Command{s.catalog.Extra, s.catalog.Broken}, s.sends))
	return errors.Join(s.refused(err, http.StatusBadRequest, 50035, catalog.Under("1", s.catalog.Faults)...), s.unchanged())
}

// unchanged checks that the registered list is the same as before.
func (s *scope) unchanged() error {
	got, err := s.client.List(s.guild, "")
	if err != nil {
		return err
	}
	if len(got) != len(s.listed) {
		return fmt.Errorf("%d commands after a refused request, want %d", len(got), len(s.listed))
	}
	for i, c := range got {
		if c.ID != s.listed[i].ID || c.Version != s.listed[i].Version {
			return fmt.Errorf("command %s changed in a refused request", c.Name)
		}
	}
	return nil
}

func (s *scope) overwriteWithNothing() error {
	got, err := s.client.Overwrite(s.guild, []catalog.Command{})
	if err != nil {
		return err
	}
	return match(nil, got)
}

// wanted returns the command that the library must return for a registered definition.
func (s *scope) wanted(c catalog.Command) catalog.Command {
	return s.shows(s.sends(c).In(s.Application, s.guild))
}
