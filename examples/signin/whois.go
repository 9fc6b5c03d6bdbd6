package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bellhop/bellhop/authorization"
)

const (
	askTimeout = 30 * time.Second
	maxAnswer  = 1 << 20 // bytes
)

// whoIs returns the username of the token's user.
func whoIs(ctx context.Context, apiBase string, token authorization.Token) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(apiBase, "/")+"/oauth2/@me", nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", token.Type+" "+string(token.AccessToken))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("who is it: %s", resp.Status)
	}
	var me struct {
		User struct {
			Username string `json:"username"`
		} `json:"user"`
	}
	if err := json.UnmarshalRead(io.LimitReader(resp.Body, maxAnswer), &me); err != nil {
		return "", fmt.Errorf("who is it: %w", err)
	}
	if me.User.Username == "" {
		return "somebody", nil // the scope identify was not granted
	}
	return strconv.Quote(me.User.Username), nil
}
