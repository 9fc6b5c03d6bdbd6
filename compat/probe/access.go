package probe

import (
	"errors"
	"net/http"

	"github.com/bellhop/bellhop/compat/catalog"
)

// unknownID is an id of the usual length that does not exist.
const unknownID = "900000000000000009"

// accessSteps check authentication and access.
func (s *session) accessSteps() []step {
	return []step{
		{"access: bearer token", s.bearer},
		{"access: wrong token", s.wrongToken},
		{"access: unknown application", s.unknownApplication},
		{"access: guild without the application", s.unknownGuild},
	}
}

// bearer uses a client-credentials token instead of the bot token.
func (s *session) bearer() error {
	client, err := s.Connect(s.Config, "Bearer "+s.BearerToken)
	if err != nil {
		return err
	}
	made, err := client.Create("", s.sends(s.catalog.Extra))
	if err != nil {
		return err
	}
	want := []catalog.Command{s.shows(s.sends(s.catalog.Extra).In(s.Application, ""))}
	if err := errors.Join(s.answered("POST 201"), match(want, []catalog.Command{made})); err != nil {
		return err
	}
	listed, err := client.List("", "")
	if err != nil {
		return err
	}
	if len(listed) != 1 || listed[0].ID != made.ID {
		return errors.New("the new command is not in the list")
	}
	return client.Delete("", made.ID)
}

func (s *session) wrongToken() error {
	client, err := s.Connect(s.Config, "Bot "+s.BotToken+"x")
	if err != nil {
		return err
	}
	_, err = client.List("", "")
	return s.refused(err, http.StatusUnauthorized, 0)
}

func (s *session) unknownApplication() error {
	other := s.Config
	other.Application = unknownID
	client, err := s.Connect(other, "Bot "+s.BotToken)
	if err != nil {
		return err
	}
	_, err = client.List("", "")
	return s.refused(err, http.StatusNotFound, 10002)
}

func (s *session) unknownGuild() error {
	_, err := s.client.Create(unknownID, s.sends(s.catalog.Extra))
	return s.refused(err, http.StatusForbidden, 50001)
}
