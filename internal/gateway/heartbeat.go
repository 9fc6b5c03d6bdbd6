package gateway

import (
	"context"

	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// heartbeat handles a heartbeat. Its data is the sequence number of the last event that the client received, or null.
func (k *conn) heartbeat(ctx context.Context, d jsontext.Value) error {
	var seq *uint64
	if len(d) > 0 {
		if err := json.Unmarshal(d, &seq); err != nil {
			return socket.ErrDecode
		}
	}
	return k.acknowledge(ctx, seq)
}

// acknowledge records what the client received, checks its token and answers.
func (k *conn) acknowledge(ctx context.Context, seq *uint64) error {
	s := k.Session()
	if s != nil {
		if seq != nil && !s.Acknowledge(*seq) {
			return socket.ErrSequence
		}
		valid, err := k.gateway.Tokens.Holds(ctx, s.Token)
		if err != nil {
			return err
		}
		if !valid {
			return socket.ErrToken
		}
		k.extendDeadline(k.gateway.silenceTimeout())
	}
	k.SendText(heartbeatACK)
	return nil
}
