package dev

import (
	"errors"
	"net/http"
	"regexp"
	"strconv"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/webhook"
)

// resend delivers a recorded interaction again to the endpoint of its app, with a new signature, and answers with the
// new entry. The request can replace the body. The app's answer is recorded and has no other effect.
func (a *API) resend(c *api.Call) error {
	id, err := strconv.ParseUint(c.Request.PathValue("request_id"), 10, 64)
	if err != nil {
		return api.ErrNotFound
	}
	e, ok := a.Traffic.Entry(id)
	if !ok {
		return api.ErrNotFound
	}
	body, err := c.ReadObject()
	if err != nil {
		return err
	}
	text, err := bodyToResend(&e, body)
	if err != nil {
		return err
	}
	app, err := a.Directory.Applications.Application(c.Context(), e.Application)
	if err != nil {
		return err
	}
	if app.InteractionsEndpointURL == "" {
		var t jsonbody.Tree
		t.Add(jsonbody.Required, "The application has no endpoint URL")
		return t.Err()
	}
	key, err := a.Sealer.ApplicationKey(app)
	if err != nil {
		return err
	}
	answer, err := a.Deliveries.Deliver(c.Context(), webhook.Delivery{
		Application: app.ID, Interaction: e.Interaction, URL: app.InteractionsEndpointURL, Key: key, Body: []byte(text),
		Deadline: a.Deliveries.Wall.Now().Add(interaction.Deadline), Grace: interaction.Grace,
	})
	if _, failed := errors.AsType[*webhook.Error](err); err != nil && !failed {
		return err
	}
	made, _ := a.Traffic.Entry(answer.Request) // zero if a reset came first
	return c.Value(http.StatusOK, made)
}

// maskedToken matches the token of an interaction as an entry shows it.
var maskedToken = regexp.MustCompile(`("token"\s*:\s*")\*\*\*"`)

// bodyToResend returns the body of the request with the token of the delivery in place of its mask, or the body of the
// delivery.
func bodyToResend(e *Entry, request jsonbody.Value) (string, error) {
	var t jsonbody.Tree
	if e.Kind != Delivery {
		t.Add(jsonbody.Choices, "Only deliveries can be delivered again.")
		return "", t.Err()
	}
	if v := request.Get("body"); v.IsSet() {
		text, _ := jsonbody.AsString(t.At("body"), v)
		if sent, err := jsonbody.Parse(e.sent.Start); err == nil {
			text = maskedToken.ReplaceAllString(text, "${1}"+sent.Get("token").Text()+`"`)
		}
		return text, t.Err()
	}
	return string(e.sent.Start), nil
}
