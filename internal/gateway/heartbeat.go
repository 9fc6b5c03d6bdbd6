package gateway

import (
	"context"

	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// heartbeat takes a heartbeat whose data is the number of the last event that the client has heard, or null.
func (k *conn) heartbeat(ctx context.Context, d jsontext.Value) error {
	var seq *uint64
	if len(d) > 0 {
		if err := json.Unmarshal(d, &seq); err != nil {
			return socket.ErrDecode
		}
	}
	return k.beat(ctx, seq)
}

func (k *conn) beat(ctx context.Context, seq *uint64) error {
	s := k.Session()
	if s != nil {
		if seq != nil && !s.HeardUpTo(*seq) {
			return socket.ErrSequence
		}
		holds, err := k.gateway.Tokens.Holds(ctx, s.Token)
		if err != nil {
			return err
		}
		if !holds {
			return socket.ErrToken
		}
		k.heard(k.gateway.patience())
	}
	k.Say(heartbeatACK)
	return nil
}
